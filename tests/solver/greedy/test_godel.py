"""Gödel: strict budgets, its own name order, and the count of victims alone."""

from __future__ import annotations

from counted import counted

from topreempt.solver.greedy.godel import godel_standard
from topreempt.solver.greedy.survey import situation_of

LOWEST = -(2**31)


def test_the_count_of_victims_decides_where_the_shifted_sums_are_equal() -> None:
    # -2^31 adds nothing to the sum, so both nodes sum to 50 + 2^31; n2 has one victim fewer, n1 the later start.
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 50, "running_seconds": 1},
        "b": {"on": "n1", "cpus": 1, "priority": LOWEST},
        "c": {"on": "n2", "cpus": 2, "priority": 50, "running_seconds": 9},
    }
    assert godel_standard(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2))).nodes == ("n2",)


def test_budgets_are_spent_from_the_least_important_and_never_broken() -> None:
    jobs = {
        "p1": {"on": "n", "cpus": 1, "priority": 1, "budget": "one"},
        "p2": {"on": "n", "cpus": 1, "priority": 2, "budget": "one"},
        "p3": {"on": "n", "cpus": 1, "priority": 3},
    }
    budgets = [{"name": "one", "max_evictions": 1}]
    for mode in ("hard", "soft"):
        decide = lambda ask, mode=mode: godel_standard(  # noqa: E731
            situation_of(counted({"n": 3}, jobs, ask, budgets=budgets, policy={"budgets": mode}))
        )
        assert set(decide(1).evicted) == {"p1"}
        assert set(decide(2).evicted) == {"p1", "p3"}
        assert decide(3).gave_up is not None


def test_of_equals_the_smaller_name_is_the_less_important() -> None:
    jobs = {name: {"on": "n", "cpus": 1} for name in ("a", "ab", "b")}
    assert set(godel_standard(situation_of(counted({"n": 3}, jobs, 2))).evicted) == {"a", "ab"}
