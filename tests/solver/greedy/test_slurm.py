"""Slurm: remove one by one, reorder once, keep only who overlaps the chosen nodes."""

from __future__ import annotations

from counted import counted

from topreempt.solver.greedy.slurm import slurm_cons_tres
from topreempt.solver.greedy.survey import situation_of


def test_the_last_one_first_then_the_others_are_not_needed() -> None:
    # a, then b, then c (large) are removed; with c first nobody else is needed.
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 1},
        "b": {"on": "n1", "cpus": 1, "priority": 2},
        "c": {"on": "n1", "cpus": 4, "priority": 3},
    }
    assert set(slurm_cons_tres(situation_of(counted({"n1": 6}, jobs, 4))).evicted) == {"c"}


def test_jobs_elsewhere_are_spared() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "priority": 1}, "b": {"on": "n2", "cpus": 2, "priority": 2}}
    decision = slurm_cons_tres(situation_of(counted({"n1": 1, "n2": 2}, jobs, 2)))
    assert (decision.nodes, set(decision.evicted)) == (("n2",), {"b"})


def test_of_equal_priority_the_job_on_fewer_nodes_goes_first() -> None:
    jobs = {"wide": {"pods": [("n1", 1), ("n2", 1)]}, "small": {"on": "n2", "cpus": 1}}
    instance = counted({"n1": 1, "n2": 2}, jobs, 1)
    assert set(slurm_cons_tres(situation_of(instance)).evicted) == {"small"}


def test_nobody_goes_where_there_is_room() -> None:
    decision = slurm_cons_tres(situation_of(counted({"n1": 1}, {}, 1)))
    assert (decision.nodes, decision.evicted) == (("n1",), {})
