"""Koordinator: nodes by the ranks of the jobs they would lose, then reprieve."""

from __future__ import annotations

from builders import drawn
from counted import counted

from topreempt.solver.greedy.koordinator import koordinator_job
from topreempt.solver.greedy.survey import situation_of


def test_a_node_costs_the_ranks_of_its_distinct_jobs() -> None:
    # Ranks 0, 1, 2 of priorities 1, 5, 9. n1: job of 9 = 2. n2: one job of 5 with two pods counts once = 1.
    jobs = {
        "nine": {"on": "n1", "cpus": 2, "priority": 9},
        "five": {"pods": [("n2", 1), ("n2", 1)], "priority": 5},
        "one": {"on": "n3", "cpus": 2, "priority": 1, "preemptible": False},
        "low": {"on": "n1", "cpus": 0, "priority": 1},
    }
    decision = koordinator_job(situation_of(counted({"n1": 2, "n2": 2, "n3": 2}, jobs, 2)))
    assert (decision.nodes, set(decision.evicted)) == (("n2",), {"five-0", "five-1"})


def test_a_free_node_does_not_beat_one_full_of_the_lowest_priority() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1}, "b": {"on": "n1", "cpus": 1}}
    decision = koordinator_job(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2)))
    assert (decision.nodes, set(decision.evicted)) == (("n1",), {"a", "b"})


def test_pods_that_the_gang_can_spare_are_reprieved_by_priority_job_and_name() -> None:
    jobs = {
        "high": {"on": "n1", "cpus": 1, "priority": 9},
        "a": {"on": "n1", "cpus": 1, "priority": 1},
        "b": {"on": "n1", "cpus": 1, "priority": 1},
    }
    assert set(koordinator_job(situation_of(counted({"n1": 3}, jobs, 1))).evicted) == {"b"}


def test_single_pods_of_a_gang_go_and_single_gpus_are_credited() -> None:
    instance = drawn({"n1": "ab|ac"}, {"a": 9, "b": 1, "c": 5}, {"gpus": 2, "pod": "numa"})
    # All lesser pods gone both domains serve; reprieve in order a, c, b keeps whom it can: a blocks both domains.
    assert set(koordinator_job(situation_of(instance)).evicted) == {"a@n1", "b@n1"}


def test_a_gathering_gang_takes_the_cheapest_domain() -> None:
    jobs = {"a": {"on": "a1", "cpus": 1, "priority": 5}, "b": {"on": "b1", "cpus": 1, "priority": 1}}
    request = {"cpus": 1, "pods": 2, "affinity": {"gang": {"island": "rack"}}}
    within = {"a1": {"rack": "a"}, "a2": {"rack": "a"}, "b1": {"rack": "b"}, "b2": {"rack": "b"}}
    nodes = dict.fromkeys(within, 1)
    instance = counted(nodes, jobs, request, within=within, levels=["rack", "node"])
    assert koordinator_job(situation_of(instance)).nodes == ("b1", "b2")
