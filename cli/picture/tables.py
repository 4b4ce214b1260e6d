"""What a plan says in detail, a table a question: who goes and why, what blocks, what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...models.plan import Plan
from .report import listed, number

MOST_ROWS = 100


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
    makers = (_victims, _placements, _affinity, _reasons, _cores, _changes, _tradeoff, _alternatives)
    return (table for table in (make(plan) for make in makers) if table.rows)


def _victims(plan: Plan) -> Table:
    columns = ("job", "priority#", "GPU-seconds lost#", "cost#", "pods", "why")
    return _table(
        "Who goes, and why",
        columns,
        (
            (
                victim.job,
                str(victim.priority),
                number(victim.lost_gpu_seconds),
                number(victim.weighted_cost),
                listed(victim.pods),
                "; ".join(dict.fromkeys([victim.why, *(fact.text for fact in victim.facts)])),
            )
            for victim in plan.victims
        ),
    )


def _placements(plan: Plan) -> Table:
    return _table(
        "Where the request lands",
        ("pod#", "node", "level", "island", "slots"),
        (
            (
                str(placed.pod),
                placed.node,
                placed.level,
                placed.island or "one of the node's",
                "the kubelet's choice" if placed.slots is None else " ".join(map(str, placed.slots)) or "none",
            )
            for placed in plan.placements
        ),
    )


def _affinity(plan: Plan) -> Table:
    rows = ((scope, rung.asked, rung.granted or "nothing") for scope, rung in plan.affinity.items())
    return _table("Which islands it gets", ("scope", "asked", "granted"), rows)


def _reasons(plan: Plan) -> Table:
    return _table(
        "What stands in the way",
        ("of what", "where", "what", "code"),
        (
            (
                reason.rung or "the request",
                reason.scope,
                reason.text,
                str(reason.code),
            )
            for reason in plan.reasons
        ),
    )


def _cores(plan: Plan) -> Table:
    return _table(
        "Which rules keep it out together",
        ("of what", "where", "rules", "proved minimal"),
        (
            (
                core.rung or "the request",
                core.scope,
                core.text,
                "yes" if core.minimal else "no",
            )
            for core in plan.cores
        ),
    )


def _changes(plan: Plan) -> Table:
    return _table(
        "What would help",
        ("change", "as an option", "smallest", "weighted work lost#", "evicted pods#"),
        (
            (
                change.text,
                " ".join(f"--set {setting}" for setting in change.settings),
                "yes" if change.smallest else "not proved",
                _maybe(change.weighted_work),
                _maybe(change.evicted_pods),
            )
            for change in plan.changes
        ),
    )


def _tradeoff(plan: Plan) -> Table:
    return _table(
        "What each rung costs",
        ("pod", "slice", "gang", "status", "weighted work lost#", "price#", "saves#", "evicted pods#", "granted"),
        (
            (
                step.pod,
                step.slice or "-",
                step.gang or "-",
                step.status,
                _maybe(step.weighted_work),
                _maybe(step.price),
                _maybe(step.saves),
                _maybe(step.evicted_pods),
                "yes" if step.granted else "",
            )
            for step in plan.tradeoff
        ),
    )


def _alternatives(plan: Plan) -> Table:
    spent = plan.cost.weighted_work + plan.cost.price
    return _table(
        "What else would serve",
        ("island", "level", "weighted work lost#", "price#", "more than the plan#", "evicted pods#", "victims"),
        (
            (
                other.island,
                other.level or "-",
                number(other.weighted_work) + ("" if other.proved else " (not proved)"),
                number(other.price),
                number(other.weighted_work + other.price - spent),
                str(other.evicted_pods),
                listed(other.victims),
            )
            for other in plan.alternatives
        ),
    )


def _table(title: str, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    found = tuple(rows)
    columns = tuple(Column(heading.removesuffix("#"), heading.endswith("#")) for heading in headings)
    return Table(title, columns, found[:MOST_ROWS], max(0, len(found) - MOST_ROWS))


def _maybe(value: float | None) -> str:
    return "-" if value is None else number(value)
