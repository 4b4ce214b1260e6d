"""Hand-derived optima, which the brute force and the engine must both find."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from oracle.agreement import differences
from oracle.brute import solve
from oracle.micro import alignment, gangs, islands, losses, objectives, reservations, resources, slots, unknown, victims
from oracle.micro.cases import CASES

from topreempt.models.check import violations
from topreempt.solver import solve_preemption

ROOMS = (alignment, gangs, islands, losses, objectives, reservations, resources, slots, unknown, victims)


def in_steps(cost: Any) -> Any:
    """A cost as in `Answer.cost`: millionths of millionths."""
    if isinstance(cost, tuple):
        return tuple(in_steps(part) for part in cost)
    return int(Fraction(str(cost)) * 10**12)


@pytest.mark.parametrize("name", CASES)
def test_brute_force_finds_the_optimum(name: str) -> None:
    instance, expected = CASES[name]
    answer = solve(instance)
    expected = {"status": "optimal"} | expected
    if "cost" in expected:
        expected["cost"] = in_steps(expected["cost"])
    assert {field: getattr(answer, field) for field in expected} == expected


@pytest.mark.parametrize("name", CASES)
def test_engine_finds_the_optimum(name: str) -> None:
    instance, expected = CASES[name]
    plan = solve_preemption(instance, time_limit=60.0)
    assert differences(instance, plan, solve(instance)) == []
    assert [str(violation) for violation in violations(instance, plan)] == []
    if "victims" in expected:
        assert plan.evicted == expected["victims"]
