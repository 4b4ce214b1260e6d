"""DCM: the most priority is kept, whatever work is lost."""

from __future__ import annotations

from counted import counted

from topreempt.solver.greedy.dcm import dcm_cpsat
from topreempt.solver.greedy.survey import situation_of


def test_one_of_higher_priority_goes_rather_than_two_that_sum_to_more() -> None:
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 6},
        "b": {"on": "n1", "cpus": 1, "priority": 6},
        "c": {"on": "n2", "cpus": 2, "priority": 10, "lost": 999},
    }
    decision = dcm_cpsat(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2)))
    assert (decision.nodes, set(decision.evicted)) == (("n2",), {"c"})


def test_ties_keep_more_pods() -> None:
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 5},
        "b": {"on": "n1", "cpus": 1, "priority": 5},
        "c": {"on": "n2", "cpus": 2, "priority": 10},
    }
    assert set(dcm_cpsat(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2))).evicted) == {"c"}


def test_pods_without_priority_are_kept_all_the_same() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "priority": -5}, "b": {"on": "n1", "cpus": 1, "priority": 0}}
    assert len(dcm_cpsat(situation_of(counted({"n1": 3}, jobs, 2))).evicted) == 1


def test_it_gives_up_where_counts_never_fit() -> None:
    assert dcm_cpsat(situation_of(counted({"n1": 1}, {}, 2))).gave_up is not None
