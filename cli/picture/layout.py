"""Where everything of a card stands: header, islands as boxes, lines with before and after, links beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .block import DETAIL_SIZE, NAME_SIZE, Block, columns, drawn, label, runs
from .lettering import cells, clean, wrapped
from .model import Card
from .rows import MOST_SINGLE, Row, Section, sections
from .shapes import CELL, Arrow, Box, Curve, Label
from .wish import many

WIDTH = 360.0
"""Of a card: a phone shows one, a desk three side by side."""

_TITLE_SIZE = 13.0
_PAD = 8.0
_INNER = 5.0
_ROW = 22.0
_ROW_GAP = 2.0
_COLUMN_GAP = 15.0
_GUTTER = 34.0
_LINE = 15.0


def laid_out(card: Card, *, planned: bool) -> Box:
    """Return the drawing of one node.

    Parameters
    ----------
    card : Card
        The node.
    planned : bool
        Whether there is an after.

    Returns
    -------
    Box
        `WIDTH` wide, at the origin, as tall as it needs to be.
    """
    boxes = sections(card)
    wires = card.wires if sum(1 for _ in card.slots) <= MOST_SINGLE else ()
    labels, y = _header(card, wires_left_out=bool(card.wires) and not wires)
    left = _PAD + (_GUTTER if wires else 0.0)
    width = WIDTH - left - _PAD
    numbers = max((cells(row.label) for section in boxes for row in section.rows), default=0)
    gutter = max(14.0, numbers * NAME_SIZE * CELL + 6.0)
    if boxes:
        labels += _headings(
            left, width, gutter, y, "now" if not planned else "" if card.touched else "before and after"
        )
        y += _LINE
    drawings = []
    centres: dict[int, float] = {}
    for section in boxes:
        drawing, found = _section(section, left, y, width, gutter, whole_refused=card.refusal is not None)
        drawings.append(drawing)
        centres |= found
        y += drawing.height + _INNER
    height = y - _INNER + _PAD if boxes else y + _PAD
    longest = max((abs(centres[b] - centres[a]) for a, b in (wire.slots for wire in wires)), default=1.0)
    curves = tuple(
        _curve(left, centres[wire.slots[0]], centres[wire.slots[1]], longest, wire.serves, wire.slots, wire.text)
        for wire in wires
    )
    style = "card" + (" receives" if card.receives else "") + (" cordoned" if card.cordoned else "")
    return Box(0.0, 0.0, WIDTH, height, style, "", "", tuple(labels), tuple(drawings), (), curves)


def _header(card: Card, *, wires_left_out: bool) -> tuple[list[Label], float]:
    labels, y = [], _PAD
    room = WIDTH - 2 * _PAD
    for line in wrapped(clean(card.name), columns(room, _TITLE_SIZE), 4):
        y += _LINE + 1
        labels.append(label(line, _PAD, y - 4, _TITLE_SIZE, "title"))
    said = [" · ".join(text for text in (card.machine, card.place) if text)]
    if card.cordoned:
        said.append("cordoned: takes no new pods")
    elif card.refusal is not None:
        said.append(f"not usable for the request: {card.refusal}")
    if card.fully_linked:
        said.append("every pair of GPUs is linked")
    elif card.wires:
        said.append(f"{many(len(card.wires), 'linked pair')}" + (" (not drawn)" if wires_left_out else ""))
    for text in said:
        for line in wrapped(clean(text), columns(room, DETAIL_SIZE), 3):
            y += _LINE
            labels.append(label(line, _PAD, y - 4, DETAIL_SIZE, "note"))
    return labels, y + 2


def _headings(left: float, width: float, gutter: float, y: float, single: str) -> list[Label]:
    start, column = _columns(left, width, gutter)
    base = y + _LINE - 4
    if single:
        return [label(single, start, base, DETAIL_SIZE, "note")]
    return [
        label("before", start, base, DETAIL_SIZE, "note"),
        label("after", start + column + _COLUMN_GAP, base, DETAIL_SIZE, "note"),
    ]


def _columns(left: float, width: float, gutter: float) -> tuple[float, float]:
    start = left + _INNER + gutter
    return start, (left + width - _INNER - start - _COLUMN_GAP) / 2


def _section(
    section: Section, left: float, top: float, width: float, gutter: float, *, whole_refused: bool
) -> tuple[Box, dict[int, float]]:
    labels, y = _section_title(section, left, top, width)
    blocks = _blocks(section.rows, left, width, gutter)
    heights = _heights(len(section.rows), blocks)
    tops = [y + sum(heights[:number]) + _ROW_GAP * number for number in range(len(heights))]
    boxes: list[Box] = []
    arrows = []
    start, column = _columns(left, width, gutter)
    for block in blocks:
        tall = tops[block.last] + heights[block.last] - tops[block.first]
        boxes += drawn(block, tops[block.first], tall)
        if block.x > start:
            arrows.append(Arrow(start + column + 2, tops[block.first] + tall / 2, _COLUMN_GAP - 4))
    centres: dict[int, float] = {}
    for row, row_top, tall in zip(section.rows, tops, heights, strict=True):
        middle = row_top + tall / 2
        if row.label:
            struck = row.refused and not whole_refused
            long = cells(row.label) * NAME_SIZE * CELL
            numbered = label(
                row.label, left + _INNER + gutter - 5 - long, middle + 4, NAME_SIZE, "number", struck=struck
            )
            boxes.append(Box(left + _INNER, row_top, gutter - 3, tall, "bare", clean(row.hover), "", (numbered,)))
        centres |= dict.fromkeys(row.slots, middle)
    bottom = tops[-1] + heights[-1] + _INNER if tops else y + 2
    style = "island serves" if section.serves else "island"
    return (
        Box(left, top, width, bottom - top, style, "", "", tuple(labels), tuple(boxes), tuple(arrows)),
        centres,
    )


def _section_title(section: Section, left: float, top: float, width: float) -> tuple[list[Label], float]:
    labels, y = [], top
    room = width - 2 * _INNER
    style = "serving" if section.serves else "section"
    title, note = clean(section.title), clean(section.note)
    beside = (cells(title) + cells(note) + 2) * DETAIL_SIZE * CELL <= room
    for line in wrapped(title, columns(room, DETAIL_SIZE), 2):
        y += _LINE
        labels.append(label(line, left + _INNER, y - 4, DETAIL_SIZE, "section"))
    if note and beside:
        long = cells(note) * DETAIL_SIZE * CELL
        labels.append(label(note, left + width - _INNER - long, y - 4, DETAIL_SIZE, style))
    elif note:
        for line in wrapped(note, columns(room, DETAIL_SIZE), 3):
            y += _LINE
            labels.append(label(line, left + _INNER, y - 4, DETAIL_SIZE, style))
    return labels, y + 2


def _blocks(rows: Sequence[Row], left: float, width: float, gutter: float) -> list[Block]:
    start, column = _columns(left, width, gutter)
    blocks: list[Block] = []
    number = 0
    for changed, stretch in groupby(rows, key=lambda row: row.changed):
        here = list(stretch)
        if changed:
            blocks += runs([row.before for row in here], number, start, column)
            blocks += runs([row.after for row in here], number, start + column + _COLUMN_GAP, column)
        else:
            blocks += runs([row.before for row in here], number, start, 2 * column + _COLUMN_GAP)
        number += len(here)
    return blocks


def _heights(number: int, blocks: Sequence[Block]) -> list[float]:
    heights = [_ROW] * number
    for block in sorted(blocks, key=lambda block: (block.last - block.first, block.first)):
        lines = range(block.first, block.last + 1)
        lacking = block.needs - sum(heights[line] for line in lines) - _ROW_GAP * (len(lines) - 1)
        if lacking > 0:
            for line in lines:
                heights[line] += lacking / len(lines)
    return heights


def _curve(
    x: float, first: float, second: float, longest: float, serves: bool, slots: tuple[int, int], text: str
) -> Curve:
    top, bottom = min(first, second), max(first, second)
    bulge = 8.0 + (_GUTTER - 12.0) * (bottom - top) / longest
    style = "wire serves" if serves else "wire"
    return Curve(x, top, bottom, bulge, style, clean(f"{slots[0]} to {slots[1]}: {text}"))
