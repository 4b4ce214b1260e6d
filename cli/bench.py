"""``topreempt bench``: the project's own speed tables, as ratios measured in one run."""

from __future__ import annotations

import datetime
import os
import platform
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer

from ..instances.write import write_text
from ..models.errors import ConfigError
from .terminal import emit, emit_json, note, working

EXAMPLE = "topreempt bench --nodes 1000 --seeds 3 --whole 60"


def run(
    nodes: Annotated[int, typer.Option(min=16, metavar="N", help="Nodes of 8 GPUs, every slot held.")] = 10_000,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Instances a row; medians are shown.")] = 10,
    request: Annotated[
        list[str] | None, typer.Option("--request", metavar="NAME", help="Only this row; may be repeated.")
    ] = None,
    whole: Annotated[
        float | None,
        typer.Option(min=1, metavar="SECONDS", help="Run one whole-cluster model too, on the first seed of each row."),
    ] = None,
    greedy: Annotated[str, typer.Option(metavar="NAME", help="The baseline to time beside.")] = "lowest-first",
    rules: Annotated[
        bool, typer.Option(help="Each row again with budgets, reservations, NUMA CPUs and ladders.")
    ] = True,
    out: Annotated[str, typer.Option(metavar="DIR", help="Where the table is kept, by date.")] = "benchmarks",
    as_json: Annotated[bool, typer.Option("--json", help="Print every single timing as JSON.")] = False,
) -> None:
    """Measure decisions on a full fleet: time after compiling, and ratios to one model and to a greedy rule."""
    from ..instances.generators.fleet import REQUESTS, fleet
    from ..solver.bench import measure
    from ..solver.greedy.registry import policies

    unknown = sorted(set(request or ()) - set(REQUESTS))
    if unknown:
        raise ConfigError(f"--request {unknown[0]}: expected one of {', '.join(REQUESTS)}")
    if greedy not in policies():
        raise ConfigError(f"--greedy: found {greedy!r}, expected one of {', '.join(sorted(policies()))}")
    rival = policies()[greedy]
    rows: list[dict[str, Any]] = []
    for name in request or REQUESTS:
        for with_rules in (False, True) if rules else (False,):
            timings = []
            for index in range(seeds):
                with working(f"{name}{' with rules' if with_rules else ''}: instance {index + 1} of {seeds}"):
                    instance = fleet(0, index, nodes=nodes, request=name, rules=with_rules)
                    limit = whole if index == 0 else None
                    timings.append(measure(instance, whole_limit=limit, greedy=rival if index == 0 else None))
            rows.append({"request": name, "rules": with_rules, "timings": [asdict(timing) for timing in timings]})
            note(_line(rows[-1]))
    if as_json:
        emit_json({"nodes": nodes, "machine": _machine(), "rows": rows})
    text = _table(rows, nodes, seeds, greedy)
    if not as_json:
        emit(text)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{_today()}-{nodes}-nodes{'-whole' if whole else ''}.txt"
    write_text(text, target)
    note(f"table written to {target}")


def _today() -> str:
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def _machine() -> str:
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _table(rows: list[dict[str, Any]], nodes: int, seeds: int, greedy: str) -> str:
    head = (
        f"{'request':<17}{'rules':<6}{'compile s':>10}{'decide ms':>11}{'apply ms':>10}{'whole x':>10}{'greedy x':>9}"
    )
    lines = [
        f"{_today()}  {nodes} nodes x 8 GPUs, all held; medians of {seeds} seeds; {_machine()}",
        f"whole x: one whole-cluster model / decision (> where it was not closed); greedy x: {greedy} / decision",
        "",
        head,
        *(_line(row) for row in rows),
        "",
    ]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    timings = row["timings"]
    proved = all(timing["status"] == "optimal" for timing in timings)
    decide = median(timing["decide"] for timing in timings)
    first = timings[0]
    whole = "-"
    if first["whole"] is not None:
        whole = f"{'' if first['whole_proved'] else '> '}{first['whole'] / first['decide']:,.0f}"
    greedy = "-" if first["greedy"] is None else f"{first['greedy'] / first['decide']:,.1f}"
    return (
        f"{row['request']:<17}{'yes' if row['rules'] else 'no':<6}"
        f"{median(timing['compile'] for timing in timings):>10.2f}{1e3 * decide:>11.1f}"
        f"{1e3 * median(timing['apply'] for timing in timings):>10.1f}{whole:>10}{greedy:>9}"
        f"{'' if proved else '  not proved'}"
    )
