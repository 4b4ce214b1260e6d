"""``flextopo-exhaustive`` and ``flextopo-early-stop``: the topology-aware preemption of arXiv 2411.11560.

Source: Zhang, Su, Yang and Chen (2024), and the authors' Gödel fork. On each node subsets of the lesser pods (less
those that strict budgets keep): all of them, or by size until one works. A guaranteed request passes where some NUMA
node or socket has the GPUs and cores; else counts decide. Subsets are ranked by ``a / sum of priorities + (1 - a) T``
with the published a = 0: T is 15, less 3 if the victims' cores span NUMA nodes, less 5 if they span sockets. Ties:
fewest victims, node, names. Blind to free GPUs that complete an island, to links, to cost, to gangs; victims on one
node.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.alignment import domain_holdings
from ...models.topology import NODE
from ...models.units import MICRO
from .counts import free_amounts
from .decision import Decision
from .dry_run import Candidate, pod_by_pod
from .godel import potential_victims
from .oracle import Oracle
from .orderings import PRIORITY_SHIFT
from .situation import Host, Running, Situation

ALPHA = 0.0
BEST, NUMA_PENALTY, SOCKET_PENALTY = 15, 3, 5
MOST_POTENTIAL_VICTIMS = 16

Score = Callable[[Sequence[Running]], Any]
Masks = NDArray[np.int64]


@dataclass(frozen=True)
class Levels:
    """Which levels of the cluster stand for the two that FlexTopo knows; one that is absent never separates pods."""

    numa: str = "numa"
    socket: str = "socket"


def flextopo_exhaustive(
    situation: Situation, *, levels: Levels | None = None, oracle: Oracle | None = None, score: Score | None = None
) -> Decision:
    """Look at all subsets of the lesser pods of every node.

    Parameters
    ----------
    situation : Situation
        The decision.
    levels : Levels, optional
        Names of the NUMA and the socket level.
    oracle : Oracle, optional
        Another test of a node without a subset of its pods than counts and the guaranteed filter.
    score : callable, optional
        Another score of a subset, the highest wins.

    Returns
    -------
    Decision
        Rigid jobs are broken pod by pod; nodes with too many potential victims are left out.
    """
    return _flextopo(situation, False, levels or Levels(), oracle, score)


def flextopo_early_stop(situation: Situation, *, levels: Levels | None = None) -> Decision:
    """Look at subsets of growing size and stop after the first size that works on the node.

    Parameters
    ----------
    situation : Situation
        The decision.
    levels : Levels, optional
        Names of the NUMA and the socket level.

    Returns
    -------
    Decision
        Rigid jobs are broken pod by pod; nodes with too many potential victims are left out.
    """
    return _flextopo(situation, True, levels or Levels(), None, None)


def _flextopo(
    situation: Situation, early_stop: bool, levels: Levels, given: Oracle | None, score: Score | None
) -> Decision:
    oracle = given or Oracle(situation)

    def candidates(gone: set[str], nodes: list[str]) -> list[Candidate]:
        best: tuple[Any, Candidate] | None = None
        for host in situation.hosts.values():
            found = Subsets(situation, host, gone, nodes.count(host.name), levels).best(early_stop, given, score)
            if found is not None and (best is None or found[0] > best[0]):
                best = (found[0], Candidate(host, found[1], 0))
        return [] if best is None else [best[1]]

    return pod_by_pod(oracle, candidates, with_budgets=False)


class Subsets:
    """All subsets of the potential victims of one node, as bit masks.

    Parameters
    ----------
    situation : Situation
        The decision.
    host : Host
        The node.
    gone : collection of str
        Pods evicted before.
    seats : int
        Pods of the request that go to this node already.
    levels : Levels
        Names of the NUMA and the socket level.
    """

    def __init__(self, situation: Situation, host: Host, gone: Collection[str], seats: int, levels: Levels) -> None:
        self._situation = situation
        self._host = host
        self._gone = {pod.name for pod in host.pods if pod.name in gone}
        self._seats = seats
        self._levels = levels
        self._pods = sorted(potential_victims(situation, host, gone), key=lambda pod: pod.name)

    def best(
        self, early_stop: bool, oracle: Oracle | None, score: Score | None
    ) -> tuple[Any, tuple[Running, ...]] | None:
        """Return the best subset that makes room.

        Parameters
        ----------
        early_stop : bool
            Whether only the smallest sizes that work are looked at.
        oracle : Oracle or None
            Another test.
        score : callable or None
            Another score.

        Returns
        -------
        tuple or None
            Its rank (the higher the better: score, then fewer victims, then earlier names) and the victims.
        """
        count = len(self._pods)
        if not count or count > MOST_POTENTIAL_VICTIMS or not self._host.takes:
            return None
        bits = (np.arange(1, 1 << count)[:, None] >> np.arange(count)) & 1
        passing = self._passing(bits) if oracle is None else self._passing_by(bits, oracle)
        bits = bits[passing]
        if not len(bits):
            return None
        sizes = bits.sum(axis=1)
        if early_stop:
            bits = bits[sizes == sizes.min()]
            sizes = bits.sum(axis=1)
        values: list[Any] = self._scores(bits).tolist() if score is None else [score(self._chosen(row)) for row in bits]
        top = max(values)
        place = min(
            (place for place, value in enumerate(values) if value == top),
            key=lambda place: (sizes[place], [pod.name for pod in self._chosen(bits[place])]),
        )
        return (top, -int(sizes[place])), self._chosen(bits[place])

    def _chosen(self, row: Masks) -> tuple[Running, ...]:
        return tuple(pod for pod, bit in zip(self._pods, row, strict=True) if bit)

    def _passing_by(self, bits: Masks, oracle: Oracle) -> list[bool]:
        sets = (self._gone | {pod.name for pod in self._chosen(row)} for row in bits)
        return [oracle.pods_on(self._host, gone) > self._seats for gone in sets]

    def _passing(self, bits: Masks) -> NDArray[np.bool_]:
        need = self._situation.need
        free = free_amounts(self._host, self._gone)
        passing = np.ones(len(bits), dtype=bool)
        for index, amount in enumerate(need):
            if amount:
                held = np.array([pod.amounts[index] for pod in self._pods])
                passing &= bits @ held >= (self._seats + 1) * amount - min(free[index], 1 << 60)
        asked = self._situation.instance.request.affinity.pod
        if asked.mode == "guaranteed" and asked.island != NODE:
            passing &= self._in_one_domain(bits)
        return passing

    def _in_one_domain(self, bits: Masks) -> NDArray[np.bool_]:
        instance, host = self._situation.instance, self._host
        shape, found = instance.shape(host.name), np.zeros(len(bits), dtype=bool)
        kept = [pod for pod in host.pods if pod.name not in self._gone]
        cores = self._situation.things.index("cpus") if "cpus" in self._situation.things else None
        for level in (self._levels.numa, self._levels.socket):
            if level not in shape.domains:
                continue
            given = shape.domain_resources.get(level, {})
            for domain, slots in shape.domains[level].items():
                usable = host.usable & frozenset(slots)
                gpus = {pod.name: pod.share * len(usable.intersection(pod.slots)) for pod in kept}
                free = MICRO * len(usable) - sum(gpus.values())
                held = np.array([gpus[pod.name] for pod in self._pods])
                passing = bits @ held >= self._situation.need[0] - free
                if cores is not None and given:
                    used = {pod.name: self._cores(pod, level, domain) for pod in kept}
                    room = given.get(domain, {}).get("cpus", 0) - sum(used.values())
                    held = np.array([used[pod.name] for pod in self._pods])
                    passing &= bits @ held >= self._situation.need[cores] - room
                found |= passing
        return found

    def _cores(self, pod: Running, level: str, domain: str) -> int:
        held = domain_holdings(self._situation.instance, self._situation.instance.pods_by_name[pod.name][1], level)
        return int(held.by_domain.get(domain, {}).get("cpus", 0))

    def _scores(self, bits: Masks) -> NDArray[np.float64]:
        shape = self._situation.instance.shape(self._host.name)
        values = np.full(len(bits), float(BEST))
        for level, penalty in ((self._levels.numa, NUMA_PENALTY), (self._levels.socket, SOCKET_PENALTY)):
            if level in shape.domains:
                held = [self._domains_held(pod, level) for pod in self._pods]
                inside = np.array([[domain in each for domain in shape.domains[level]] for each in held])
                values -= penalty * (((bits @ inside) > 0).sum(axis=1) > 1)
        if ALPHA:
            sums = bits @ np.array([pod.priority + PRIORITY_SHIFT for pod in self._pods])
            values = ALPHA / sums + (1 - ALPHA) * values
        return values

    def _domains_held(self, pod: Running, level: str) -> set[str]:
        running = self._situation.instance.pods_by_name[pod.name][1]
        named = set(running.domain_resources.get(level, {}))
        shape = self._situation.instance.shape(self._host.name)
        return named or {shape.domain_of(level, slot) for slot in pod.slots}
