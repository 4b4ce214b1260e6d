"""Many nodes in the terminal: how full the cluster is, in lines and tables that fit on a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .picture import Card, Picture, Tally, rows_of_groups, tally
from .picture.groups import STATES, WORDS
from .picture.lettering import clean
from .picture.model import SlotState
from .picture.wish import many

MOST_SAME = 20
"""Lines of a table that has one a priority."""
MOST_SINGLE = 8
"""Up to so many free GPUs a node each number has its column."""
_HEADINGS: Mapping[SlotState, str] = {**WORDS, "going": "leaving"}


def header(picture: Picture) -> Iterator[RenderableType]:
    """Yield what the cluster is and what waits, in a few lines.

    Parameters
    ----------
    picture : Picture
        The cluster.

    Yields
    ------
    RenderableType
        Lines.
    """
    sums = tally(picture.cards)
    line = f"{many(sums.nodes, 'node')}, {many(sums.slots, 'GPU')}: {_now(sums)}"
    yield Text.assemble(("cluster  ", "bold"), line)
    if picture.planned:
        yield Text.assemble(("after    ", "bold"), _then(sums))
    if picture.shared:
        yield Text.assemble(("gang     ", "bold"), clean(picture.shared))
    yield Text.assemble(("levels   ", "bold"), clean(" > ".join(picture.levels)))
    yield Text.assemble(("request  ", "bold"), clean(picture.wish))


def summary(picture: Picture) -> Iterator[RenderableType]:
    """Yield the state of many nodes in a table a question: where there is room, how free they are, who holds them.

    Parameters
    ----------
    picture : Picture
        The cluster.

    Yields
    ------
    RenderableType
        Tables.
    """
    yield from _by_group(picture)
    yield from _by_machine(picture.cards)
    yield from _by_priority(picture.cards)


def _by_group(picture: Picture) -> Iterator[RenderableType]:
    groups = rows_of_groups(picture)
    if not groups:
        return
    sums = [(label, tally(cards)) for label, cards in groups]
    shown = [state for state in STATES if any(found.before.get(state) for _, found in sums)]
    yield Text(f"\nGPUs by {picture.grouped_by}", "bold")
    table = _table(
        (str(picture.grouped_by), "left"), ("nodes", "right"), *((_HEADINGS[state], "right") for state in shown)
    )
    if picture.planned:
        table.add_column("request", justify="right")
        table.add_column("free\nafter", justify="right")
    for label, found in sums:
        numbers = [found.nodes, *(found.before.get(state, 0) for state in shown)]
        if picture.planned:
            numbers += [found.after.get("request", 0), found.after.get("free", 0)]
        style = "bold green" if found.after.get("request") else ""
        table.add_row(Text(clean(label), style), *(str(number or "") for number in numbers))
    yield table


def _by_machine(cards: Iterable[Card]) -> Iterator[RenderableType]:
    free = [(node.machine, tally([node]).before.get("free", 0)) for node in cards]
    few = max(number for _, number in free) <= MOST_SINGLE
    nodes: dict[str, Counter[range]] = defaultdict(Counter)
    for machine, number in free:
        nodes[machine][_span(number, few=few)] += 1
    yield Text("\nnodes by machine and free GPUs", "bold")
    spans = sorted({span for counter in nodes.values() for span in counter}, key=lambda span: span.start)
    headings = (f"{span[0]}" if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)
    table = _table(("machine", "left"), *((heading, "right") for heading in headings))
    for machine, counter in sorted(nodes.items()):
        table.add_row(Text(clean(machine)), *(str(counter[span] or "") for span in spans))
    yield table


def _span(number: int, *, few: bool) -> range:
    # Each span is as long as all before it: 1, 2-3, 4-7, 8-15.
    start = number if few or not number else 1 << (number.bit_length() - 1)
    return range(start, start + 1) if few or not number else range(start, 2 * start)


def _by_priority(cards: Iterable[Card]) -> Iterator[RenderableType]:
    held: Counter[int] = Counter()
    evicted: Counter[int] = Counter()
    for node in cards:
        here = {occupant.pod: occupant for slot in node.slots for occupant in slot.occupants}
        for occupant in (*here.values(), *node.unplaced):
            held[occupant.priority] += occupant.gpus
            evicted[occupant.priority] += occupant.gpus if occupant.fate == "evicted" else 0
    if not held:
        return
    yield Text("\nGPUs held, by priority", "bold")
    some = any(evicted.values())
    table = _table(("priority", "right"), ("GPUs", "right"), *((("evicted", "right"),) if some else ()))
    for priority in sorted(held, reverse=True)[:MOST_SAME]:
        table.add_row(str(priority), str(held[priority]), *([str(evicted[priority] or "")] if some else []))
    if len(held) > MOST_SAME:
        table.add_row(f"and {len(held) - MOST_SAME} more")
    yield table


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, show_edge=False, padding=(0, 1), pad_edge=True, header_style="dim")
    for name, side in columns:
        right = side == "right"
        table.add_column(Text(clean(name)), justify="right" if right else "left", overflow="fold", no_wrap=right)
    return table


def _now(sums: Tally) -> str:
    said = [
        f"{sums.before.get('used', 0) + sums.before.get('evicted', 0)} in use",
        f"{sums.before.get('free', 0)} free",
    ]
    for state in ("going", "offline"):
        if sums.before.get(state):
            said.append(f"{sums.before[state]} {WORDS[state]}")
    return ", ".join(said)


def _then(sums: Tally) -> str:
    came, lost, left = sums.after.get("request", 0), sums.before.get("evicted", 0), sums.after.get("free", 0)
    return f"{came} for the request, {lost} taken from evicted pods, {left} free"
