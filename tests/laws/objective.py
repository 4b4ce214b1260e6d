"""What two plans are compared by: the objectives that do not depend on names, in their order."""

from __future__ import annotations

from typing import Any

from oracle.agreement import cost_of
from oracle.world import World

from topreempt.models import Instance, Plan

SCOPES = ("pod", "slice", "gang")


def objective(instance: Instance, plan: Plan) -> tuple[Any, ...]:
    """Violations, extra pods where they come first, rungs, cost, victims, displaced, extra pods; less is better.

    Fragmentation is left out: a wider cluster has more islands to break. An infeasible plan is worse than any.
    """
    if plan.status == "infeasible":
        return (1,)
    world, policy = World(instance), instance.policy
    granted = {scope: plan.affinity[scope].granted for scope in SCOPES if scope in plan.affinity}
    rungs = [world.ladder(scope).index(granted[scope]) for scope in SCOPES if scope in granted]
    return (
        0,
        plan.cost.budget_violations,
        -len(plan.placements) if policy.extra_pods == "evict" else 0,
        rungs if policy.relaxation == "tightest-first" else [],
        cost_of(instance, plan),
        len(plan.evicted),
        plan.cost.displaced_reservations,
        -len(plan.placements),
    )


def without_times(plan: Plan) -> str:
    """The plan as bytes would be written, less the seconds that it took."""
    stats = plan.stats.model_copy(update={"seconds": {}})
    return plan.model_copy(update={"stats": stats}).model_dump_json()
