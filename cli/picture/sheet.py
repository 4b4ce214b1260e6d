"""The cards alone as one SVG file, for documents, slides and tickets."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from .layout import WIDTH, laid_out
from .lettering import clean
from .model import Card
from .svg import draw, text_of

COLUMNS = 3
_GAP = 14.0


def sheet_of(cards: Sequence[Card], *, planned: bool) -> str:
    """Return cards side by side as an SVG document.

    Parameters
    ----------
    cards : sequence of Card
        At least one node.
    planned : bool
        Whether there is an after.

    Returns
    -------
    str
        A document with its styles and patterns, up to `COLUMNS` cards wide, each below the shortest column.
    """
    drawings = [laid_out(card, planned=planned) for card in cards]
    heights = [_GAP] * min(COLUMNS, len(drawings))
    places = []
    for drawing in drawings:
        column = heights.index(min(heights))
        places.append((_GAP + column * (WIDTH + _GAP), heights[column]))
        heights[column] += drawing.height + _GAP
    wide, tall = f"{_GAP + len(heights) * (WIDTH + _GAP):g}", f"{max(heights):g}"
    names = ", ".join(clean(card.name) for card in cards)
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {wide} {tall}",
            "width": wide,
            "height": tall,
            "role": "img",
            "aria-label": f"nodes {names}",
        },
    )
    SubElement(root, "style").text = _template("drawing.css")
    root.append(ElementTree.fromstring(_template("patterns.svg")))
    SubElement(root, "rect", {"class": "sheet", "width": wide, "height": tall})
    for drawing, (x, y) in zip(drawings, places, strict=True):
        draw(SubElement(root, "g", {"transform": f"translate({x:g} {y:g})"}), drawing)
    return text_of(root) + "\n"


def _template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
