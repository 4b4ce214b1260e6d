"""``topreempt show``: the cluster as a picture, in the terminal or as a page, and what a plan changes in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..instances.write import writable, write_text
from ..models.errors import ConfigError
from ..models.instance import Instance
from ..models.plan import Plan
from .picture import Choice, Picture, choose, nodes_asked, picture_of
from .terminal import emit_json, emit_rich, note, page_width, speaks_unicode

EXAMPLE = "topreempt show cluster.yaml --plan plan.json --html picture.html"
SMALL = 16
MOST_DRAWN = 96
PAGES = (".html", ".htm")
DRAWINGS = (".svg",)


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The instance, JSON or YAML; - is standard input.")],
    plan_file: Annotated[
        str | None, typer.Option("--plan", metavar="PLAN", help="Show what goes and what comes by this plan.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--node", metavar="NAME", help="Show this node only; may be repeated.")
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(metavar="LEVEL=DOMAIN", help="Show the nodes of this domain only; may be repeated."),
    ] = None,
    level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Islands to draw; default: what the request asks for.")
    ] = None,
    cards: Annotated[
        int, typer.Option(min=0, metavar="N", help="Draw a card a node up to so many nodes, else a summary.")
    ] = SMALL,
    html: Annotated[
        str | None, typer.Option(metavar="OUT", help="Write the picture as a page to this file instead.")
    ] = None,
    svg: Annotated[
        str | None, typer.Option(metavar="OUT", help="Write the nodes alone as a drawing to this file instead.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the nodes shown as JSON.")] = False,
) -> None:
    """Draw the nodes with their islands as boxes: who sits on which slot, and with a plan what changes.

    A cluster of many nodes is summed up; with a plan the nodes that it changes are drawn below.
    """
    targets = [writable(path, kinds) for path, kinds in ((html, PAGES), (svg, DRAWINGS)) if path is not None]
    instance = Instance.load(file)
    plan = Plan.load(plan_file) if plan_file is not None else None
    asked = nodes_asked(instance, names or (), within or ())
    picture = picture_of(instance, plan, level)
    if targets:
        drawn = choose(picture, asked, cards, max(cards, MOST_DRAWN))
        for target in targets:
            write_text(_written(picture, plan, drawn, target), target)
            note(f"picture written to {target}")
        return
    if as_json:
        emit_json({"nodes": [asdict(card) for card in picture.cards if asked is None or card.name in asked]})
        return
    from .render_cluster import card
    from .render_summary import header, summary

    drawn = choose(picture, asked, cards, cards)
    parts = list(header(picture))
    if drawn.why == "touched":
        parts += summary(picture)
    shown = [card(node, unicode=speaks_unicode(), width=page_width()) for node in drawn.cards]
    emit_rich(*parts, *shown)
    if drawn.left_out:
        note(f"{len(drawn.left_out)} more nodes that the plan touches; --node, --within or --cards shows them")


def _written(picture: Picture, plan: Plan | None, drawn: Choice, target: Path) -> str:
    if target.suffix.lower() in DRAWINGS:
        from .picture.sheet import sheet_of

        if not drawn.cards:
            raise ConfigError("--svg: the plan touches no node of this large cluster; --node or --within names some")
        return sheet_of(drawn.cards, planned=plan is not None)
    from .picture.page import page_of

    return page_of(picture, plan, drawn)
