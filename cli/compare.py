"""``topreempt compare``: policies on the same instances, one row a policy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from ..instances.generators import SCENARIOS
from ..models.errors import ConfigError
from .terminal import emit, emit_json, emit_rich, note

EXAMPLE = "topreempt compare --scenario fragmented --count 50 --policy k8s-default --policy exact"

MANY = 50
"""From so many instances on all cores are used unless --jobs says otherwise: starting processes takes seconds."""


def run(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Instances, JSON or YAML.")] = None,
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"Seeded instances of {', '.join(SCENARIOS)}.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, metavar="N", help="How many; default 20, paper: 5000.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**53, metavar="N", help="Seed of the series.")] = 0,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Nodes; default: the scenario's.")] = None,
    fill: Annotated[float | None, typer.Option(metavar="SHARE", help="Share of GPUs in use, 0 to 1.")] = None,
    request_gpus: Annotated[int | None, typer.Option(metavar="N", help="GPUs a pod of the request.")] = None,
    policy: Annotated[list[str] | None, typer.Option(metavar="NAME", help="May be repeated; default: all.")] = None,
    time_limit: Annotated[
        float, typer.Option(min=0.001, metavar="SECONDS", help="For each decision of the exact engine.")
    ] = 10.0,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=1024, metavar="N", help="Processes; default: all cores from 50 instances.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Run on this Dask cluster (extra distributed).")
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Keep outcomes here as they come.")] = None,
    resume: Annotated[str | None, typer.Option(metavar="DIR", help="Go on with the comparison of this folder.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the rows, .png or .svg (extra plot).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows, outcomes and plans as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
) -> None:
    """Compare the exact engine with the ways existing schedulers choose victims."""
    from ..solver.compare import rows_of
    from . import plot_rows, render_rows

    if as_json and as_csv:
        raise ConfigError("compare: found --json and --csv, expected one of them")
    if plot is not None:
        plot_rows.checked(plot)
    sizes = {
        name: value
        for name, value in {"nodes": nodes, "fill": fill, "request_gpus": request_gpus}.items()
        if value is not None
    }
    if resume is not None:
        if files or scenario or out:
            raise ConfigError(
                "--resume: expected no files, --scenario or --out beside it; the folder says what is compared"
            )
        journal, definition = _resumed(Path(resume))
    else:
        definition = _definition(files or [], scenario, seed, count, sizes, policy or [], time_limit)
        journal = None
        if out is not None:
            from ..solver.compare import Journal

            journal = Journal.begin(Path(out), definition)
    outcomes = _outcomes(definition, journal, jobs, cluster, keep_plans=as_json)
    names = definition["policies"]
    tables = [
        (group["title"], rows_of([o for o in outcomes if group["first"] <= o.case < group["after"]], names))
        for group in definition["groups"]
    ]
    if plot is not None:
        plot_rows.draw(tables, plot)
        note(f"plot written to {plot}")
    if as_json:
        emit_json(render_rows.plain(tables, outcomes))
    elif as_csv:
        emit(render_rows.csv_text(tables))
    else:
        emit_rich(*render_rows.tables(tables))


def _resumed(folder: Path) -> tuple[Any, dict[str, Any]]:
    from ..solver.compare import Journal

    journal, definition = Journal.resume(folder)
    if definition.keys() != {"policies", "time_limit", "groups", "recipes"}:
        raise ConfigError(f"--resume: found {folder}, expected a comparison of this version")
    return journal, definition


def _definition(
    files: list[str],
    scenario: str | None,
    seed: int,
    count: int | None,
    sizes: dict[str, Any],
    policy: list[str],
    time_limit: float,
) -> dict[str, Any]:
    from .studies import cases_of_files, cases_of_scenario, checked_policies, study_of

    if bool(files) == (scenario is not None):
        raise ConfigError("compare: expected FILE... or --scenario NAME, one of the two")
    if files:
        if count is not None or sizes:
            raise ConfigError("compare: --count, --nodes, --fill and --request-gpus go with --scenario only")
        recipes = cases_of_files(files)
        groups = [{"title": f"{len(files)} files", "first": 0, "after": len(files)}]
        names = checked_policies(policy)
    else:
        study = study_of(scenario or "")
        recipes, groups = [], []
        names = checked_policies(policy or study.policies)
        clusters = study.clusters if "nodes" not in sizes else ({},)
        for cluster in clusters:
            made = cases_of_scenario(scenario or "", seed, count or study.count, cluster | sizes)
            shown = ", ".join(f"{name} {value}" for name, value in (cluster | sizes).items())
            title = f"{scenario}{', ' * bool(shown)}{shown}, seed {seed}: {len(made)} instances"
            groups.append({"title": title, "first": len(recipes), "after": len(recipes) + len(made)})
            recipes += made
    return {"policies": list(names), "time_limit": time_limit, "groups": groups, "recipes": recipes}


def _outcomes(
    definition: dict[str, Any], journal: Any, jobs: int | None, cluster: str | None, *, keep_plans: bool
) -> list[Any]:
    from ..solver.compare import Work, run_all
    from .progress import with_progress
    from .studies import load, numbered

    cases = numbered(definition["recipes"])
    known = [] if journal is None else journal.outcomes
    left = [case for case in cases if journal is None or case.number not in journal.done]
    work = Work(load, tuple(definition["policies"]), definition["time_limit"], keep_plans or journal is not None)
    if jobs is None:
        jobs = (os.cpu_count() or 1) if len(left) >= MANY else 1
    found = list(known)
    done = len(cases) - len(left)
    try:
        for outcomes in with_progress(run_all(left, work, jobs=jobs, cluster=cluster), "instances", len(cases), done):
            if journal is not None:
                journal.add(outcomes)
            found += outcomes
    except KeyboardInterrupt:
        if journal is not None:
            note(f"interrupted; what is done is kept, go on with --resume {journal.folder}")
        raise
    return sorted(found, key=lambda outcome: outcome.case)
