"""One decision answered by trying every permitted victim set and every placement, in the order of the objectives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from topreempt.models import Instance

from .fillings import Filling, Pod, fillings
from .uncertain import has_unknown, uncertain_fillings
from .victims import Cost, losses, victim_sets, violations, work_lost
from .world import ONE, World


@dataclass(frozen=True)
class Answer:
    """The best value of every objective that the rules fix, and one victim set that reaches them.

    `cost` is weighted work plus prices in millionths of millionths (with tiers: work by priority, highest first);
    `rungs` is None where rungs are priced or nothing fits; `broken` has one number a level, broadest first.
    """

    status: str
    budget_violations: int = 0
    placed: int = 0
    rungs: dict[str, str] | None = None
    cost: Cost = 0
    evicted_pods: int = 0
    displaced_reservations: int = 0
    broken_islands: tuple[int, ...] = ()
    victims: frozenset[str] = frozenset()


INFEASIBLE = Answer("infeasible")


def solve(instance: Instance) -> Answer:
    """The optimum over all plans, or `INFEASIBLE`."""
    oracle = Oracle(instance)
    every = frozenset(name for victims in victim_sets(_without_limits(instance)) for name in victims)
    loosest = oracle.best(every)
    if loosest is None:
        return INFEASIBLE
    best = None
    for victims in sorted(victim_sets(instance), key=oracle.eviction_key):
        if best is None or oracle.at_best(victims, loosest) < best:
            key = oracle.best(victims)
            if key is not None and (best is None or key < best):
                best, chosen = key, victims
    return INFEASIBLE if best is None else oracle.answer(best, chosen)


def best_for_victims(instance: Instance, victims: frozenset[str]) -> Answer:
    """The best plan once exactly these pods are gone, permitted or not, or `INFEASIBLE`."""
    oracle = Oracle(instance)
    key = oracle.best(victims)
    return INFEASIBLE if key is None else oracle.answer(key, victims)


def _without_limits(instance: Instance) -> Instance:
    policy = instance.policy.model_copy(update={"max_victims": None, "budgets": "soft"})
    return instance.model_copy(update={"policy": policy})


Key = tuple[Any, ...]


class Oracle:
    """Objective values of an instance's plans, as tuples that compare as the objectives do."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.world = World(instance)
        self.lost = losses(instance)
        self.priced = instance.policy.relaxation == "priced"
        self.most_first = instance.policy.extra_pods == "evict"
        self._fillings: dict[tuple[str, frozenset[str]], list[Filling]] = {}

    def eviction_key(self, victims: frozenset[str]) -> Key:
        """What the victims alone decide."""
        return (violations(self.instance, victims), self.work(victims), len(victims), sorted(victims))

    def work(self, victims: frozenset[str]) -> Cost:
        return work_lost(self.instance, victims, self.lost)

    def at_best(self, victims: frozenset[str], loosest: Key) -> Key:
        """A key that no plan with these victims can undercut; `loosest`: the best of all once everybody is gone."""
        most = -self.instance.request.pods if self.most_first else 0
        return (violations(self.instance, victims), most, loosest[2], self.work(victims), len(victims))

    def best(self, victims: frozenset[str]) -> Key | None:
        """The least key of the plans that evict exactly these pods."""
        beyond, work = violations(self.instance, victims), self.work(victims)
        keys = (self._key(beyond, work, len(victims), chosen) for chosen in self._combinations(victims))
        return min((key for key in keys if key is not None), default=None)

    def _combinations(self, victims: frozenset[str]) -> Iterator[list[Filling]]:
        request = self.instance.request
        hosts = list(self.world.hosts.values())
        allowed = range(request.fewest_pods, request.pods + 1, request.slice_size)
        rest = [self._of_host(host.name, victims) for host in hosts]

        def extend(index: int, chosen: list[Filling], count: int) -> Iterator[list[Filling]]:
            if index == len(rest):
                if count in allowed:
                    yield chosen
                return
            for filling in rest[index]:
                if count + len(filling.pods) <= request.pods:
                    yield from extend(index + 1, [*chosen, filling], count + len(filling.pods))

        return extend(0, [], 0)

    def _of_host(self, name: str, victims: frozenset[str]) -> list[Filling]:
        host = self.world.hosts[name]
        local = frozenset(pod.name for pod in host.pods if pod.name in victims)
        if (name, local) not in self._fillings:
            uncertain = has_unknown(host, local) and self.instance.request.gpus
            find = uncertain_fillings if uncertain else fillings
            self._fillings[name, local] = list(find(self.world, host, local, self.instance.request.pods))
        return self._fillings[name, local]

    def _key(self, beyond: int, cost: Cost, evicted: int, chosen: list[Filling]) -> Key | None:
        pods = [pod for filling in chosen for pod in filling.pods]
        if self.priced:
            price = self._price(pods)
            if price is None:
                return None
            rungs: tuple[int, ...] = ()
            cost += price * ONE
        else:
            rungs_or_none = self._rungs(pods)
            if rungs_or_none is None:
                return None
            rungs = rungs_or_none
        displaced = sum(filling.displaced for filling in chosen)
        most = -len(pods) if self.most_first else 0
        return (beyond, most, rungs, cost, evicted, displaced, -len(pods), self._broken(chosen))

    def _rungs(self, pods: list[Pod]) -> tuple[int, ...] | None:
        """The tightest rung of each scope that holds for all pods."""
        tightest = []
        for holds in (self._pod_rung_holds, self._slice_rung_holds, self._gang_rung_holds):
            scope = ("pod", "slice", "gang")[len(tightest)]
            found = [index for index, _ in enumerate(self.world.ladder(scope)) if holds(pods, index)]
            if not found:
                return None
            tightest.append(found[0])
        return tuple(tightest)

    def _pod_rung_holds(self, pods: list[Pod], index: int) -> bool:
        return all(self.world.ladder("pod")[index] in pod.rungs for pod in pods)

    def _slice_rung_holds(self, pods: list[Pod], index: int) -> bool:
        domains = [pod.slice_domains[index] for pod in pods]
        size = self.instance.request.slice_size
        return None not in domains and all(domains.count(domain) % size == 0 for domain in domains)

    def _gang_rung_holds(self, pods: list[Pod], index: int) -> bool:
        domains = {pod.gang_domains[index] for pod in pods}
        return None not in domains and len(domains) == 1

    def _price(self, pods: list[Pod]) -> int | None:
        """The least price of the rungs that pods, slices and gang can be said to have."""
        world = self.world
        per_pod = [min((world.price("pod", rung) for rung in pod.rungs), default=None) for pod in pods]
        gang = [
            world.price("gang", rung)
            for index, rung in enumerate(world.ladder("gang"))
            if self._gang_rung_holds(pods, index)
        ]
        slices = self._price_of_slices(pods)
        if None in per_pod or not gang or slices is None:
            return None
        return sum(per_pod) + slices + min(gang)

    def _price_of_slices(self, pods: list[Pod]) -> int | None:
        """The least sum over all ways to part the pods into slices, each on the cheapest rung that holds it."""
        if not pods:
            return 0
        sums = []
        for others in combinations(range(1, len(pods)), self.instance.request.slice_size - 1):
            slice_ = [pods[0], *(pods[index] for index in others)]
            prices = [
                self.world.price("slice", rung)
                for index, rung in enumerate(self.world.ladder("slice"))
                if None not in {pod.slice_domains[index] for pod in slice_}
                and len({pod.slice_domains[index] for pod in slice_}) == 1
            ]
            rest = self._price_of_slices([pod for index, pod in enumerate(pods) if index and index not in others])
            if prices and rest is not None:
                sums.append(min(prices) + rest)
        return min(sums, default=None)

    def _broken(self, chosen: list[Filling]) -> tuple[int, ...]:
        """Whole domains that the plan breaks, by level, broadest first."""
        world = self.world
        hosts = list(world.hosts.values())
        above = []
        for level in world.levels_above:
            touched = {h.path[level] for h, f in zip(hosts, chosen, strict=True) if f.takes_slots}
            above.append(sum(self._is_whole(level, domain) for domain in touched))
        return (*above, *(sum(column) for column in zip(*(filling.broken for filling in chosen), strict=True)))

    def _is_whole(self, level: str, domain: tuple[str, ...]) -> bool:
        members = [host for host in self.world.hosts.values() if host.path[level] == domain]
        busy = any(pod.unknown_gpus or set(pod.slots) & host.online for host in members for pod in host.kept(()))
        return any(host.online for host in members) and not busy

    def answer(self, key: Key, victims: frozenset[str]) -> Answer:
        """What a key says, spelled out."""
        beyond, _, rungs, cost, evicted, displaced, placed, broken = key
        names = None
        if not self.priced:
            ladders = {scope: self.world.ladder(scope) for scope in ("pod", "slice", "gang")}
            names = {scope: ladder[rung] for (scope, ladder), rung in zip(ladders.items(), rungs, strict=True)}
        return Answer("optimal", beyond, -placed, names, cost, evicted, displaced, broken, victims)


def weighted(instance: Instance, victims: frozenset[str]) -> Cost:
    """Weighted work of these victims, as in `Answer.cost` without prices."""
    return work_lost(instance, victims, losses(instance))
