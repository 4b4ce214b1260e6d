"""The schedulers' own test tables: every baseline decides as the scheduler it stands for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from topreempt.models import Instance
from topreempt.solver.greedy.registry import policies

FOLDER = Path(__file__).parents[2] / "cases" / "peers"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MISSES = {
    "kai-it-allocate-preempt-00": "KAI protects a minimum of each sub-group; the table's job has only their sum",
    "kai-it-allocate-preempt-01": "the same with nested sub-groups",
    "kai-it-allocate-preempt-02": "the same with two elastic sub-groups",
    "ksw-unit-04": "the upstream test's stand-in for the scheduler puts one pod on each node; the rule itself is free",
}
"""Documents that a baseline does not reproduce, and why."""

SHARE = 0.95


def documents() -> list[dict[str, Any]]:
    return [
        case for path in sorted(FOLDER.glob("*.yaml")) for case in yaml.load_all(path.read_text("utf-8"), Loader=LOADER)
    ]


def runs() -> list[tuple[dict[str, Any], str]]:
    known = policies()
    return [(case, name) for case in documents() for name in [case["policy"], *case.get("also", ())] if name in known]


def pods_of(instance: Instance, names: list[str]) -> set[str]:
    """A table names pods, or jobs that go whole."""
    jobs = instance.jobs_by_name
    return {
        pod
        for name in names
        for pod in ([name] if name in instance.pods_by_name else [each.name for each in jobs[name].pods])
    }


def differences(case: dict[str, Any], policy: str) -> list[str]:
    instance, expect = Instance.parse(case["instance"]), case["expect"]
    baseline = policies()[policy]
    decision, plan = baseline.decide(instance), baseline(instance)
    evicted = set(decision.evicted) - set(decision.moved)
    nobody = expect.get("status") in ("infeasible", "no-plan") or ("node" in expect and expect["node"] is None)
    if nobody:
        return [] if plan.status == "unknown" and not evicted else [f"somebody goes: {sorted(evicted)}"]
    found = [] if plan.status == "feasible" and plan.admitted else [f"{plan.status}, admitted {plan.admitted}"]
    if expect.get("victims") is not None and evicted != pods_of(instance, expect["victims"]):
        found.append(f"victims {sorted(evicted)}, not {expect['victims']}")
    if "acceptable" in expect and evicted not in [pods_of(instance, names) for names in expect["acceptable"]]:
        found.append(f"victims {sorted(evicted)}, not one of {expect['acceptable']}")
    if "victim_count" in expect and len(evicted) != expect["victim_count"]:
        found.append(f"{len(evicted)} victims, not {expect['victim_count']}")
    if expect.get("moved") is not None and set(decision.moved) != pods_of(instance, expect["moved"]):
        found.append(f"moved {dict(decision.moved)}, not {expect['moved']}")
    if "moved_to" in expect and dict(decision.moved) != expect["moved_to"]:
        found.append(f"moved {dict(decision.moved)}, not {expect['moved_to']}")
    nodes = expected_nodes(case)
    if nodes is not None and Counter(decision.nodes) != nodes:
        found.append(f"nodes {decision.nodes}, not {dict(nodes)}")
    if "acceptable_nodes" in expect and not set(decision.nodes) <= set(expect["acceptable_nodes"]):
        found.append(f"nodes {decision.nodes}, not of {expect['acceptable_nodes']}")
    for field, value in (
        ("placed", len(decision.nodes)),
        ("pdb_violations", plan.cost.budget_violations),
        ("displaces", list(plan.displaces)),
        ("waits_for", list(plan.waits_for)),
    ):
        if field in expect and expect[field] != value:
            found.append(f"{field} {value}, not {expect[field]}")
    return found


def expected_nodes(case: dict[str, Any]) -> Counter[str] | None:
    expect, pods = case["expect"], case["instance"]["request"]["pods"]
    if "placement" in expect:
        return Counter(expect["placement"])
    if (
        isinstance(expect.get("nodes"), dict)
        and case.get("nodes_forced", True)
        and None not in expect["nodes"].values()
    ):
        return Counter(expect["nodes"].values())
    if isinstance(expect.get("nodes"), list) and len(expect["nodes"]) == pods:
        return Counter(expect["nodes"])
    return (
        Counter({expect["node"]: pods})
        if expect.get("node") and "min_pods" not in case["instance"]["request"]
        else None
    )


@pytest.mark.parametrize(("case", "policy"), [pytest.param(c, p, id=f"{c['id']} {p}") for c, p in runs()])
def test_baseline_decides_as_its_scheduler(case: dict[str, Any], policy: str) -> None:
    found = differences(case, policy)
    assert bool(found) == (case["id"] in MISSES), found


def test_nearly_all_documents_agree_and_all_of_the_default_scheduler() -> None:
    total = Counter(policy for _, policy in runs())
    missed = Counter(policy for case, policy in runs() if case["id"] in MISSES)
    assert {case["id"] for case in documents()} >= set(MISSES)
    assert not missed["k8s-default"]
    assert all(total[policy] - missed[policy] >= SHARE * total[policy] for policy in total)


def test_candidates_of_the_dry_run_are_those_of_the_table() -> None:
    from topreempt.solver.greedy.dry_run import dry_run
    from topreempt.solver.greedy.oracle import Oracle
    from topreempt.solver.greedy.orderings import most_important_first
    from topreempt.solver.greedy.survey import situation_of

    listed = 0
    for case in documents():
        if case["policy"] == "k8s-default" and "candidates" in case["expect"]:
            situation = situation_of(Instance.parse(case["instance"]))
            found = {
                name: dry_run(Oracle(situation), host, (), 0, most_important_first)
                for name, host in situation.hosts.items()
            }
            victims = {name: sorted(pod.name for pod in each.victims) for name, each in found.items() if each}
            assert victims == case["expect"]["candidates"], case["id"]
            listed += 1
    assert listed > 5
