"""The naive rule: ascending priority, gangs whole, nothing given back."""

from __future__ import annotations

from builders import drawn
from counted import counted

from topreempt.solver.greedy.lowest_first import lowest_first
from topreempt.solver.greedy.survey import situation_of


def test_it_evicts_from_below_until_the_island_is_there() -> None:
    instance = drawn({"n1": "ab|cd"}, {"a": 4, "b": 1, "c": 2, "d": 3}, {"gpus": 2, "pod": "numa"})
    assert set(lowest_first(situation_of(instance)).evicted) == {"b@n1", "c@n1", "d@n1"}


def test_gangs_are_kept_whole_and_elastic_jobs_shrink_from_the_end() -> None:
    rigid = counted({"n1": 2}, {"a": {"pods": [("n1", 1), ("n1", 1)]}}, 1)
    elastic = counted({"n1": 2}, {"a": {"pods": [("n1", 1), ("n1", 1)], "min_available": 1}}, 1)
    assert set(lowest_first(situation_of(rigid)).evicted) == {"a-0", "a-1"}
    assert set(lowest_first(situation_of(elastic)).evicted) == {"a-1"}


def test_hard_budgets_hold_and_soft_ones_do_not_matter() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "budget": "none"}, "b": {"on": "n1", "cpus": 1, "priority": 2}}
    budgets = [{"name": "none", "max_evictions": 0}]
    for mode, gone in (("hard", {"b"}), ("soft", {"a"})):
        instance = counted({"n1": 2}, jobs, 1, budgets=budgets, policy={"budgets": mode})
        assert set(lowest_first(situation_of(instance)).evicted) == gone
