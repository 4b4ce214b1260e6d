"""The explanations of a plan, and the review of one, in tables and sentences for a person."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..models.explanation import TradeOff
from ..models.plan import Plan
from ..models.review import Review
from .render_plan import amount, listed, section


def explanation(plan: Plan) -> Iterator[RenderableType]:
    """Yield what explains a plan beyond its own fields.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Yields
    ------
    RenderableType
        Cores, changes and the trade-off, each only where the plan has it.
    """
    if plan.cores:
        lines = [Text(f"{core.scope}{_rung(core.rung)}: {core.text}") for core in plan.cores]
        yield from section("rules in the way", Group(*lines))
    if plan.changes:
        rows = [Group(Text(change.text), Text("  " + _options(change.settings), "dim")) for change in plan.changes]
        yield from section("it would start", Group(*rows))
    if plan.tradeoff:
        yield from section("trade-off", _tradeoff(plan.tradeoff))


def review(found: Review) -> Iterator[RenderableType]:
    """Yield a review.

    Parameters
    ----------
    found : Review
        Any review.

    Yields
    ------
    RenderableType
        Findings first, then victims, then the explanation of the best plan.
    """
    yield Text.assemble((found.request, "bold"), f"  plan of policy {found.policy}, status {found.status}")
    yield from section("findings", Group(*(Text(line) for line in found.findings)))
    if found.victims:
        yield from section("victims", Group(*(Text(f"{v.job} ({listed(v.pods)}): {v.why}") for v in found.victims)))
    best = found.best
    if best.alternatives:
        from .render_plan import alternatives

        yield from section("other places for the cheapest plan", alternatives(best))
    yield from explanation(best)


def _rung(rung: str | None) -> str:
    return "" if rung is None else f" ({rung})"


def _options(settings: tuple[str, ...]) -> str:
    return " ".join(f"--set '{setting}'" if "'" not in setting else f'--set "{setting}"' for setting in settings)


def _tradeoff(rows: tuple[TradeOff, ...]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim", pad_edge=False)
    scopes = [scope for scope in ("pod", "slice", "gang") if any(getattr(row, scope) is not None for row in rows)]
    for name in scopes:
        table.add_column(name, overflow="fold")
    for name in ("cost", "price", "pods", "saves"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in rows:
        marks = [mark for mark, holds in (("granted", row.granted), ("Pareto", row.pareto)) if holds]
        numbers = [
            row.status if row.weighted_work is None else amount(row.weighted_work),
            "" if row.price is None else amount(row.price),
            "" if row.evicted_pods is None else str(row.evicted_pods),
            "" if row.saves is None else amount(row.saves),
        ]
        table.add_row(*(Text(getattr(row, scope) or "") for scope in scopes), *numbers, ", ".join(marks))
    return table
