"""``topreempt show``: the cluster as a picture, and what a plan changes in it."""

from __future__ import annotations

from typing import Annotated

import typer

from ..models.errors import ConfigError
from ..models.instance import Instance
from ..models.plan import Plan
from .picture import level_shown, plain, views
from .terminal import emit_json, emit_rich, page_width, speaks_unicode

EXAMPLE = "topreempt show cluster.yaml --plan plan.json --node n1"
MOST_CARDS = 16


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The instance, JSON or YAML; - is standard input.")],
    plan_file: Annotated[
        str | None, typer.Option("--plan", metavar="PLAN", help="Show what goes and what comes by this plan.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--node", metavar="NAME", help="Show this node only; may be repeated.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Islands to draw; default: what the request asks for.")
    ] = None,
    cards: Annotated[
        int, typer.Option(min=0, metavar="N", help="Draw a card a node up to so many nodes, else a summary.")
    ] = MOST_CARDS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the nodes shown as JSON.")] = False,
) -> None:
    """Draw the nodes with their islands as boxes: who sits on which slot, and with a plan what changes.

    A cluster of many nodes is summed up; with a plan the nodes that it changes are drawn below.
    """
    from .render_cluster import card, header, summary

    instance = Instance.load(file)
    plan = Plan.load(plan_file) if plan_file is not None else None
    found = views(instance, plan, level_shown(instance, level))
    wanted = set(names or ())
    unknown = sorted(wanted - {view.name for view in found})
    if unknown:
        raise ConfigError(f"--node: found {unknown[0]!r}, expected the name of a node of {file}")
    shown = [view for view in found if view.name in wanted] if wanted else found
    if as_json:
        emit_json({"nodes": [plain(view) for view in shown]})
        return
    parts = list(header(instance, found))
    if not wanted and len(found) > cards:
        parts += summary(found)
        shown = [view for view in found if view.touched][:cards]
    emit_rich(*parts, *(card(view, unicode=speaks_unicode(), width=page_width()) for view in shown))
