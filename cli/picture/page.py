"""The picture as one HTML page that needs nothing else: no script, no network, styles and drawings inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import jinja2
from markupsafe import Markup

from ...models.plan import Plan
from .choice import Choice
from .groups import STATES, WORDS, Tally, rows_of_groups, tally
from .layout import laid_out
from .lettering import clean
from .model import Card, Picture, SlotState
from .report import facts, listed, verdict
from .svg import svg_of, text_of
from .tables import tables
from .wish import many

_TITLES = {"all": "The nodes", "asked": "The nodes asked for", "touched": "The nodes that the plan touches"}


@dataclass(frozen=True)
class Segment:
    """A part of a bar: slots of one state."""

    state: str
    slots: int
    words: str


@dataclass(frozen=True)
class Bars:
    """How full some nodes are.

    Attributes
    ----------
    label : str
        Which nodes.
    counts : str
        How many.
    lines : tuple of (str, tuple of Segment)
        When, and the slots by state then; one line where nothing changes.
    touched : bool
        The plan changes something there.
    """

    label: str
    counts: str
    lines: tuple[tuple[str, tuple[Segment, ...]], ...]
    touched: bool


@dataclass(frozen=True)
class Figure:
    """A node's drawing."""

    place: str
    markup: Markup


def page_of(picture: Picture, plan: Plan | None, choice: Choice) -> str:
    """Return the page.

    Parameters
    ----------
    picture : Picture
        The cluster.
    plan : Plan or None
        What changes in it.
    choice : Choice
        The nodes to draw.

    Returns
    -------
    str
        HTML; the same for the same input.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    whole = tally(picture.cards)
    return environment.get_template("page.html").render(
        picture=picture,
        name=plan.request if plan is not None else picture.wish.partition(",")[0],
        status=plan.status if plan is not None else "",
        verdict=verdict(plan) if plan is not None else "",
        facts=_facts(picture, plan),
        tables=list(tables(plan)) if plan is not None else [],
        whole=_bars("whole cluster", whole, picture, touched=any(card.touched for card in picture.cards)),
        groups=[
            _bars(label, tally(cards), picture, touched=any(card.touched for card in cards))
            for label, cards in rows_of_groups(picture)
        ],
        figures=[_figure(card, planned=picture.planned) for card in choice.cards],
        left_out=_named(choice.left_out),
        nodes_title=_TITLES[choice.why],
    )


def _facts(picture: Picture, plan: Plan | None) -> list[tuple[str, str]]:
    shared = [("the gang shares", picture.shared)] if picture.shared else []
    return [*facts(plan), *shared] if plan is not None else []


def _named(cards: Iterable[Card]) -> str:
    names = [card.name for card in cards]
    return f"{many(len(names), 'more node')} that the plan touches: {listed(names, 200)}" if names else ""


def _figure(card: Card, *, planned: bool) -> Figure:
    drawing = laid_out(card, planned=planned)
    return Figure(card.place, Markup(text_of(svg_of(drawing, title=f"node {clean(card.name)}"))))


def _bars(label: str, sums: Tally, picture: Picture, *, touched: bool) -> Bars:
    counts = f"{many(sums.nodes, 'node')}, {many(sums.slots, 'GPU')}"
    now = "before" if touched else "unchanged" if picture.planned else "now"
    lines = [(now, _segments(sums.before))] + ([("after", _segments(sums.after))] if touched else [])
    return Bars(
        label=label,
        counts=counts,
        lines=tuple(lines),
        touched=touched,
    )


def _segments(states: Mapping[SlotState, int]) -> tuple[Segment, ...]:
    return tuple(
        Segment(state, states[state], f"{states[state]:,} {WORDS[state]}") for state in STATES if states.get(state)
    )
