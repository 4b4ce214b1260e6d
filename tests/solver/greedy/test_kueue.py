"""Kueue: candidates, their order, filling back, and partial admission."""

from __future__ import annotations

from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.kueue import kueue_classical
from topreempt.solver.greedy.survey import situation_of


def decide(instance: Instance) -> tuple[set[str], tuple[str, ...]]:
    decision = kueue_classical(situation_of(instance))
    return set(decision.evicted), decision.nodes


def test_what_was_taken_is_filled_back_from_the_last_but_one() -> None:
    # Removed a, b, c (1 + 1 + 3 cores) for 4. c, the last, always stays a victim; one of a, b can come back: b does.
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 1},
        "b": {"on": "n1", "cpus": 1, "priority": 2},
        "c": {"on": "n1", "cpus": 3, "priority": 3},
    }
    assert decide(counted({"n1": 5}, jobs, 4))[0] == {"a", "c"}


def test_only_users_of_the_short_resource_are_candidates() -> None:
    # Memory is short; the workload that holds cores only is spared though it would go first.
    jobs = {
        "cores": {"on": "n1", "resources": {"cpus": 1}, "priority": 1},
        "both": {"on": "n1", "resources": {"cpus": 1, "memory": 2}, "priority": 5},
    }
    instance = counted({"n1": {"cpus": 4, "memory": 2}}, jobs, {"resources": {"cpus": 1, "memory": 1}})
    assert decide(instance)[0] == {"both"}


def test_where_only_the_topology_fails_every_user_is_a_candidate() -> None:
    # Quota is left (one core on each of two nodes), yet two cores fit on no node: then cores count as short.
    jobs = {"a": {"on": "n1", "cpus": 1, "priority": 2}, "b": {"on": "n2", "cpus": 1, "priority": 1}}
    assert decide(counted({"n1": 2, "n2": 2}, jobs, 2)) == ({"b"}, ("n2",))


def test_lower_priority_then_newest_then_name() -> None:
    jobs = {
        "low": {"on": "n1", "cpus": 1, "priority": 1, "running_seconds": 9},
        "new": {"on": "n1", "cpus": 1, "priority": 2, "running_seconds": 1},
        "knew": {"on": "n1", "cpus": 1, "priority": 2, "running_seconds": 1},
        "old": {"on": "n1", "cpus": 1, "priority": 2, "running_seconds": 9},
    }
    for ask, gone in ((1, {"low"}), (2, {"low", "knew"}), (3, {"low", "knew", "new"})):
        assert decide(counted({"n1": 4}, jobs, ask))[0] == gone


def test_fewer_pods_only_where_the_full_number_fails() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1}, "fixed": {"on": "n1", "cpus": 1, "preemptible": False}}
    gone, nodes = decide(counted({"n1": 2}, jobs, {"cpus": 1, "pods": 2, "min_pods": 1}))
    assert (gone, nodes) == ({"a"}, ("n1",))


def test_whole_workloads_go_even_elastic_ones() -> None:
    jobs = {"elastic": {"pods": [("n1", 1), ("n1", 1)], "min_available": 0}}
    assert decide(counted({"n1": 2}, jobs, 1))[0] == {"elastic-0", "elastic-1"}
