"""Sums, ratios with intervals, and what they are taken over."""

from __future__ import annotations

import pytest

from topreempt.solver.compare import Outcome, rows_of
from topreempt.solver.compare.bootstrap import ratio


def outcome(case: int, policy: str, work: float, **fields: object) -> Outcome:
    said = {
        "case": case, "instance": f"i{case}", "policy": policy, "status": "feasible", "admitted": True, "hit": True,
        "granted": {"pod": "numa"}, "one_socket": None, "weighted_work": work, "price": 0.0, "lost_gpu_seconds": work,
        "evicted_pods": 1, "budget_violations": 0, "gangs_broken": 0, "protected_evicted": 0, "idle_gpus": 0.0,
        "seconds": 0.25,
    }  # fmt: skip
    return Outcome.parse(said | fields)


def test_ratio_of_sums_with_its_interval() -> None:
    value, low, high = ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) or (0, 0, 0)
    assert (value, low, high) == (2.0, 2.0, 2.0)
    value, low, high = ratio([10.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]) or (0, 0, 0)
    assert value == 3.25
    assert 1.0 <= low < value < high <= 10.0


def test_the_same_seed_gives_the_same_interval() -> None:
    above, below = [float(i * i) for i in range(9)], [float(i) for i in range(9)]
    assert ratio(above, below) == ratio(above, below)
    assert ratio(above, below, seed=1) != ratio(above, below)


@pytest.mark.parametrize("below", [[], [0.0, 0.0]])
def test_no_ratio_over_nothing(below: list[float]) -> None:
    assert ratio([1.0] * len(below), below) is None


def test_a_row_adds_up_what_was_found() -> None:
    outcomes = [
        outcome(0, "a", 6.0),
        outcome(0, "exact", 3.0, status="optimal"),
        outcome(1, "a", 1.0, admitted=False, hit=False),
        outcome(1, "exact", 5.0, status="optimal"),
        outcome(2, "a", 0.0, status="unknown", admitted=False, hit=False, evicted_pods=0),
        outcome(2, "exact", 7.0, status="optimal"),
    ]
    row, best = rows_of(outcomes, ["a", "exact"])
    assert (row.instances, row.plans, row.admitted, row.in_vain, row.refused, row.hits) == (3, 2, 1, 1, 1, 1)
    assert (row.weighted_work, row.like, row.ratio) == (7.0, 1, 2.0)
    assert (best.plans, best.ratio, best.victims) == (3, 1.0, 3)


def test_order_of_outcomes_does_not_matter() -> None:
    outcomes = [outcome(n, policy, 1.0 + n) for n in range(5) for policy in ("a", "exact")]
    assert rows_of(outcomes[::-1], ["a", "exact"]) == rows_of(outcomes, ["a", "exact"])


def test_without_the_exact_engine_there_is_no_ratio() -> None:
    assert rows_of([outcome(0, "a", 1.0)], ["a"])[0].ratio is None
