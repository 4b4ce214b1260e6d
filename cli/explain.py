"""``topreempt explain``: review a plan of any policy, and explain the cheapest one."""

from __future__ import annotations

from typing import Annotated

import typer

from ..models.errors import InstanceError
from ..models.instance import Instance
from ..models.plan import Plan
from . import explain_options
from .log import Verbosity, show_log
from .terminal import emit_json, emit_rich, working

EXAMPLE = "topreempt explain cluster.yaml plan.json --tradeoff"


def run(
    instance_file: Annotated[str, typer.Argument(metavar="INSTANCE", help="The instance that was solved.")],
    plan_file: Annotated[str, typer.Argument(metavar="PLAN", help="The plan of any policy, as JSON or YAML.")],
    time_limit: Annotated[
        float, typer.Option(min=0.001, max=1e6, metavar="SECONDS", help="For the cheapest plan to compare with.")
    ] = 10.0,
    workers: Annotated[int, typer.Option(min=1, max=1024, metavar="N", help="Threads of the solver.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, metavar="N", help="Seed of the solver.")] = 0,
    alternatives: explain_options.Alternatives = None,
    tradeoff: explain_options.TradeOff = False,
    explain_limit: explain_options.Seconds = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the review as JSON.")] = False,
    verbosity: Verbosity = 0,
) -> None:
    """Tell whether the request starts after a plan, what the plan evicts needlessly, and what was cheaper."""
    from ..solver.explain import review_plan

    show_log(verbosity)
    ask = explain_options.ask_of(True, alternatives, tradeoff, explain_limit)
    assert ask is not None
    instance = Instance.load(instance_file)
    plan = Plan.load(plan_file)
    try:
        with working(f"reviewing the plan for {plan.request}"):
            found = review_plan(instance, plan, ask, time_limit=time_limit, workers=workers, seed=seed)
    except InstanceError as error:
        raise InstanceError(error.problems, source=error.source or instance_file) from None
    if as_json:
        emit_json(found.model_dump(mode="json"))
    else:
        from .render_explanation import review

        emit_rich(*review(found))
