"""KAI: how victims accumulate, which scenarios are tried, and what re-placing gives back."""

from __future__ import annotations

from builders import drawn
from counted import counted

from topreempt.solver.greedy.kai import kai_generators
from topreempt.solver.greedy.survey import situation_of


def test_elastic_pods_above_the_minimum_go_before_younger_jobs_of_the_same_priority() -> None:
    jobs = {
        "elastic": {"pods": [("n1", 1), ("n1", 1)], "min_available": 1, "running_seconds": 99},
        "young": {"on": "n1", "cpus": 1, "running_seconds": 1},
    }
    assert set(kai_generators(situation_of(counted({"n1": 3}, jobs, 1))).evicted) == {"elastic-1"}


def test_of_rigid_jobs_the_youngest_goes() -> None:
    jobs = {name: {"on": "n1", "cpus": 1, "running_seconds": age} for name, age in (("a", 5), ("b", 3), ("c", 9))}
    assert set(kai_generators(situation_of(counted({"n1": 3}, jobs, 1))).evicted) == {"b"}


def test_a_victim_that_still_fits_where_it_was_stays() -> None:
    # Half-GPU jobs are accumulated on the way to the whole one; they come back.
    instance = drawn({"n1": "ab"}, {"a": {"running_seconds": 1}, "b": {"running_seconds": 9}}, 1)
    halves = {"name": "half", "priority": 1, "running_seconds": 0, "unsaved_seconds": 1}
    pods = [{"name": "half-0", "node": "n2", "slots": [0], "share": 0.5}]
    data = instance.model_dump(mode="json", exclude_defaults=True)
    data["cluster"]["nodes"].append({"name": "n2", "gpus": 1})
    data["jobs"].append({**halves, "pods": pods})
    decision = kai_generators(situation_of(type(instance).parse(data)))
    assert set(decision.evicted) == {"half-0"}  # alone on its node, so that node is the first valid scenario
    assert decision.nodes == ("n2",)


def test_a_victim_is_moved_where_another_node_has_room() -> None:
    jobs = {"a": {"on": "n1", "cpus": 2}, "b": {"on": "n1", "cpus": 2, "preemptible": False}}
    decision = kai_generators(situation_of(counted({"n1": 4, "n2": 2}, jobs, {"cpus": 2})))
    assert decision.evicted == {}  # n2 has room: nobody goes
    decision = kai_generators(situation_of(counted({"n1": 5, "n2": 2}, jobs, {"cpus": 3})))
    assert (decision.nodes, decision.moved) == (("n1",), {"a": "n2"})


def test_only_preemptible_requests_consolidate() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "priority": 50}, "b": {"on": "n2", "cpus": 1, "priority": 50}}
    for priority, moves in ((50, True), (99, True), (100, False)):
        situation = situation_of(counted({"n1": 2, "n2": 2}, jobs, {"cpus": 2, "priority": priority}))
        decision = kai_generators(situation, preempt=False)
        assert bool(decision.moved) == moves


def test_a_gang_that_needs_every_node_is_found_by_the_multi_node_scenarios() -> None:
    nodes = {f"n{number}": "ab" for number in range(3)}
    text = {name: f"{chr(97 + 2 * i)}{chr(98 + 2 * i)}" for i, name in enumerate(nodes)}
    letters = dict.fromkeys("".join(text.values()), 1)
    decision = kai_generators(situation_of(drawn(text, letters, {"gpus": 2, "pods": 3})))
    assert len(decision.evicted) == 6
    assert sorted(decision.nodes) == sorted(nodes)


def test_hard_budgets_invalidate_a_scenario() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "budget": "none"}, "b": {"on": "n2", "cpus": 1, "priority": 9}}
    budgets = [{"name": "none", "max_evictions": 0}]
    situation = situation_of(counted({"n1": 1, "n2": 1}, jobs, 1, budgets=budgets))
    assert set(kai_generators(situation).evicted) == {"b"}


def test_slices_are_served_whole() -> None:
    request = {"gpus": 1, "pods": 2, "slice": {"island": "node", "size": 2}}
    decision = kai_generators(situation_of(drawn({"n1": "ab"}, {"a": 1, "b": 1}, request)))
    assert decision.nodes == ("n1", "n1")
