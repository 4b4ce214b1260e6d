"""A plan in words and tables for a person: who goes and why, where the request lands, what it costs, how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..models.plan import Plan

MOST_ROWS = 40


def picture(plan: Plan) -> Iterator[RenderableType]:
    """Yield the parts of the report, top to bottom.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Yields
    ------
    RenderableType
        Headline, then one part a question that the plan answers.
    """
    yield _headline(plan)
    if plan.status in ("optimal", "feasible"):
        yield from section("evict", _victims(plan))
        yield from section("place", _placements(plan))
        yield from section("cost", _cost(plan))
        if plan.waits_for:
            waits = f"for {', '.join(plan.waits_for)} to be gone: up to {amount(plan.waits_seconds)} s"
            yield from section("wait", Text(waits))
        if plan.displaces:
            yield from section("displace", Text("reservations of " + ", ".join(plan.displaces)))
    if plan.affinity:
        yield from section("affinity", _affinity(plan))
    if plan.reasons:
        yield from section("reasons", _reasons(plan))
    if plan.alternatives:
        yield from section("alternatives", alternatives(plan))


def _headline(plan: Plan) -> Text:
    said = {
        "optimal": ("optimal: no plan costs less (proved)", "bold green"),
        "feasible": ("feasible: the best plan found, not proved", "bold yellow"),
        "infeasible": ("infeasible: no permitted eviction helps (proved)", "bold red"),
        "unknown": ("unknown: no plan and no proof", "bold red"),
    }[plan.status]
    if plan.policy != "exact":
        gives_up = plan.status == "unknown"
        said = (f"policy {plan.policy} " + ("gives up" if gives_up else "decides, without proof"), "bold yellow")
    line = Text.assemble((plan.request, "bold"), "  ", said)
    if plan.status in ("optimal", "feasible") and not plan.admitted:
        line.append("\nThe request cannot start after these evictions.", "bold red")
    return line


def section(title: str, body: RenderableType) -> Iterator[RenderableType]:
    """Yield a titled part of a report.

    Parameters
    ----------
    title : str
        One or a few words.
    body : RenderableType
        Indented below it.

    Yields
    ------
    RenderableType
        Title and body.
    """
    yield Text(f"\n{title}", "bold")
    yield Padding(body, (0, 0, 0, 2))


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim", pad_edge=False)
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left", overflow="fold")
    return table


def _rows(table: Table, rows: Sequence[tuple[str, ...]], style: str = "") -> RenderableType:
    for row in rows[:MOST_ROWS]:
        table.add_row(*(Text(cell, style) for cell in row))
    if len(rows) > MOST_ROWS:
        table.add_row(Text(f"and {len(rows) - MOST_ROWS} more", "dim"))
    return table


def _victims(plan: Plan) -> RenderableType:
    if not plan.victims:
        return Text("nobody", "green")
    shown = plan.victims[:MOST_ROWS]
    table = _table(("job", ""), ("priority", "right"), ("pods", "right"), ("GPU-s lost", "right"), ("cost", "right"))
    for victim in shown:
        numbers = (victim.priority, len(victim.pods), amount(victim.lost_gpu_seconds), amount(victim.weighted_cost))
        table.add_row(Text(victim.job), *(Text(str(number)) for number in numbers))
    parts: list[RenderableType] = [table]
    if len(plan.victims) > len(shown):
        parts.append(Text(f"and {len(plan.victims) - len(shown)} more", "dim"))
    parts += [Text(f"{v.job}: {v.why} ({listed(v.pods)})", "dim") for v in shown]
    return Group(*parts)


def _placements(plan: Plan) -> RenderableType:
    table = _table(("pod", "right"), ("node", ""), ("level", ""), ("island", ""), ("slots", ""))
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
    return _rows(table, rows)


def _cost(plan: Plan) -> RenderableType:
    cost = plan.cost
    table = _table(("", ""), ("", "right"))
    table.show_header = False
    rows = [("weighted work lost", amount(cost.weighted_work))]
    if cost.price:
        rows.append(("price of the rungs", amount(cost.price)))
    rows.append(("bound", "none" if cost.bound is None else amount(cost.bound)))
    if cost.gap is not None:
        rows.append(("gap", f"{100 * cost.gap:.2f} %"))
    rows += [("GPU-seconds lost", amount(cost.lost_gpu_seconds)), ("evicted pods", str(cost.evicted_pods))]
    if cost.budget_violations:
        rows.append(("budget violations", str(cost.budget_violations)))
    rows += [(f"lost at priority {tier.priority}", f"{amount(tier.lost_gpu_seconds)} GPU-s") for tier in cost.tiers]
    rows += [(f"whole {level} islands used", str(count)) for level, count in cost.broken_islands.items() if count]
    return _rows(table, rows)


def _affinity(plan: Plan) -> RenderableType:
    table = _table(("scope", ""), ("asked", ""), ("granted", ""))
    return _rows(table, [(scope, rung.asked, rung.granted or "-") for scope, rung in plan.affinity.items()])


def _reasons(plan: Plan) -> RenderableType:
    return Group(
        *(
            Text.assemble(
                (reason.scope, "bold"),
                f" ({reason.rung})" if reason.rung else "",
                f": {reason.text} ",
                (f"[{reason.code}]", "dim"),
            )
            for reason in plan.reasons
        )
    )


def alternatives(plan: Plan) -> RenderableType:
    """Return the other places of a plan as a table.

    Parameters
    ----------
    plan : Plan
        With alternatives.

    Returns
    -------
    RenderableType
        The cheapest first, and below which cost the list is complete.
    """
    table = _table(("place", ""), ("cost", "right"), ("pods", "right"), ("victims", ""))
    rows = [
        (other.island, amount(other.weighted_work + other.price), str(other.evicted_pods), listed(other.victims))
        for other in plan.alternatives
    ]
    up_to = plan.alternatives_up_to
    said = "all other places" if up_to is None else f"complete below cost {amount(up_to)}"
    return Group(_rows(table, rows), Text(said, "dim"))


def listed(names: tuple[str, ...], most: int = 6) -> str:
    """Return the first names in a row, the surplus as a number.

    Parameters
    ----------
    names : tuple of str
        In the order wanted.
    most : int
        So many are spelled out.

    Returns
    -------
    str
        Such as ``a, b and 4 more``.
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def amount(value: float) -> str:
    """Return a number without needless digits.

    Parameters
    ----------
    value : float
        Any.

    Returns
    -------
    str
        Up to six decimals.
    """
    return f"{value:,.6f}".rstrip("0").rstrip(".")
