"""``topreempt solve``: one decision, from a file to a plan."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from ..instances.write import plain_plan, writable, write_document
from ..models.document import load_document
from ..models.errors import ConfigError, InstanceError
from ..models.instance import Instance
from . import explain_options, overrides
from .exits import STATUS_EXIT
from .log import Verbosity, show_log
from .policies import EXACT, plan_by
from .terminal import emit_json, emit_rich, note, working

EXAMPLE = "topreempt solve cluster.yaml --set request.priority=500 --out plan.json"


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The instance, JSON or YAML; - is standard input.")],
    policy: Annotated[str, typer.Option(metavar="NAME", help="exact, or a baseline; a wrong name lists them.")] = EXACT,
    time_limit: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="After this long the best plan so far is given.")
    ] = 10.0,
    workers: Annotated[int, typer.Option(min=1, max=1024, metavar="N", help="Threads of the solver.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, metavar="N", help="Seed of the solver.")] = 0,
    out: Annotated[str | None, typer.Option(metavar="PLAN", help="Write the plan to this file too.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Change a field first; may be repeated."),
    ] = None,
    explain: explain_options.Explain = False,
    alternatives: explain_options.Alternatives = None,
    tradeoff: explain_options.TradeOff = False,
    explain_limit: explain_options.Seconds = None,
    forbidden: explain_options.Forbidden = None,
    only_node: explain_options.OnlyNodes = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    verbosity: Verbosity = 0,
) -> None:
    """Find out who must go so that the request starts: the cheapest evictions, proved."""
    if not math.isfinite(time_limit):
        raise ConfigError(f"--time-limit: {time_limit}, expected a number of seconds")
    if out is not None:
        writable(out)
    show_log(verbosity)
    ask = explain_options.ask_of(explain, alternatives, tradeoff, explain_limit)
    instance = Instance.parse(overrides.apply(load_document(file), settings or []), source=file)
    instance = explain_options.what_if(instance, forbidden, only_node)
    try:
        with working(f"deciding for {instance.request.name}"):
            plan = plan_by(policy, instance, time_limit=time_limit, workers=workers, seed=seed, explain=ask)
    except InstanceError as error:
        raise InstanceError(error.problems, source=error.source or file) from None
    if out is not None:
        write_document(plain_plan(plan), out)
        note(f"plan written to {out}")
    if as_json:
        emit_json(plain_plan(plan))
    else:
        from .render_explanation import explanation
        from .render_plan import picture

        emit_rich(*picture(plan), *explanation(plan))
    raise typer.Exit(STATUS_EXIT[plan.status])
