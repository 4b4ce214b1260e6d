"""The one feasibility oracle of all baselines: which nodes the request's pods can start on once some pods are gone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...models.domains import DomainKey, domain_of_node
from ...models.ladder import ladder_of
from ...models.topology import CLUSTER, NODE
from .counts import COUNTS, free_amounts, pods_by_counts
from .islands import Slots
from .parts import domains_within
from .situation import Host, Situation

Ranking = Callable[[str], Any]


@dataclass(frozen=True)
class Knowledge:
    """What a scheduler's own test looks at before it sends pods to nodes.

    Attributes
    ----------
    pod : {"counts", "slots", "islands"}
        Counts of GPUs a node; or single slots (for shares of GPUs); or the islands that the request's ladder names.
    alignment : bool
        Whether it reckons with the kubelet's topology manager; only where it looks at slots.
    gang : bool
        Whether it keeps to the slice and gang scopes.
    """

    pod: Literal["counts", "slots", "islands"] = "counts"
    alignment: bool = False
    gang: bool = False


BLIND = Knowledge()
EVERYTHING = Knowledge("islands", alignment=True, gang=True)


@dataclass(frozen=True)
class Place:
    """Somewhere that pods of the request can go: a node, or a domain within one.

    Attributes
    ----------
    host : Host
        The node.
    gang, slice : tuple of str
        The domains of the gang and the slice scope that it lies in.
    most : int
        How many pods it can take.
    """

    host: Host
    gang: DomainKey
    slice: DomainKey
    most: int


class Oracle:
    """Feasibility as one scheduler sees it.

    Parameters
    ----------
    situation : Situation
        The decision.
    knowledge : Knowledge
        What the scheduler looks at.
    """

    def __init__(self, situation: Situation, knowledge: Knowledge = BLIND) -> None:
        self.situation = situation
        self.knowledge = knowledge
        instance = situation.instance
        self.rungs = {"counts": (COUNTS,), "slots": (NODE,), "islands": ladder_of(instance, "pod")}[knowledge.pod]
        self._scopes = {
            scope: ladder_of(instance, scope) if knowledge.gang else (CLUSTER,) for scope in ("slice", "gang")
        }
        self._slice_size = instance.request.slice_size if knowledge.gang else 1
        self._known: dict[tuple[str, str, frozenset[str], frozenset[int] | None], int] = {}

    def pods_on(
        self, host: Host, gone: Collection[str], rung: str | None = None, within: frozenset[int] | None = None
    ) -> int:
        """Return how many pods of the request a node can take.

        Parameters
        ----------
        host : Host
            The node.
        gone : collection of str
            Pods that no longer run, here or elsewhere.
        rung : str, optional
            An island kind; default: the best of those that the scheduler looks at.
        within : frozenset of int, optional
            Only these slots.

        Returns
        -------
        int
            0 to the number of pods of the request.
        """
        if not host.takes:
            return 0
        if rung is None:
            return max(self.pods_on(host, gone, each, within) for each in self.rungs)
        here = frozenset(pod.name for pod in host.pods if pod.name in gone)
        key = (host.name, rung, here, within)
        if key not in self._known:
            limit = self.situation.instance.request.pods
            if rung == COUNTS:
                found = pods_by_counts(self.situation.need, free_amounts(host, here))
            else:
                slots = Slots(self.situation, host, here)
                found = len(slots.spots(rung, limit, within=within, aligned=self.knowledge.alignment))
            self._known[key] = min(limit, found)
        return self._known[key]

    def nodes_for(
        self,
        gone: Collection[str],
        pods: int,
        *,
        hosts: Iterable[Host] | None = None,
        rank: Ranking | None = None,
        choose: Callable[[tuple[str, ...]], Any] | None = None,
    ) -> tuple[str, ...] | None:
        """Return nodes on which so many pods of the request can start together.

        Parameters
        ----------
        gone : collection of str
            Pods that no longer run.
        pods : int
            How many pods.
        hosts : iterable of Host, optional
            The nodes to look at; default: all.
        rank : callable, optional
            Order of the nodes by name, first choice first; default: name order.
        choose : callable, optional
            Order of the domains by the nodes they would give; default: least room first.

        Returns
        -------
        tuple of str or None
            One node a pod; the tightest rungs first, then the domain that is first in order, then by its name.
        """
        considered = sorted(
            self.situation.hosts.values() if hosts is None else hosts,
            key=lambda host: (rank(host.name) if rank else 0, host.name),
        )
        for rung in self.rungs:
            for slice_rung in self._scopes["slice"]:
                for gang_rung in self._scopes["gang"]:
                    places = self._places(considered, gone, rung, slice_rung, gang_rung)
                    found = self._in_one_domain(places, gone, rung, pods, choose)
                    if found is not None:
                        return found
        return None

    def holds(self, gone: Collection[str], nodes: Sequence[str]) -> bool:
        """Return whether pods of the request can start on the nodes they were sent to.

        Parameters
        ----------
        gone : collection of str
            Pods that no longer run.
        nodes : sequence of str
            One node a pod.

        Returns
        -------
        bool
            True if one of the rungs that the scheduler looks at holds on all the nodes.
        """
        counts = {name: nodes.count(name) for name in nodes}
        return any(
            all(self.pods_on(self.situation.hosts[name], gone, rung) >= count for name, count in counts.items())
            for rung in self.rungs
        )

    def _places(
        self, hosts: list[Host], gone: Collection[str], rung: str, slice_rung: str, gang_rung: str
    ) -> list[Place]:
        instance, places = self.situation.instance, []
        below = [level for level in (gang_rung, slice_rung) if level in instance.cluster.levels_below]
        for host in hosts:
            keys = {
                level: domain_of_node(instance, host.node, level)
                for level in (gang_rung, slice_rung)
                if level not in below
            }
            if not below or not instance.request.gpus:
                node = ("node", host.name)
                keys |= dict.fromkeys(below, node)
                places.append(Place(host, keys[gang_rung], keys[slice_rung], self.pods_on(host, gone, rung)))
                continue
            for within, inner in domains_within(self.situation, host, below):
                both = keys | inner
                most = self.pods_on(host, gone, rung, within)
                places.append(Place(host, both[gang_rung], both[slice_rung], most))
        return [place for place in places if place.most]

    def _in_one_domain(
        self,
        places: list[Place],
        gone: Collection[str],
        rung: str,
        pods: int,
        choose: Callable[[tuple[str, ...]], Any] | None,
    ) -> tuple[str, ...] | None:
        domains: dict[DomainKey, list[Place]] = {}
        for place in places:
            domains.setdefault(place.gang, []).append(place)
        best: tuple[Any, tuple[str, ...]] | None = None
        for key in sorted(domains, key=lambda key: (sum(place.most for place in domains[key]), key)):
            found = self._filled(domains[key], gone, rung, pods)
            if found is not None and choose is None:
                return found
            if found is not None and choose is not None and (best is None or choose(found) < best[0]):
                best = (choose(found), found)
        return None if best is None else best[1]

    def _filled(self, places: list[Place], gone: Collection[str], rung: str, pods: int) -> tuple[str, ...] | None:
        left = {place.host.name: self.pods_on(place.host, gone, rung) for place in places}
        slices: dict[DomainKey, list[Place]] = {}
        for place in places:
            slices.setdefault(place.slice, []).append(place)
        nodes: list[str] = []
        for members in slices.values():
            spare = dict(left)
            room: list[str] = []
            for place in members:
                here = min(place.most, spare[place.host.name])
                spare[place.host.name] -= here
                room += [place.host.name] * here
            taken = room[: min(len(room), pods - len(nodes)) // self._slice_size * self._slice_size]
            for name in taken:
                left[name] -= 1
            nodes += taken
            if len(nodes) == pods:
                return tuple(nodes)
        return None
