"""From a decision to a plan: what is admitted, what is refused, and what each costs."""

from __future__ import annotations

import pytest
from builders import drawn
from counted import counted

from topreempt.models.check import violations
from topreempt.solver.greedy.decision import Decision, given_up
from topreempt.solver.greedy.judge import judged
from topreempt.solver.greedy.registry import policies
from topreempt.solver.greedy.survey import situation_of


def test_the_kubelet_aligns_as_well_as_it_can_on_the_chosen_node() -> None:
    ladder = {"island": "numa", "mode": "best-effort"}
    situation = situation_of(drawn({"n1": "a.|..", "n2": ".a|.a"}, {"a": 500}, {"gpus": 2, "pod": ladder}))
    tight, loose = (judged(situation, "x", Decision((node,))) for node in ("n1", "n2"))
    assert (tight.affinity["pod"].granted, tight.placements[0].slots) == ("numa", (2, 3))
    assert (loose.affinity["pod"].granted, loose.placements[0].slots) == ("node", (0, 2))


def test_pods_of_one_node_do_not_share_slots() -> None:
    situation = situation_of(drawn({"n1": "..|.."}, {}, {"gpus": 2, "pods": 2, "pod": "numa"}))
    plan = judged(situation, "x", Decision(("n1", "n1")))
    assert sorted(placed.slots for placed in plan.placements) == [(0, 1), (2, 3)]


def test_slots_that_the_rule_itself_chose_are_kept() -> None:
    situation = situation_of(drawn({"n1": "....|."}, {}, {"gpus": 2, "pod": "numa"}))
    plan = judged(situation, "x", Decision(("n1",), slots=((1, 3),)))
    assert plan.placements[0].slots == (1, 3)
    crossing = judged(situation, "x", Decision(("n1",), slots=((1, 4),)))
    assert not crossing.admitted


def test_more_pods_than_a_node_admits_are_left_out_down_to_the_minimum() -> None:
    request = {"gpus": 2, "pods": 2, "min_pods": 1, "pod": "numa"}
    situation = situation_of(drawn({"n1": "..|.a|.a"}, {"a": 500}, request))
    plan = judged(situation, "x", Decision(("n1", "n1")))
    assert (plan.admitted, len(plan.placements)) == (True, 1)


def test_a_gang_on_two_racks_does_not_start_where_one_is_guaranteed() -> None:
    within = {"a": {"rack": "r1"}, "b": {"rack": "r2"}}
    for mode, starts in (("guaranteed", False), ("best-effort", True)):
        request = {"gpus": 1, "pods": 2, "gang": {"island": "rack", "mode": mode}}
        situation = situation_of(drawn({"a": ".", "b": "."}, {}, request, within=within, levels=["rack", "node"]))
        plan = judged(situation, "x", Decision(("a", "b")))
        assert plan.admitted == starts
        assert plan.affinity["gang"].granted == ("cluster" if starts else None)


def test_slices_and_gangs_below_the_node_are_aligned_too() -> None:
    request = {"gpus": 1, "pods": 2, "gang": "numa"}
    situation = situation_of(drawn({"n1": "a.|..", "n2": "a.|a."}, {"a": 500}, request))
    assert judged(situation, "x", Decision(("n1", "n1"))).admitted
    assert not judged(situation, "x", Decision(("n2", "n2"))).admitted
    sliced = {"gpus": 1, "pods": 4, "slice": {"island": "numa", "size": 2}}
    situation = situation_of(drawn({"n1": "..|..", "n2": "...|."}, {}, sliced))
    assert judged(situation, "x", Decision(("n1",) * 4)).admitted
    assert not judged(situation, "x", Decision(("n2",) * 4)).admitted


def test_who_gave_up_evicts_nobody() -> None:
    plan = judged(situation_of(drawn({"n1": "a"}, {"a": 1}, 1)), "x", given_up("no reason"))
    assert (plan.status, plan.admitted, plan.victims, plan.reasons[0].code) == ("unknown", False, (), "gave-up")
    assert plan.reasons[0].text == "no reason"


def test_displaced_reservations_and_terminating_pods_are_listed() -> None:
    held = [{"owner": "other", "priority": 1, "node": "n1", "slots": [0]}]
    jobs = {"t": {"state": "terminating", "grace_seconds": 30}}
    instance = drawn({"n1": ".t"}, jobs, 2, reservations=held)
    plan = judged(situation_of(instance), "x", Decision(("n1",)))
    assert (plan.displaces, plan.cost.displaced_reservations) == (("other",), 1)
    assert (plan.waits_for, plan.waits_seconds) == (("t@n1",), 30)
    assert violations(instance, plan) == []


def test_budgets_beyond_which_pods_go_are_counted() -> None:
    jobs = {name: {"on": "n1", "cpus": 1, "budget": "one"} for name in "ab"}
    for mode in ("soft", "hard"):
        instance = counted({"n1": 2}, jobs, 2, budgets=[{"name": "one", "max_evictions": 1}], policy={"budgets": mode})
        plan = policies()["k8s-default"](instance)
        assert (plan.admitted, plan.cost.budget_violations) == (True, 1)
        assert [str(found.rule) for found in violations(instance, plan)] == ["hard-budget"] * (mode == "hard")


@pytest.mark.parametrize("weights", ["value", "rank", "uniform", "tiered", {"table": {"5": 2, "7": 3}}])
def test_costs_are_weighted_as_the_instance_says(weights) -> None:
    jobs = {"a": {"on": "n1", "cpus": 1, "priority": 5}, "b": {"on": "n1", "cpus": 1, "priority": 7, "lost": 2}}
    instance = counted({"n1": 2}, jobs, 2, policy={"weights": weights})
    plan = policies()["lowest-first"](instance)
    assert violations(instance, plan) == []
    expected = {"value": 19, "rank": 5, "uniform": 3, "tiered": 3}
    assert plan.cost.weighted_work == (8 if isinstance(weights, dict) else expected[weights])
    assert [tier.priority for tier in plan.cost.tiers] == ([7, 5] if weights == "tiered" else [])


def test_priced_rungs_are_paid() -> None:
    asked = {"island": "numa", "mode": "best-effort", "prices": {"node": 7}}
    instance = drawn({"n1": "a.|.a"}, {"a": 500}, {"gpus": 2, "pod": asked}, policy={"relaxation": "priced"})
    plan = policies()["k8s-default"](instance)
    assert (plan.cost.price, violations(instance, plan)) == (7, [])
