"""What a plan says beside the picture: what it costs, how sure it is, who goes and why, as plain tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...models.plan import Plan
from .wish import many

MOST_ROWS = 100
MOST_NAMES = 12

VERDICT = {
    "optimal": "optimal: no plan costs less (proved)",
    "feasible": "feasible: the best plan found, not proved",
    "infeasible": "infeasible: no permitted eviction helps (proved)",
    "unknown": "unknown: no plan and no proof",
}


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether it holds numbers."""

    heading: str
    is_number: bool = False


@dataclass(frozen=True)
class Table:
    """One question that a plan answers.

    Attributes
    ----------
    title : str
        The question's subject.
    columns : tuple of Column
        Headings.
    rows : tuple of tuple of str
        Cells, one a column.
    left_out : int
        Rows beyond `MOST_ROWS`.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


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
        yield "evicted", f"{many(cost.evicted_pods, 'pod')} of {many(len(plan.victims), 'job')}"
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


def tables(plan: Plan) -> Iterator[Table]:
    """Yield the tables that a plan fills.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Yields
    ------
    Table
        Only those with rows.
    """
    found = (_victims(plan), _placements(plan), _affinity(plan), _reasons(plan), _alternatives(plan))
    return (table for table in found if table.rows)


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


def _victims(plan: Plan) -> Table:
    columns = (
        Column("job"),
        Column("priority", True),
        Column("GPU-seconds lost", True),
        Column("cost", True),
        Column("pods"),
        Column("why"),
    )
    rows = [
        (
            victim.job,
            str(victim.priority),
            number(victim.lost_gpu_seconds),
            number(victim.weighted_cost),
            listed(victim.pods),
            victim.why,
        )
        for victim in plan.victims
    ]
    return _table("Who goes, and why", columns, rows)


def _placements(plan: Plan) -> Table:
    columns = (Column("pod", True), Column("node"), Column("level"), Column("island"), Column("slots"))
    rows = [
        (
            str(placed.pod),
            placed.node,
            placed.level,
            placed.island or "one of the node's",
            "the kubelet's choice" if placed.slots is None else " ".join(map(str, placed.slots)) or "none",
        )
        for placed in plan.placements
    ]
    return _table("Where the request lands", columns, rows)


def _affinity(plan: Plan) -> Table:
    rows = [(scope, rung.asked, rung.granted or "nothing") for scope, rung in plan.affinity.items()]
    return _table("Which islands it gets", (Column("scope"), Column("asked"), Column("granted")), rows)


def _reasons(plan: Plan) -> Table:
    rows = [(reason.scope, reason.text, reason.code) for reason in plan.reasons]
    return _table("What stands in the way", (Column("where"), Column("what"), Column("code")), rows)


def _alternatives(plan: Plan) -> Table:
    columns = (
        Column("island"),
        Column("weighted work lost", True),
        Column("more than the plan", True),
        Column("evicted pods", True),
        Column("victims"),
    )
    rows = [
        (
            other.island,
            number(other.weighted_work),
            number(other.weighted_work - plan.cost.weighted_work),
            str(other.evicted_pods),
            listed(other.victims),
        )
        for other in plan.alternatives
    ]
    return _table("What else would serve", columns, rows)


def _table(title: str, columns: tuple[Column, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(title, columns, tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))
