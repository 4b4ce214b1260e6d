"""Bounds, best-first order, reduced nodes and slots, and copies left out change no objective of the answer.

The normal run checks 60 instances of 50 to 300 nodes against models of the whole, and several hundred small ones on
which the reductions are forced. The long profile checks 1,000 and 6,000 others:

    python -m pytest tests/solver/exact/test_reductions.py -m long
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from large import large_instance
from oracle.agreement import differences
from oracle.brute import solve
from oracle.draw import RULES, random_instance
from unreduced import best_key, decided, decision_of

from topreempt.models import Instance
from topreempt.models.topology import CLUSTER
from topreempt.solver import solve_preemption
from topreempt.solver.exact import reduce, search
from topreempt.solver.exact.decision import Decision
from topreempt.solver.exact.rungs import rungs_in_order
from topreempt.solver.exact.search import key_of

NORMAL = 60
LONG = 1_000


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts what the reductions leave out."""
    seen: Counter[str] = Counter()
    affordable, representatives = reduce._affordable, reduce.representatives

    def watched_affordable(decision, least, order, cost):
        kept, slots = affordable(decision, least, order, cost)
        seen["dear nodes"] += len(kept) < len(order)
        seen["dear slots"] += len(slots) < decision.snapshot.first_slot[-1]
        return kept, slots

    def watched_representatives(decision, rungs, nodes):
        kept = representatives(decision, rungs, nodes)
        seen["copies"] += len(kept) < len(nodes)
        return kept

    monkeypatch.setattr(reduce, "_affordable", watched_affordable)
    monkeypatch.setattr(reduce, "representatives", watched_representatives)
    return seen


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduces every region, from one node on."""
    monkeypatch.setattr(search, "MANY_NODES", 0)
    monkeypatch.setattr(reduce, "SPREAD", 0)
    monkeypatch.setattr(reduce, "SPARE", 1)


def engine_key(decision: Decision) -> tuple[int, ...] | None:
    """The engine's answer in the form of `best_key`."""
    verdict = decided(decision)
    assert verdict.proved
    if verdict.found is None:
        return None
    assert verdict.found.solution is not None
    key = key_of(decision, verdict.found.solution)
    fixed = key[:2] if decision.policy.extra_pods == "evict" else (key[0], 0)
    priced = decision.policy.relaxation == "priced"
    return (*fixed, 0 if priced else list(rungs_in_order(decision)).index(verdict.found.rungs), *key)


def check(seed: int, instance: Instance, seen: Counter[str]) -> None:
    decision = decision_of(instance)
    key = engine_key(decision)
    assert key == best_key(decision), f"seed {seed}"
    seen["infeasible"] += key is None
    seen["eviction"] += key is not None and any(key[5 : 5 + len(decision.tiers)])


def chunks(first: int, number: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(first, first + number, size)]


def name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 20), ids=name)
def test_whole_clusters(seeds: range, seen: Counter[str]) -> None:
    for seed in seeds:
        check(seed, large_instance(seed), seen)
    assert seen["dear nodes"] >= 3
    assert seen["dear slots"] >= 3
    assert 1 <= seen["infeasible"] <= len(seeds) * 0.6
    assert seen["eviction"] >= 4


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 20), ids=name)
def test_many_more_whole_clusters(seeds: range, seen: Counter[str]) -> None:
    for seed in seeds:
        check(seed, large_instance(seed), seen)


def small_clusters(seeds: range, seen: Counter[str]) -> None:
    for seed in seeds:
        check(seed, large_instance(seed, 6, 20, emptiness=Random(seed).choice([0.0, 0.3, 0.6])), seen)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("seeds", chunks(0, 300, 150), ids=name)
def test_small_clusters_with_copies(seeds: range, seen: Counter[str]) -> None:
    small_clusters(seeds, seen)
    assert seen["copies"] >= 15
    assert seen["dear nodes"] >= 15
    assert seen["infeasible"] >= 15
    assert seen["eviction"] >= 15


@pytest.mark.long
@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("seeds", chunks(300, 3_000, 300), ids=name)
def test_many_more_small_clusters_with_copies(seeds: range, seen: Counter[str]) -> None:
    small_clusters(seeds, seen)


def against_the_brute_force(seeds: range) -> int:
    """Tiny gangs anywhere in a cluster against every plan there is; how many were compared."""
    compared = 0
    for seed in seeds:
        rng = Random(seed)
        rules = frozenset({"wide", "gang"}) | frozenset(rng.sample(RULES, rng.choice([2, 4, 5])))
        instance = random_instance(rng, rules)
        gang = instance.request.affinity.gang
        if instance.request.pods > 1 and instance.request.gpus and (gang is None or gang.island == CLUSTER):
            plan = solve_preemption(instance, time_limit=60.0)
            assert differences(instance, plan, solve(instance)) == [], f"seed {seed}"
            compared += 1
    return compared


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("seeds", chunks(0, 1_000, 500), ids=name)
def test_tiny_clusters_against_the_brute_force(seeds: range, seen: Counter[str]) -> None:
    assert against_the_brute_force(seeds) >= 150
    assert seen["dear nodes"] >= 15
    assert seen["dear slots"] >= 15


@pytest.mark.long
@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("seeds", chunks(1_000, 10_000, 500), ids=name)
def test_many_more_tiny_clusters_against_the_brute_force(seeds: range) -> None:
    assert against_the_brute_force(seeds) >= 150
