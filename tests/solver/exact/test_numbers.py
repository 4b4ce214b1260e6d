"""Costs and prices of many digits: the last step still counts, and no sum of a model overflows."""

from __future__ import annotations

from random import Random

import pytest
from builders import drawn
from large import large_instance
from oracle.agreement import cost_of, differences
from oracle.brute import solve
from unreduced import best_key, decided, decision_of

from topreempt.models import Instance
from topreempt.solver import solve_preemption
from topreempt.solver.exact.search import key_of

TINY = {"priority": 1, "lost_gpu_seconds": 0.000001}
"""A job whose loss makes the step of all costs one millionth."""


def nearly_equal_costs(seed: int, size: float) -> Instance:
    """Jobs that lose about the same, to a millionth, on three nodes."""
    rng = Random(seed)
    letters = "abcdefgh"[: rng.choice([3, 5, 8])]
    nodes = {f"n{number}": "".join(rng.sample(letters + ".", 2)) + "z" for number in range(3)}
    jobs = {
        letter: {"priority": 997, "lost_gpu_seconds": rng.choice([1, 3, 5]) * size + rng.randint(0, 9) * 1e-6}
        for letter in letters
        if any(letter in text for text in nodes.values())
    }
    return drawn(nodes, jobs | {"z": TINY}, {"gpus": 2, "pods": 2, "priority": 1000})


@pytest.mark.parametrize("size", [1e4, 1e6, 1e7])
def test_the_last_step_of_a_great_cost_counts(size: float) -> None:
    for seed in range(330, 400):
        instance = nearly_equal_costs(seed, size)
        assert differences(instance, solve_preemption(instance), solve(instance)) == [], f"seed {seed}"


def test_fifteen_digits_count_where_costs_have_more() -> None:
    for seed in range(330, 400):
        instance = nearly_equal_costs(seed, 3e9)
        plan, answer = solve_preemption(instance), solve(instance)
        assert plan.status == answer.status
        if answer.status == "optimal":
            assert cost_of(instance, plan) == pytest.approx(answer.cost, rel=1e-12), f"seed {seed}"


def test_tiers_before_many_lesser_objectives() -> None:
    """Once packed into a sum of 1.27e16, where the solver took 8 broken islands for the least; 5 are."""
    decision = decision_of(large_instance(1013, 6, 20, emptiness=Random(1013).choice([0.0, 0.3, 0.6])))
    verdict = decided(decision)
    assert verdict.found is not None and verdict.found.solution is not None
    best = best_key(decision)
    assert best is not None
    assert key_of(decision, verdict.found.solution) == best[3:]


def wide(policy: dict[str, str], **request: object) -> Instance:
    """Forty nodes of eight slots that somebody holds, one by one, in two islands each."""
    letters = "abcdefgh"
    nodes = {f"n{number:02}": letters[:4] + "|" + letters[4:] for number in range(40)}
    jobs = {
        letter: {"priority": 9, "unsaved_seconds": 1e5 + number * 1e-6, "min_available": 0}
        for number, letter in enumerate(letters)
    }
    return drawn(nodes, jobs, {"gpus": 1, "pods": 12, **request}, policy=policy)


def test_pods_not_placed_times_a_great_cost_do_not_overflow() -> None:
    plan = solve_preemption(wide({"extra_pods": "evict"}, min_pods=1), time_limit=60.0)
    assert plan.status == "optimal"
    assert len(plan.placements) == 12
    assert plan.cost.evicted_pods == 12


def test_prices_times_all_cells_do_not_overflow() -> None:
    prices = {"numa": 3e8 + 0.000001, "node": 1e8}
    scope = {"island": "numa", "mode": "best-effort", "ladder": ["numa", "node"], "prices": prices}
    plan = solve_preemption(wide({"relaxation": "priced"}, pod=scope), time_limit=60.0)
    assert plan.status == "optimal"
    assert plan.cost.price == 12e8
