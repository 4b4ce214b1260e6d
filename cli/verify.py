"""``topreempt verify``: check a plan by the rules alone, without the solver."""

from __future__ import annotations

from typing import Annotated

import typer

from ..models.instance import Instance
from ..models.plan import Plan
from .exits import Exit
from .terminal import emit, emit_json

EXAMPLE = "topreempt verify cluster.yaml plan.json"


def run(
    instance_file: Annotated[str, typer.Argument(metavar="INSTANCE", help="The instance that was solved.")],
    plan_file: Annotated[str, typer.Argument(metavar="PLAN", help="The plan, as solve --out or --json gives it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the broken rules as JSON.")] = False,
) -> None:
    """Check a plan against the rules: every broken one on a line, exit status 3 if there is any."""
    from ..models.check import violations

    instance = Instance.load(instance_file)
    plan = Plan.load(plan_file)
    broken = violations(instance, plan)
    if as_json:
        emit_json({"violations": [{"rule": found.rule, "text": found.text} for found in broken]})
    elif broken:
        emit("".join(f"{found.rule}: {found.text}\n" for found in broken))
    else:
        emit(f"no rule is broken: {plan.status} plan of {plan.request}\n")
    raise typer.Exit(Exit.REFUTED if broken else Exit.DONE)
