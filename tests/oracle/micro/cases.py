"""The register of micro-instances: each with what the rules say about it, derived by hand in a comment beside it."""

from __future__ import annotations

from typing import Any

from topreempt.models import Instance

CASES: dict[str, tuple[Instance, dict[str, Any]]] = {}
NO: dict[str, Any] = {"status": "infeasible"}


def case(name: str, instance: Instance, expected: dict[str, Any]) -> None:
    """Add a case. Expected: fields of `Answer`; cost in the unit of the instance, victims as a set of pods."""
    assert name not in CASES
    CASES[name] = (instance, expected)


def best(victims: str, cost: float | tuple[float, ...], **more: Any) -> dict[str, Any]:
    """Expect a plan with exactly these victims, which no other set equals in cost and number."""
    return {"victims": frozenset(victims.split()), "cost": cost, **more}
