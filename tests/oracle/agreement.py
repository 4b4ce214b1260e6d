"""Where a plan of the engine and the answer of the brute force differ, in words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from topreempt.models import Instance, Plan, TopreemptError
from topreempt.models.check import violations
from topreempt.models.units import micro
from topreempt.solver import solve_preemption

from .brute import Answer, solve, weighted
from .victims import Cost
from .world import ONE

TIME_LIMIT = 60.0
"""Seconds; far more than any of these instances takes."""


def disagreements(instance: Instance) -> list[str]:
    """What is wrong with the engine's plan: against the brute force, and by the rules of a plan."""
    try:
        plan = solve_preemption(instance, time_limit=TIME_LIMIT)
    except TopreemptError as error:
        return [repr(error)]
    return differences(instance, plan, solve(instance)) + [str(violation) for violation in violations(instance, plan)]


def differences(instance: Instance, plan: Plan, answer: Answer) -> list[str]:
    """Every objective on which they disagree; empty if the plan is optimal and counts rightly."""
    if plan.status != answer.status:
        return [f"status: engine {plan.status}, brute force {answer}"]
    if answer.status == "infeasible":
        return [f"an infeasible plan has {plan.victims or plan.placements}"] if plan.victims or plan.placements else []
    return [
        f"{name}: engine {engine}, brute force {ours} (victims {sorted(plan.evicted)} / {sorted(answer.victims)})"
        for name, engine, ours in _pairs(instance, plan, answer)
        if engine != ours
    ]


def _pairs(instance: Instance, plan: Plan, answer: Answer) -> Iterator[tuple[str, object, object]]:
    cost = plan.cost
    yield "admitted", plan.admitted, True
    yield "violations", cost.budget_violations, answer.budget_violations
    yield "placed", len(plan.placements), answer.placed
    if answer.rungs is not None:
        for scope, granted in plan.affinity.items():
            yield f"rung of {scope}", granted.granted, answer.rungs[scope]
        asked = {scope for scope in answer.rungs if getattr(instance.request.affinity, scope) is not None}
        yield "scopes", asked - plan.affinity.keys(), set()
    yield "cost", cost_of(instance, plan), answer.cost
    yield "evicted pods", len(plan.evicted), answer.evicted_pods
    yield "evicted pods as stated", cost.evicted_pods, len(plan.evicted)
    yield "displaced", cost.displaced_reservations, answer.displaced_reservations
    levels = instance.cluster.levels
    yield "broken", tuple(cost.broken_islands.get(level, 0) for level in levels), answer.broken_islands
    stated = round((cost.weighted_work + cost.price) * ONE), round(sum(_parts(answer.cost)) / ONE)
    yield "cost as stated", *(value if abs(stated[0] - stated[1]) > 1 + 1e-9 * stated[1] else 0 for value in stated)
    if instance.policy.weights != "tiered":
        yield "bound", cost.bound, pytest.approx(cost.weighted_work + cost.price, rel=1e-9, abs=1e-9)


def cost_of(instance: Instance, plan: Plan) -> Cost:
    """The exact cost of a plan's victims and prices, as in `Answer.cost`."""
    work = weighted(instance, plan.evicted)
    return work if isinstance(work, tuple) else work + micro(plan.cost.price) * ONE


def _parts(cost: Cost) -> tuple[int, ...]:
    return cost if isinstance(cost, tuple) else (cost,)
