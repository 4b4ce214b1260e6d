"""Workload-aware preemption: groups whole, one placement, reprieve in place."""

from __future__ import annotations

from builders import drawn
from counted import counted

from topreempt.solver.greedy.k8s_workload import k8s_workload
from topreempt.solver.greedy.survey import situation_of


def test_a_rigid_group_goes_whole_and_an_elastic_one_singly() -> None:
    rigid = drawn({"n1": "a", "n2": "a"}, {"a": 1}, 1)
    elastic = drawn({"n1": "a", "n2": "a"}, {"a": {"min_available": 2 - 1}}, 1)
    assert set(k8s_workload(situation_of(rigid)).evicted) == {"a@n1", "a@n2"}
    assert set(k8s_workload(situation_of(elastic)).evicted) == {"a@n1"}


def test_larger_groups_are_the_more_important_at_equal_priority() -> None:
    jobs = {
        "two": {"pods": [("n1", 1), ("n1", 1)], "running_seconds": 99},
        "three": {"pods": [("n1", 1), ("n1", 1), ("n1", 1)], "running_seconds": 1},
    }
    assert set(k8s_workload(situation_of(counted({"n1": 5}, jobs, 2))).evicted) == {"two-0", "two-1"}


def test_as_many_pods_as_lesser_work_makes_room_for() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1}, "b": {"on": "n1", "cpus": 1, "preemptible": False}}
    decision = k8s_workload(situation_of(counted({"n1": 3}, jobs, {"cpus": 1, "pods": 4, "min_pods": 1})))
    assert (len(decision.nodes), set(decision.evicted)) == (2, {"a"})


def test_the_domain_of_a_required_topology_is_the_fullest_that_suffices_whatever_it_costs() -> None:
    jobs = {"dear": {"on": "a1", "cpus": 1, "priority": 90}, "cheap": {"on": "b1", "cpus": 1, "priority": 1}}
    request = {"cpus": 1, "affinity": {"gang": {"island": "rack"}}}
    within = {"a1": {"rack": "a"}, "b1": {"rack": "b"}}
    instance = counted({"a1": 1, "b1": 2}, jobs, request, within=within, levels=["rack", "node"])
    # Rack b has a free core, rack a less room in all: the placement score knows only the room.
    assert set(k8s_workload(situation_of(instance)).evicted) == {"dear"}


def test_a_preferred_topology_is_not_known() -> None:
    request = {"gpus": 1, "pods": 2, "gang": {"island": "node", "mode": "best-effort"}}
    assert k8s_workload(situation_of(drawn({"n1": "a.", "n2": ".b"}, {"a": 1, "b": 1}, request))).evicted == {}
