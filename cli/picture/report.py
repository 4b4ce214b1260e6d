"""What a plan says first: how it ended, where the request lands, what it costs, how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...models.plan import Plan
from .wish import many

MOST_NAMES = 12

VERDICT = {
    "optimal": "optimal: no plan costs less (proved)",
    "feasible": "feasible: the best plan found, not proved",
    "infeasible": "infeasible: no permitted eviction helps (proved)",
    "unknown": "unknown: no plan and no proof",
}


def facts(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the few numbers that everybody looks for first.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Yields
    ------
    tuple of (str, str)
        Term and value.
    """
    cost = plan.cost
    if plan.status in ("optimal", "feasible"):
        nodes = dict.fromkeys(placed.node for placed in plan.placements)
        if plan.placements:
            yield "lands on", listed(list(nodes), 4)
        some = f"{many(cost.evicted_pods, 'pod')} of {many(len(plan.victims), 'job')}"
        yield "evicted", some if plan.victims else "nobody"
        yield "weighted work lost", number(cost.weighted_work)
        if cost.price:
            yield "price of the rungs", number(cost.price)
        yield "work lost", f"{number(cost.lost_gpu_seconds)} GPU-seconds"
    if cost.bound is not None:
        yield "no plan costs less than", number(cost.bound)
    if cost.gap:
        yield "gap", f"{100 * cost.gap:.2f} %"
    if cost.budget_violations:
        yield "evictions beyond budgets", str(cost.budget_violations)
    for tier in cost.tiers:
        yield f"lost at priority {tier.priority}", f"{number(tier.lost_gpu_seconds)} GPU-seconds"
    if plan.waits_for:
        yield "waits for", f"{listed(plan.waits_for)}: up to {number(plan.waits_seconds)} s"
    if plan.displaces:
        yield "displaces reservations of", listed(plan.displaces)
    broken = [many(count, f"whole {level}") for level, count in cost.broken_islands.items() if count]
    if broken:
        yield "whole islands used", ", ".join(broken)


def verdict(plan: Plan) -> str:
    """Return how a plan ended, in words.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Returns
    -------
    str
        With the policy, if it is not the exact engine's, and a warning if the request cannot start.
    """
    said = VERDICT[plan.status]
    if plan.policy != "exact":
        said += f", by policy {plan.policy}"
    if plan.status in ("optimal", "feasible") and not plan.admitted:
        said += "; the request cannot start after these evictions"
    return said


def number(value: float) -> str:
    """Return a number with thousands separated and no idle zeros.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    str
        Up to six decimals.
    """
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return names in a row.

    Parameters
    ----------
    names : sequence of str
        All of them.
    most : int
        So many are named; the rest is counted.

    Returns
    -------
    str
        Such as ``a, b and 3 more``.
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
