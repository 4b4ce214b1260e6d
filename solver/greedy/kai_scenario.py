"""One scenario of KAI's search: victims are evicted, the request is allocated, then victims are re-placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...models.jobs import Job
from ...models.units import MICRO, micro
from .counts import free_amounts
from .decision import Decision
from .islands import Slots
from .oracle import Oracle
from .situation import Host, Running, Situation


@dataclass(frozen=True)
class Outcome:
    """How a scenario ends.

    Attributes
    ----------
    nodes : tuple of str
        The node of each pod of the request.
    evicted : tuple of Running
        Victims that find no room again.
    moved : dict
        Victims that start again elsewhere, with their new node.
    victims : tuple of Running
        Both.
    """

    nodes: tuple[str, ...]
    evicted: tuple[Running, ...]
    moved: dict[str, str]
    victims: tuple[Running, ...]

    def decision(self, why: str) -> Decision:
        """Return it as a decision.

        Parameters
        ----------
        why : str
            Why the victims go.

        Returns
        -------
        Decision
            Moved pods are among the victims.
        """
        reasons = {
            pod.name: f"{why}, to {self.moved[pod.name]}" if pod.name in self.moved else why for pod in self.victims
        }
        return Decision(self.nodes, reasons, moved=self.moved)


class Simulator:
    """Simulates scenarios against one cluster state.

    Parameters
    ----------
    oracle : Oracle
        KAI's own predicates.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    def _idle(self, name: str) -> int:
        """Bin packing: nodes with the fewest idle GPUs first, those of victims not counted."""
        return free_amounts(self.oracle.situation.hosts[name], ())[0]

    def run(self, steps: Sequence[tuple[Running, ...]], pods: int) -> Outcome | None:
        """Return how a scenario ends.

        Parameters
        ----------
        steps : sequence of tuple of Running
            Its victims.
        pods : int
            How many pods of the request are allocated.

        Returns
        -------
        Outcome or None
            None if the request does not fit even without the victims.
        """
        victims = [pod for step in steps for pod in step]
        nodes = self.oracle.nodes_for({pod.name for pod in victims}, pods, rank=self._idle)
        if nodes is None:
            return None
        board = _Board(self.oracle, {pod.name for pod in victims}, nodes)
        jobs: dict[str, Job] = {pod.job.name: pod.job for pod in victims}
        for name in sorted(jobs, key=lambda name: (-jobs[name].priority, -(jobs[name].running_seconds or 0.0), name)):
            _replace_job(board, jobs[name], [pod for pod in victims if pod.job.name == name])
        lost = tuple(pod for pod in victims if pod.name in board.gone and pod.name not in board.moved)
        moved = {pod.name: board.moved[pod.name] for pod in victims if pod.name in board.moved}
        return Outcome(nodes, lost, moved, tuple(pod for pod in victims if pod.name in board.gone))


def _replace_job(board: _Board, job: Job, pods: Sequence[Running]) -> None:
    """Re-place a job's victims: the minimum together or none of it, then the pods above it one by one."""
    least = len(job.pods) if job.min_available is None else job.min_available
    order = sorted(pods, key=lambda pod: [each.name for each in job.pods].index(pod.name))
    owed = max(0, least - (len(job.pods) - len(pods)))
    together, singly = order[:owed], order[owed:]
    before = board.copy()
    if not all(board.re_place(pod) for pod in together):
        board.restore(before)
        return
    for pod in singly:
        board.re_place(pod)


class _Board:
    """Who holds what while victims are re-placed beside the request."""

    def __init__(self, oracle: Oracle, gone: set[str], nodes: tuple[str, ...]) -> None:
        self._oracle = oracle
        self._situation: Situation = oracle.situation
        self._nodes = nodes
        self.gone = gone
        self.moved: dict[str, str] = {}
        self._guests: dict[str, tuple[Running, ...]] = {}

    def copy(self) -> tuple[set[str], dict[str, str], dict[str, tuple[Running, ...]]]:
        return set(self.gone), dict(self.moved), dict(self._guests)

    def restore(self, saved: tuple[set[str], dict[str, str], dict[str, tuple[Running, ...]]]) -> None:
        self.gone, self.moved, self._guests = saved

    def re_place(self, pod: Running) -> bool:
        """Put a victim back where it was, or on the first node with room; False if there is none."""
        home = self._situation.hosts[pod.node]
        back = self.gone - {pod.name}
        if not self._overlaps_guests(home, pod) and self._request_fits(home, back, self._guests.get(home.name, ())):
            self.gone = back
            return True
        for host in (home, *(other for other in self._situation.hosts.values() if other is not home)):
            guest = self._guest(host, pod)
            if guest is not None:
                guests = (*self._guests.get(host.name, ()), guest)
                if self._request_fits(host, self.gone, guests):
                    self._guests[host.name] = guests
                    self.moved[pod.name] = host.name
                    return True
        return False

    def _overlaps_guests(self, host: Host, pod: Running) -> bool:
        held: dict[int, int] = {}
        for other in (*self._guests.get(host.name, ()), pod):
            for slot in other.slots:
                held[slot] = held.get(slot, 0) + other.share
        return any(amount > MICRO for amount in held.values())

    def _request_fits(self, host: Host, gone: set[str], guests: Sequence[Running]) -> bool:
        seats = self._nodes.count(host.name)
        if not guests:
            return self._oracle.pods_on(host, gone) >= seats
        visited = replace(host, pods=(*(pod for pod in host.pods if pod.name not in gone), *guests))
        spots = Slots(self._situation, visited, ()).spots("node", max(seats, 1), aligned=True)
        return len(spots) >= seats

    def _guest(self, host: Host, pod: Running) -> Running | None:
        """Return the pod as it would sit on a node, if slots and resources are free beside the request's own."""
        instance = self._situation.instance
        shape, home = instance.shape(host.name), instance.shape(pod.node)
        if host.node.cordoned:
            return None
        here = [other for other in host.pods if other.name not in self.gone] + list(self._guests.get(host.name, ()))
        running = instance.pods_by_name[pod.name][1]
        for name, amount in running.resources.items():
            if name in shape.resources:
                used = sum(
                    micro(instance.pods_by_name[other.name][1].resources.get(name, 0.0)) for other in here
                ) + micro(instance.request.resources.get(name, 0.0)) * self._nodes.count(host.name)
                if used + micro(amount) > shape.resources[name]:
                    return None
        model = {home.models[slot] for slot in pod.slots}
        left = dict.fromkeys((slot for slot in range(shape.gpus) if slot not in host.node.offline_slots), MICRO)
        for other in here:
            for slot in other.slots:
                if slot in left:
                    left[slot] -= other.share
        fits = [slot for slot, room in left.items() if room >= pod.share and (not model or shape.models[slot] in model)]
        fits.sort(key=lambda slot: (left[slot], slot))
        if len(fits) < pod.gpus:
            return None
        slots = tuple(sorted(fits[: pod.gpus]))
        gpus = pod.share * len(host.usable.intersection(slots))
        return replace(pod, node=host.name, slots=slots, unknown=0, amounts=(gpus, *pod.amounts[1:]))
