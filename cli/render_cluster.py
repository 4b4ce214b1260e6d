"""A node as a picture in the terminal: a card with its islands as boxes, a line a slot, and what the plan changes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from .picture import Card
from .picture.lettering import clean
from .picture.parts import Part
from .picture.rows import Row, Section, sections

TONE_STYLES = ("", "cyan", "bright_cyan", "bright_blue", "bold bright_blue")
STYLES = {
    "victim": "strike red",
    "going": "dim italic",
    "request": "bold black on green",
    "reserved": "yellow",
    "displaced": "strike yellow",
    "free": "dim",
    "freed": "green",
    "offline": "dim",
}
MOST_LINKS = 20


def card(node: Card, *, unicode: bool, width: int) -> RenderableType:
    """Return one node with its islands side by side where they fit.

    Parameters
    ----------
    node : Card
        The node.
    unicode : bool
        Whether boxes may be drawn with line characters.
    width : int
        Columns of the page.

    Returns
    -------
    RenderableType
        A panel.
    """
    style = box.ROUNDED if unicode else box.ASCII
    found = sections(node)
    longest = max(
        (_line(row, unicode).cell_len + _gutter(section) for section in found for row in section.rows), default=0
    )
    titles = max((len(section.title) + len(section.note) + 5 for section in found), default=0)
    room = width - 2
    abreast = max(1, min(len(found), room // max(18, longest + 4, titles + 4)))
    abreast = math.ceil(len(found) / math.ceil(len(found) / abreast)) if found else 1
    grid = Table.grid(expand=True, padding=0)
    for _ in range(abreast):
        grid.add_column(ratio=1)
    boxes = [_section(section, style, unicode) for section in found]
    for start in range(0, len(boxes), abreast):
        grid.add_row(*boxes[start : start + abreast])
    parts: list[RenderableType] = [grid] if boxes else []
    if node.wires:
        parts.append(Text(_wires(node), "dim"))
    title = Text.assemble((clean(node.name), "bold"), (f"  {clean(node.machine)}", "dim"))
    if node.place:
        title.append(f"  {clean(node.place)}", "dim")
    if node.cordoned:
        title.append("  cordoned", "yellow")
    elif node.refusal is not None:
        title.append(f"  not usable: {node.refusal}", "yellow")
    border = "green" if node.receives else ""
    return Panel(Group(*parts), title=title, title_align="left", box=style, padding=0, border_style=border)


def _section(section: Section, style: box.Box, unicode: bool) -> RenderableType:
    grid = Table.grid(padding=(0, 1, 0, 0))
    numbered = any(row.label for row in section.rows)
    if numbered:
        grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for row in section.rows:
        label = Text(_plain(row.label, unicode), "strike dim" if row.refused else "bold")
        grid.add_row(*([label] if numbered else []), _line(row, unicode))
    title = Text(clean(section.title))
    if section.note:
        title.append(f"  {clean(section.note)}", "bold green" if section.serves else "dim")
    border = "green" if section.serves else ""
    return Panel(grid, title=title, title_align="left", box=style, padding=(0, 1), border_style=border)


def _gutter(section: Section) -> int:
    return max(len(row.label) for row in section.rows) + 1


def _line(row: Row, unicode: bool) -> Text:
    line = _stack(row.before)
    if row.changed:
        line.append(("" if not row.before else " ") + ("→ " if unicode else "-> "), "bold")
        line.append_text(_stack(row.after) if row.after else Text("nothing", "dim"))
    return line


def _stack(parts: Sequence[Part]) -> Text:
    line = Text()
    for number, part in enumerate(parts):
        line.append(" + " if number else "", "dim")
        line.append(clean(part.name), TONE_STYLES[part.tone or 0] if part.kind == "pod" else STYLES.get(part.kind, ""))
        if part.detail and part.kind != "request":
            line.append(f" ({_brief(part.detail)})", "red" if part.kind == "victim" else "dim")
    return line


def _brief(detail: str) -> str:
    return detail.replace("priority ", "")


def _wires(node: Card) -> str:
    served = [wire for wire in node.wires if wire.serves]
    shown = ", ".join(f"{wire.slots[0]}-{wire.slots[1]}" for wire in node.wires[:MOST_LINKS])
    more = f" and {len(node.wires) - MOST_LINKS} more" if len(node.wires) > MOST_LINKS else ""
    used = f"; in the request's island: {', '.join(f'{a}-{b}' for a, b in (w.slots for w in served))}" if served else ""
    return f" links {shown}{more}{used}"


def _plain(label: str, unicode: bool) -> str:
    return label if unicode else label.replace("×", "x")
