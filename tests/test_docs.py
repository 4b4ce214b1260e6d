"""The documents tell the truth: every example of the readings is solved, the whole format is read."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from topreempt import Instance, solve_preemption
from topreempt.cli import overrides
from topreempt.models.check import violations

DOCS = Path(__file__).parent.parent / "docs"


def blocks(name: str) -> list[Any]:
    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)]


def readings() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of an instance (or the changes to the last one) and the answer."""
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    last: dict[str, Any] = {}
    for block in blocks("semantics.md"):
        if "answer" not in block:
            last = block
            continue
        settings = [
            f"{path}={yaml.safe_dump(value, default_flow_style=True)}" for path, value in block.get("set", {}).items()
        ]
        found.append((overrides.apply(yaml.safe_load(yaml.safe_dump(last)), settings), block["answer"]))
    return found


@pytest.mark.parametrize(("data", "answer"), readings())
def test_reading_is_what_the_engine_does(data: dict[str, Any], answer: dict[str, Any]) -> None:
    instance = Instance.parse(data)
    plan = solve_preemption(instance)
    assert violations(instance, plan) == []
    said = {
        "status": plan.status,
        "evicted": sorted(plan.evicted),
        "weighted_work": plan.cost.weighted_work,
        "price": plan.cost.price,
        "granted": {scope: rung.granted for scope, rung in plan.affinity.items()},
        "violations": plan.cost.budget_violations,
        "waits_for": list(plan.waits_for),
        "displaces": list(plan.displaces),
        "placed": len(plan.placements),
        "slots": [None if placed.slots is None else list(placed.slots) for placed in plan.placements],
    }
    assert {name: said[name] for name in answer} == answer


def test_the_whole_format_is_read() -> None:
    (data,) = blocks("format.md")
    instance = Instance.parse(data)
    for part in ("cluster", "request", "policy"):
        fields = set(type(getattr(instance, part)).model_fields)
        assert set(data[part]) == fields, f"docs/format.md leaves out fields of {part}"
    assert set(data["jobs"][0]) == set(type(instance.jobs[0]).model_fields) - {"lost_gpu_seconds"}
