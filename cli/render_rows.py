"""The rows of a comparison as tables of 80 columns, as CSV and as plain data."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from io import StringIO
from typing import TYPE_CHECKING, Any

from ..solver.compare import Outcome, Row

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

LEGEND = """\
plans: found; starts: the request can start; vain: pods evicted, and it cannot.
hit %: starts in the island asked for first, of plans; 1sock %: all victims on
one socket, of plans where that is known. pods: evicted; budg: beyond budgets;
gangs: broken; idle: GPUs freed for nothing. like: starts on the rungs that the
exact engine reaches and breaks no rule of victims; of these "/ exact" compares
the work lost."""

Tables = Sequence[tuple[str, list[Row]]]


def tables(found: Tables) -> list[RenderableType]:
    """Return two tables a group: what happened, and what it cost.

    Parameters
    ----------
    found : sequence of tuple
        Title and rows of each group.

    Returns
    -------
    list
        Renderables.
    """
    from rich.text import Text

    parts: list[RenderableType] = []
    for title, rows in found:
        parts += [Text(title, style="bold"), _happened(rows), Text(""), _cost(rows), Text("")]
    return [*parts, Text(LEGEND, style="dim")]


def _table(*headers: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for place, header in enumerate(headers):
        table.add_column(header, justify="right" if place else "left", no_wrap=True)
    return table


def _happened(rows: Sequence[Row]) -> RenderableType:
    table = _table("policy", "plans", "starts", "vain", "hit %", "1sock %", "pods", "budg", "gangs", "idle")
    for row in rows:
        table.add_row(
            row.policy, str(row.plans), str(row.admitted), str(row.in_vain),
            percent(row.hits, row.plans), percent(row.one_socket, row.with_victims), str(row.victims),
            str(row.budget_violations), str(row.gangs_broken), f"{row.idle_gpus:.0f}",
        )  # fmt: skip
    return table


def _cost(rows: Sequence[Row]) -> RenderableType:
    table = _table("policy", "work lost", "GPU-s", "like", "/ exact", "95% range", "p50 ms", "p95 ms")
    for row in rows:
        interval = "-" if row.ratio_low is None else f"{row.ratio_low:.3g}-{row.ratio_high:.3g}"
        table.add_row(
            row.policy, f"{row.weighted_work:.3g}", f"{row.lost_gpu_seconds:.3g}", str(row.like),
            "-" if row.ratio is None else f"{row.ratio:.3g}", interval,
            f"{1000 * row.seconds_p50:.1f}", f"{1000 * row.seconds_p95:.1f}",
        )  # fmt: skip
    return table


def percent(part: int, whole: int) -> str:
    """Return a share in percent, or a dash where there is nothing to share.

    Parameters
    ----------
    part, whole : int
        Counts.

    Returns
    -------
    str
        With one decimal.
    """
    return f"{100 * part / whole:.1f}" if whole else "-"


def csv_text(found: Tables) -> str:
    """Return all rows as CSV.

    Parameters
    ----------
    found : sequence of tuple
        Title and rows of each group.

    Returns
    -------
    str
        A header, then one line a row, the group first.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [each.name for each in fields(Row)]
    writer.writerow(["group", *names])
    for title, rows in found:
        for row in rows:
            values = asdict(row)
            writer.writerow([title, *("" if values[name] is None else values[name] for name in names)])
    return text.getvalue()


def plain(found: Tables, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return rows and outcomes as plain data.

    Parameters
    ----------
    found : sequence of tuple
        Title and rows of each group.
    outcomes : sequence of Outcome
        All outcomes, with their plans.

    Returns
    -------
    dict
        ``groups`` and ``outcomes``.
    """
    return {
        "groups": [{"title": title, "rows": [asdict(row) for row in rows]} for title, rows in found],
        "outcomes": [outcome.model_dump(mode="json") for outcome in outcomes],
    }
