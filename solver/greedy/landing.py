"""Where the request lands after the evictions: on the nodes it was sent to, as well as the kubelet can align it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...models.domains import domain_of_node
from ...models.ladder import ladder_of
from ...models.topology import CLUSTER
from .decision import Decision
from .islands import Slots, Spot
from .parts import domains_within
from .situation import Host, Situation


@dataclass(frozen=True)
class Landing:
    """The placement of the request's pods and the rungs that it reaches.

    Attributes
    ----------
    spots : tuple
        Node and spot of each placed pod.
    pod, slice, gang : str
        The rung of each scope.
    """

    spots: tuple[tuple[str, Spot], ...]
    pod: str
    slice: str
    gang: str


def landing(situation: Situation, gone: Collection[str], decision: Decision) -> Landing | None:
    """Return the best landing on the nodes that a rule chose.

    Parameters
    ----------
    situation : Situation
        The decision.
    gone : collection of str
        Evicted pods.
    decision : Decision
        Where the rule sends the pods.

    Returns
    -------
    Landing or None
        The tightest rungs first (pod, slice, gang), all pods if any rung takes them, else as many as each node
        admits; None if fewer than the minimum can start.
    """
    request = situation.instance.request
    ladders = [ladder_of(situation.instance, "pod"), ladder_of(situation.instance, "slice")]
    ladders.append(ladder_of(situation.instance, "gang"))
    wanted = {name: decision.nodes.count(name) for name in decision.nodes}
    for least in (max(len(decision.nodes), request.fewest_pods), request.fewest_pods):
        for pod in ladders[0]:
            for slice_rung in ladders[1]:
                for gang in ladders[2]:
                    for parts in _gang_domains(situation, wanted, gang):
                        spots = _spots(situation, gone, decision, wanted, pod, slice_rung, parts)
                        if spots and len(spots) >= least:
                            return Landing(tuple(spots), pod, slice_rung, gang)
    return None


def _gang_domains(situation: Situation, wanted: dict[str, int], level: str) -> Iterator[frozenset[int] | None]:
    """Yield the slots that one domain of the gang leaves of the nodes; None: all of them."""
    hosts = [situation.hosts[name] for name in wanted]
    if level == CLUSTER or level not in situation.instance.cluster.levels_below:
        if len({domain_of_node(situation.instance, host.node, level) for host in hosts}) == 1 or level == CLUSTER:
            yield None
    elif len(hosts) == 1:
        for slots, _ in domains_within(situation, hosts[0], [level]):
            yield slots


def _spots(
    situation: Situation,
    gone: Collection[str],
    decision: Decision,
    wanted: dict[str, int],
    rung: str,
    slice_rung: str,
    within: frozenset[int] | None,
) -> list[tuple[str, Spot]]:
    size = situation.instance.request.slice_size
    below = slice_rung in situation.instance.cluster.levels_below
    by_slice: dict[object, list[tuple[str, Spot]]] = {}
    for name, count in wanted.items():
        host = situation.hosts[name]
        slots = Slots(situation, host, gone)
        chosen = _chosen(situation, host, decision, rung)
        if chosen is not None:
            key = domain_of_node(situation.instance, host.node, "node" if below else slice_rung)
            by_slice.setdefault(key, []).extend((name, spot) for spot in chosen)
        elif below and situation.instance.request.gpus:
            left = count
            for part, keys in domains_within(situation, host, [slice_rung]):
                inside = part if within is None else part & within
                found = slots.spots(rung, left, within=inside)
                found = found[: len(found) // size * size]
                left -= len(found)
                by_slice.setdefault(keys[slice_rung], []).extend((name, spot) for spot in found)
        else:
            key = domain_of_node(situation.instance, host.node, "node" if below else slice_rung)
            found = slots.spots(rung, count, within=within)
            by_slice.setdefault(key, []).extend((name, spot) for spot in found)
    return [placed for members in by_slice.values() for placed in members[: len(members) // size * size]]


def _chosen(situation: Situation, host: Host, decision: Decision, rung: str) -> list[Spot] | None:
    """Return the spots on a node where the rule names slots itself, if they are islands of the rung."""
    if decision.slots is None:
        return None
    slots = Slots(situation, host, ())
    spots = []
    for name, taken in zip(decision.nodes, decision.slots, strict=True):
        if name == host.name:
            island = slots.island_of(rung, taken)
            if island is None:
                return []
            spots.append(Spot(island, taken))
    return spots
