"""DefaultPreemption: who is reprieved, and which node is chosen, step by step."""

from __future__ import annotations

import pytest
from builders import drawn
from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.k8s_default import k8s_default, k8s_default_filtered
from topreempt.solver.greedy.registry import policies
from topreempt.solver.greedy.survey import situation_of


def victims(instance: Instance, rule=k8s_default) -> set[str]:
    return set(rule(situation_of(instance)).evicted)


def test_four_small_pods_die_where_one_large_would_do() -> None:
    # All of priority 8 on 8 GPUs; the oldest holds 4, so it is reprieved first; the four young ones go for 4 GPUs.
    ages = {"a": 400, "b": 40, "c": 30, "d": 20, "e": 10}
    jobs = {name: {"priority": 8, "running_seconds": age} for name, age in ages.items()}
    assert victims(drawn({"n1": "aaaabcde"}, jobs, 4)) == {"b@n1", "c@n1", "d@n1", "e@n1"}


def test_reprieve_goes_by_priority_then_start_then_name() -> None:
    jobs = {
        "low": {"on": "n1", "cpus": 1, "priority": 1, "running_seconds": 99},
        "old": {"on": "n1", "cpus": 1, "priority": 5, "running_seconds": 50},
        "young": {"on": "n1", "cpus": 1, "priority": 5, "running_seconds": 10},
        "zoung": {"on": "n1", "cpus": 1, "priority": 5, "running_seconds": 10},
    }
    for ask, gone in ((1, {"low"}), (2, {"low", "zoung"}), (3, {"low", "zoung", "young"})):
        assert victims(counted({"n1": 4}, jobs, ask)) == gone


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        # 1: fewer budget violations win over a lower top priority.
        ([(1, 9, "spent")], [(50, 9, None)], "n2"),
        # 2: the lowest top priority wins over fewer victims.
        ([(50, 9, None)], [(20, 9, None), (20, 9, None)], "n2"),
        # 3: equal top priority: the lowest sum.
        ([(50, 9, None), (30, 9, None)], [(50, 9, None), (20, 9, None)], "n2"),
        # 3 counts pods through the shift by 2^31: two victims of 50 and -100 sum to more than one of 50.
        ([(50, 9, None), (-100, 9, None)], [(50, 9, None)], "n2"),
        # 4: fewest victims decides alone only where a priority of -2^31 adds nothing to the sum.
        ([(50, 9, None), (-(2**31), 9, None)], [(50, 9, None)], "n2"),
        # 5: the latest start of the earliest started of top priority; the age of lesser victims does not matter.
        ([(50, 9, None), (1, 1, None)], [(50, 8, None), (1, 99, None)], "n2"),
        # 6: all equal: the name.
        ([(50, 9, None)], [(50, 9, None)], "n1"),
    ],
)
def test_the_node_is_chosen_step_by_step(first, second, chosen) -> None:
    jobs = {}
    for node, pods in (("n1", first), ("n2", second)):
        for number, (priority, age, budget) in enumerate(pods):
            cpus = 6 / len(pods)
            jobs[f"{node}-{number}"] = {
                "on": node, "cpus": cpus, "priority": priority, "running_seconds": age, "budget": budget
            }  # fmt: skip
    instance = counted(
        {"n1": 6, "n2": 6}, jobs, 6, budgets=[{"name": "spent", "max_evictions": 0}], policy={"budgets": "soft"}
    )
    assert k8s_default(situation_of(instance)).nodes == (chosen,)


def test_no_eviction_where_a_node_has_room() -> None:
    instance = counted({"n1": 2, "n2": 2}, {"a": {"on": "n1", "cpus": 2}}, 2)
    assert k8s_default(situation_of(instance)).nodes == ("n2",)
    assert victims(instance) == set()


def test_counts_alone_evict_for_nothing_and_the_filter_does_not() -> None:
    # Two GPUs of one domain are asked for. One is free in each; by counts nobody need go, and the kubelet refuses.
    instance = drawn({"n1": "a.|b."}, {"a": 5, "b": 3}, {"gpus": 2, "pod": "numa"})
    blind, seeing = policies()["k8s-default"](instance), policies()["k8s-default-filtered"](instance)
    assert (blind.status, blind.admitted, len(blind.victims)) == ("feasible", False, 0)
    assert (seeing.admitted, seeing.evicted) == (True, {"b@n1"})


def test_victims_on_the_wrong_domain_die_for_nothing() -> None:
    # The lesser of two goes by counts, but its GPU completes no pair.
    instance = drawn({"n1": "a.|bc"}, {"a": 5, "b": 1, "c": 7}, {"gpus": 2, "pod": "numa"})
    plan = policies()["k8s-default"](instance)
    assert (plan.evicted, plan.admitted) == ({"b@n1"}, False)
    assert plan.reasons[0].code == "refused-after-eviction"
    assert victims(instance, k8s_default_filtered) == {"a@n1"}


def test_a_gang_is_broken_pod_by_pod_and_loses_all_its_work() -> None:
    instance = drawn({"n1": "aa", "n2": "aa"}, {"a": {"priority": 2, "unsaved_seconds": 10}}, 2)
    plan = policies()["k8s-default"](instance)
    assert [(victim.pods, victim.lost_gpu_seconds) for victim in plan.victims] == [(("a@n1",), 40.0)]
    assert (plan.cost.evicted_pods, plan.cost.weighted_work) == (1, 80.0)


def test_pods_that_find_no_node_wait_though_others_evicted() -> None:
    instance = counted({"n1": 2}, {"a": {"on": "n1", "cpus": 2}}, {"cpus": 2, "pods": 2})
    plan = policies()["k8s-default"](instance)
    assert (plan.status, plan.admitted, plan.evicted) == ("feasible", False, {"a"})
    assert "only 1 pods" in plan.reasons[0].text
