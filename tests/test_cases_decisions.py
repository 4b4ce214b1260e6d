"""Decisions that went wrong elsewhere, each with the answer that any sound engine must give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from topreempt.models import Instance
from topreempt.models.check import violations
from topreempt.solver import solve_preemption

FILES = sorted((Path(__file__).parent / "cases" / "decisions").glob("*.yaml"))


def victims_by_name(instance: Instance, evicted: frozenset[str]) -> frozenset[str]:
    """Rigid jobs by the job's name, pods of elastic jobs by their own."""
    return frozenset(
        pod.name if job.is_elastic else job.name for job in instance.jobs for pod in job.pods if pod.name in evicted
    )


def increasing_table(data: dict[str, Any]) -> dict[str, Any]:
    """Weights 1, 4, 9 ... by priority."""
    priorities = sorted({job["priority"] for job in data["jobs"]})
    return {"table": {str(priority): (rank + 1) ** 2 for rank, priority in enumerate(priorities)}}


@pytest.mark.parametrize("weights", ["value", "rank", "tiered", "table"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_decision_under_any_increasing_weights(path: Path, weights: str) -> None:
    case: dict[str, Any] = yaml.safe_load(path.read_text())
    data, expect = case["instance"], case["expect"]
    data["policy"] = data.get("policy", {}) | {"weights": increasing_table(data) if weights == "table" else weights}
    instance = Instance.parse(data, source=path.name)
    plan = solve_preemption(instance, time_limit=60.0)
    assert [str(violation) for violation in violations(instance, plan)] == []
    assert plan.status == expect["status"]
    assert victims_by_name(instance, plan.evicted) in {frozenset(victims) for victims in expect["victims"]}
    if "slots" in expect:
        assert slots_by_node(plan) == {node: sorted(slots) for node, slots in expect["slots"].items()}
    if "nodes" in expect:
        assert sorted({placement.node for placement in plan.placements}) == sorted(expect["nodes"])
    if "pods_placed" in expect:
        assert len(plan.placements) == expect["pods_placed"]


def slots_by_node(plan: Any) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for placement in plan.placements:
        found.setdefault(placement.node, []).extend(placement.slots)
    return {node: sorted(slots) for node, slots in found.items()}


def test_every_decision_is_there() -> None:
    assert len(FILES) == 46
