"""Blocks of a card: a run of lines in which the same things stand, each thing a box with its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .lettering import cells, clean, wrapped
from .parts import Part
from .shapes import CELL, Box, Label

NAME_SIZE = 11.0
DETAIL_SIZE = 10.0
_LEAD = 13.0
_PAD_X, _PAD_Y = 5.0, 4.0
_GAP = 2.0
_MOST_NAME_LINES = 4
_MOST_DETAIL_LINES = 3
_PATTERN = {
    "victim": "struck",
    "going": "dotted",
    "reserved": "lined",
    "displaced": "struck",
    "offline": "crossed",
    "freed": "",
}


@dataclass(frozen=True)
class Block:
    """The same parts in neighbouring lines of a card.

    Attributes
    ----------
    first, last : int
        Numbers of the lines, both included.
    parts : tuple of Part
        From top to bottom.
    x, width : float
        Where it stands.
    """

    first: int
    last: int
    parts: tuple[Part, ...]
    x: float
    width: float

    @property
    def needs(self) -> float:
        """The height that its words need."""
        return sum(_height(part, self.width) for part in self.parts) + _GAP * (len(self.parts) - 1)


def drawn(block: Block, top: float, height: float) -> tuple[Box, ...]:
    """Return the boxes of a block.

    Parameters
    ----------
    block : Block
        What to draw.
    top, height : float
        The room of its lines; at least what it needs.

    Returns
    -------
    tuple of Box
        One a part, one below the other.
    """
    spare = (height - block.needs) / len(block.parts)
    boxes = []
    for part in block.parts:
        tall = _height(part, block.width) + spare
        boxes.append(_box(part, block.x, top, block.width, tall))
        top += tall + _GAP
    return tuple(boxes)


def label(text: str, x: float, y: float, size: float, style: str = "", *, struck: bool = False) -> Label:
    """Return a line of text with the width that a fixed-width font gives it.

    Parameters
    ----------
    text : str
        One line.
    x, y : float
        Left end and baseline.
    size : float
        Of the font.
    style : str
        Classes of the style sheet.
    struck : bool
        Whether a line goes through it.

    Returns
    -------
    Label
        The text.
    """
    return Label(x, y, text, size, cells(text) * size * CELL, style, struck)


def columns(width: float, size: float) -> int:
    """Return how many cells of a font fit into a width.

    Parameters
    ----------
    width : float
        The room.
    size : float
        Of the font.

    Returns
    -------
    int
        At least 4.
    """
    return max(4, int((width + 1e-6) / (size * CELL)))


def _words(part: Part, width: float) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    room = width - 2 * _PAD_X
    name, detail = clean(part.name), part.detail
    abreast = cells(name) * NAME_SIZE * CELL + (cells(detail) + 2) * DETAIL_SIZE * CELL <= room
    names = wrapped(name, columns(room, NAME_SIZE), _MOST_NAME_LINES)
    details = wrapped(detail, columns(room, DETAIL_SIZE), _MOST_DETAIL_LINES) if detail else ()
    return names, details, bool(detail) and abreast


def _height(part: Part, width: float) -> float:
    names, details, abreast = _words(part, width)
    lines = len(names) + (0 if abreast else len(details))
    return 2 * _PAD_Y + lines * _LEAD


def _box(part: Part, x: float, y: float, width: float, height: float) -> Box:
    names, details, abreast = _words(part, width)
    lines = len(names) + (0 if abreast else len(details))
    struck = part.kind in ("victim", "displaced")
    base = y + (height - lines * _LEAD) / 2 + NAME_SIZE - 1
    labels = [
        label(text, x + _PAD_X, base + number * _LEAD, NAME_SIZE, f"name {part.kind}", struck=struck)
        for number, text in enumerate(names)
    ]
    for number, text in enumerate(details):
        line = base if abreast else base + (len(names) + number) * _LEAD
        found = label(text, x + _PAD_X, line, DETAIL_SIZE, f"detail {part.kind}")
        if abreast:
            found = label(text, x + width - _PAD_X - found.width, line, DETAIL_SIZE, f"detail {part.kind}")
        labels.append(found)
    tone = "" if part.tone is None else f" tone{part.tone}"
    pattern = _PATTERN.get(part.kind, "")
    return Box(x, y, width, height, f"part {part.kind}{tone}", clean(part.hover), pattern, tuple(labels))


def runs(parts: Sequence[tuple[Part, ...]], start: int, x: float, width: float) -> list[Block]:
    """Return the blocks of neighbouring lines.

    Parameters
    ----------
    parts : sequence of tuple of Part
        What stands in each line.
    start : int
        Number of the first line.
    x, width : float
        Where the column stands.

    Returns
    -------
    list of Block
        Neighbours with the same parts are one; lines with nothing have none.
    """
    found: list[Block] = []
    for number, here in enumerate(parts, start=start):
        if found and found[-1].last == number - 1 and found[-1].parts == here:
            found[-1] = Block(found[-1].first, number, here, x, width)
        elif here:
            found.append(Block(number, number, here, x, width))
    return found
