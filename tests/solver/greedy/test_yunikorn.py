"""YuniKorn: newest first, head and tail, index of the first fit, and the check that ignores free room."""

from __future__ import annotations

from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.oracle import Oracle
from topreempt.solver.greedy.survey import situation_of
from topreempt.solver.greedy.yunikorn import first_fit, yunikorn_node


def listed(instance: Instance) -> list[str]:
    situation = situation_of(instance)
    found = first_fit(Oracle(situation), situation.hosts["n1"], set(), 0)
    return [pod.name for pod in found or ()]


def test_what_does_not_shrink_the_shortfall_goes_to_the_tail() -> None:
    jobs = {
        "newest": {"on": "n1", "resources": {"memory": 1}, "running_seconds": 1},
        "middle": {"on": "n1", "cpus": 1, "running_seconds": 2},
        "oldest": {"on": "n1", "cpus": 1, "running_seconds": 3},
    }
    instance = counted({"n1": {"cpus": 2, "memory": 9}}, jobs, {"resources": {"cpus": 2, "memory": 1}})
    assert listed(instance) == ["middle", "oldest"]


def test_the_node_with_the_lowest_index_wins_whatever_its_priorities() -> None:
    jobs = {
        "a": {"on": "n1", "cpus": 1, "priority": 1, "running_seconds": 1},
        "b": {"on": "n1", "cpus": 1, "priority": 1, "running_seconds": 2},
        "c": {"on": "n2", "cpus": 2, "priority": 99, "running_seconds": 9},
    }
    decision = yunikorn_node(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2)))
    assert (decision.nodes, set(decision.evicted)) == (("n2",), {"c"})


def test_ties_go_to_the_name_and_room_beats_everything() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1}, "b": {"on": "n2", "cpus": 1}}
    assert yunikorn_node(situation_of(counted({"n1": 1, "n2": 1}, jobs, 1))).nodes == ("n1",)
    assert yunikorn_node(situation_of(counted({"n1": 1, "n2": 1, "n3": 1}, jobs, 1))).nodes == ("n3",)


def test_free_room_does_not_count_in_the_last_check() -> None:
    jobs = {"a": {"on": "n1", "cpus": 4}}
    assert yunikorn_node(situation_of(counted({"n1": 5}, jobs, 5))).gave_up is not None
    assert set(yunikorn_node(situation_of(counted({"n1": 5}, jobs, 4))).evicted) == {"a"}
