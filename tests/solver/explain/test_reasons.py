"""What blocks a request, from counts: the reported decisions, groups of like places, and ladders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from builders import drawn
from probing import decision_of, infeasible, solvable

from topreempt.models import Instance, Plan
from topreempt.solver import solve_preemption
from topreempt.solver.exact.relax import Verdict
from topreempt.solver.explain import reasons_of

CASES = Path(__file__).parents[2] / "cases" / "decisions"

BUDGET = "held by jobs whose budget allows too few evictions"

NAMED: dict[str, list[tuple[str, str, str]]] = {
    "a01a": [("every node (4)", "equal-or-higher-priority", "6 of 8 slots are held by priority 100 or more")],
    "a08a": [("node n1", "resource-short", "200 cpus asked, at most 128 of 128 can be free")],
    "d01b": [
        ("node n1", "budget-spent", f"1 of 2 slots is {BUDGET}: low (budget L allows 0)"),
        ("node n2", "budget-spent", f"2 of 2 slots are {BUDGET}: mid (budget M allows 0)"),
    ],
    "d03a": [("node n1", "equal-or-higher-priority", "3 of 3 slots are held by priority 0 or more: r0, r1, r2")],
    "e01a": [("every node (3)", "gpu-model", "4 of 4 slots are not of model mi355")],
    "e02b": [("node n1", "offline-slot", "1 of 2 slots is offline; 1 can be free, a pod needs 2")],
    "e07c": [("node n1", "gpu-model", "1 of 2 slots is not of model T4; 1 can be free, a pod needs 2")],
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(NAMED))
def test_reported_decisions_say_why(case: str) -> None:
    data: dict[str, Any] = yaml.safe_load((CASES / f"{case}.yaml").read_text())
    plan = solve_preemption(Instance.parse(data["instance"]))
    assert plan.status == "infeasible"
    assert [(reason.scope, str(reason.code)) for reason in plan.reasons] == [(s, c) for s, c, _ in NAMED[case]]
    assert all(reason.text.startswith(text) for reason, (_, _, text) in zip(plan.reasons, NAMED[case], strict=True))


def test_all_infeasible_decisions_are_named() -> None:
    files = {path.stem: yaml.safe_load(path.read_text()) for path in CASES.glob("*.yaml")}
    assert {name for name, data in files.items() if data["expect"]["status"] == "infeasible"} == set(NAMED)


def test_every_infeasible_plan_has_reasons_and_no_other_without_a_refused_rung() -> None:
    for _, instance in infeasible(range(300)):
        assert solve_preemption(instance).reasons
    for _, instance in solvable(range(300)):
        plan = solve_preemption(instance)
        assert bool(plan.reasons) <= any(rung.granted != rung.asked for rung in plan.affinity.values())
        assert all(reason.rung is not None for reason in plan.reasons)


def told(plan: Plan) -> list[tuple[str, str, int | None]]:
    return [(reason.scope, str(reason.code), reason.missing_slots) for reason in plan.reasons]


def test_nearest_places_come_first_and_hopeless_ones_last() -> None:
    # n2 is 1 slot short, n1 and n4 are 3 short for the same reason, n3 is too small.
    instance = drawn({"n1": "aaa.", "n2": "b...", "n3": "...", "n4": "ccc."}, {"a": 200, "b": 300, "c": 400}, request=4)
    assert told(solve_preemption(instance)) == [
        ("node n2", "equal-or-higher-priority", 1),
        ("node n1 and 1 more", "equal-or-higher-priority", 3),
        ("node n3", "too-small", 1),
    ]


def test_numbers_of_a_group_are_a_span() -> None:
    (reason,) = solve_preemption(drawn({"n1": "aa..", "n2": "bbb.."}, {"a": 200, "b": 300}, request=3)).reasons
    assert reason.places == 2
    assert reason.text == (
        "2 to 3 of 4 to 5 slots are held by priority 100 or more: a, b; 2 can be free, a pod needs 3"
    )


def test_many_kinds_of_places_are_told_as_three_and_the_rest() -> None:
    nodes = {f"n{short}": "a" * short + "." * (9 - short) for short in range(1, 9)}
    plan = solve_preemption(drawn(nodes, {"a": 200}, request=9))
    assert [(reason.scope, reason.places) for reason in plan.reasons] == [
        ("node n1", 1), ("node n2", 1), ("node n3", 1), ("node n4 and 4 more", 5)
    ]  # fmt: skip
    assert plan.reasons[-1].text.startswith("4 to 8 of 9 slots are held")


def test_tighter_rungs_say_why_they_were_not_granted() -> None:
    request = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    plan = solve_preemption(drawn({"n": "a.|.b"}, {"a": 200, "b": 300}, request=request))
    assert plan.affinity["pod"].granted == "node"
    (reason,) = plan.reasons
    assert (reason.rung, reason.scope, str(reason.code)) == ("pod: numa", "every numa (2)", "equal-or-higher-priority")


def test_gang_rungs_above_the_granted_one() -> None:
    request = {"gpus": 2, "pods": 2, "gang": {"island": "rack", "mode": "best-effort"}}
    instance = drawn(
        {"n1": "..", "n2": "a.", "n3": ".."}, {"a": 200}, request=request, levels=["rack", "node"],
        within={"n1": {"rack": "r1"}, "n2": {"rack": "r1"}, "n3": {"rack": "r2"}},
    )  # fmt: skip
    plan = solve_preemption(instance)
    assert [(reason.rung, reason.scope, str(reason.code)) for reason in plan.reasons] == [
        ("gang: rack", "rack r1", "too-few-pods"),
        ("gang: rack", "rack r1", "equal-or-higher-priority"),
        ("gang: rack", "rack r2", "too-small"),
    ]
    assert plan.reasons[0].missing_pods == 1


def test_nothing_is_claimed_where_nothing_is_proved() -> None:
    decision = decision_of(drawn({"n": "a"}, {"a": 200}, request=1))
    assert reasons_of(decision, Verdict(None, False, None, ())) == ()


def test_a_cluster_without_slots() -> None:
    (reason,) = solve_preemption(drawn({"n": ""}, request=1)).reasons
    assert (reason.scope, str(reason.code), reason.text) == ("cluster", "too-small", "0 slots, a pod needs 1")


def test_cpu_only_requests() -> None:
    instance = drawn(
        {"n1": "", "n2": ""}, request={"gpus": 0, "pods": 3, "resources": {"cpus": 4}},
        node_fields={"n1": {"resources": {"cpus": 7}}, "n2": {"resources": {"cpus": 5}}},
    )  # fmt: skip
    plan = solve_preemption(instance)
    assert [(str(reason.code), reason.text) for reason in plan.reasons] == [
        ("too-few-pods", "at most 2 of 3 pods fit, 1 too few"),
        ("resource-short", "cpus: too few on 2 of 2 nodes for all pods that would fit otherwise"),
    ]
