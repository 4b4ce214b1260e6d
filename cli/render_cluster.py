"""The cluster as a picture in the terminal: a card a node with its islands as boxes, or a summary of many nodes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..models.instance import Instance
from .picture import Holder, IslandView, NodeView, SlotView, counts

STYLE = {"stays": "", "evicted": "red", "terminating": "dim"}


def header(instance: Instance, views: list[NodeView]) -> Iterator[RenderableType]:
    """Yield what the cluster is and what waits, in a few lines.

    Parameters
    ----------
    instance : Instance
        The decision.
    views : list of NodeView
        All nodes.

    Yields
    ------
    RenderableType
        Lines.
    """
    tally = counts(views)
    line = (
        f"{_many(tally['nodes'], 'node')}, {_many(tally['total'], 'GPU')}: {tally['used']} in use, {tally['free']} free"
    )
    if tally["offline"]:
        line += f", {tally['offline']} offline"
    yield Text.assemble(("cluster  ", "bold"), line)
    yield Text.assemble(("levels   ", "bold"), " > ".join(instance.cluster.levels))
    request = instance.request
    wants = f"{request.name}, priority {request.priority}: {_many(request.pods, 'pod')} of {_many(request.gpus, 'GPU')}"
    if request.share != 1.0:
        wants += f" at {request.share:g}"
    for scope in ("pod", "slice", "gang"):
        asked = getattr(request.affinity, scope)
        if asked is not None:
            wants += f", {scope} in one {asked.island} ({asked.mode})"
    yield Text.assemble(("request  ", "bold"), wants)


def card(view: NodeView, *, unicode: bool, width: int) -> RenderableType:
    """Return one node with its islands side by side.

    Parameters
    ----------
    view : NodeView
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
    longest = max((len(_line(slot).plain) for slot in view.slots), default=0)
    abreast = max(1, min(len(view.islands), (width - 4) // max(18, min(longest + 5, (width - 4) // 2))))
    abreast = math.ceil(len(view.islands) / max(1, math.ceil(len(view.islands) / abreast)))
    grid = Table.grid(expand=True, padding=0)
    for _ in range(abreast):
        grid.add_column(ratio=1)
    islands = [_island(island, view.level, style) for island in view.islands]
    for start in range(0, len(islands), abreast):
        grid.add_row(*islands[start : start + abreast])
    rows: list[RenderableType] = [grid] if islands else []
    rows += [_holder("on this node", holder) for holder in view.unplaced]
    rows += [Text(f"reserved: {text}", "yellow") for text in view.reserved]
    rows += [Text(f"comes: {name}", "green") for name in view.comes]
    title = Text(view.name, "bold") + Text(f"  {view.machine}", "dim")
    if view.within:
        title += Text(f"  {view.within}", "dim")
    if view.cordoned:
        title += Text("  cordoned", "yellow")
    return Panel(Group(*rows), title=title, title_align="left", box=style, padding=0)


def summary(views: list[NodeView]) -> Iterator[RenderableType]:
    """Yield the state of many nodes in a table a question: how free they are, who holds them.

    Parameters
    ----------
    views : list of NodeView
        All nodes.

    Yields
    ------
    RenderableType
        Tables.
    """
    free: dict[str, Counter[int]] = defaultdict(Counter)
    held: Counter[int] = Counter()
    evicted: Counter[int] = Counter()
    for view in views:
        unknown = sum(holder.gpus for holder in view.unplaced)
        rest = sum(not slot.holders and not slot.offline for slot in view.slots)
        free[view.machine][max(0, rest - unknown)] += 1
        for pod, holder in _holders(view).items():
            held[holder.priority] += holder.gpus
            evicted[holder.priority] += holder.gpus * (pod == holder.pod and holder.fate == "evicted")
    yield Text("\nnodes by machine and free GPUs", "bold")
    table = Table(box=None, show_edge=False, padding=(0, 2, 0, 2), pad_edge=True, header_style="dim")
    table.add_column("machine", overflow="fold")
    numbers = sorted({number for counter in free.values() for number in counter})
    for number in numbers:
        table.add_column(f"{number} free", justify="right")
    for machine, counter in sorted(free.items()):
        table.add_row(machine, *(str(counter[number] or "") for number in numbers))
    yield table
    yield Text("\nGPUs held, by priority", "bold")
    table = Table(box=None, show_edge=False, padding=(0, 2, 0, 2), pad_edge=True, header_style="dim")
    for name in ("priority", "GPUs") + (("evicted",) if any(evicted.values()) else ()):
        table.add_column(name, justify="right")
    for priority in sorted(held, reverse=True):
        table.add_row(str(priority), str(held[priority]), *([str(evicted[priority])] if any(evicted.values()) else []))
    yield table


def _holders(view: NodeView) -> dict[str, Holder]:
    return {holder.pod: holder for holder in [*view.unplaced, *(h for slot in view.slots for h in slot.holders)]}


def _island(island: IslandView, level: str, style: box.Box) -> RenderableType:
    lines = [_line(slot) for slot in island.slots] or [Text("no GPU", "dim")]
    for line in lines:
        line.no_wrap = True
        line.overflow = "ellipsis"
    return Panel(Group(*lines), title=Text(f"{level} {island.name}"), title_align="left", box=style, padding=(0, 1))


def _line(slot: SlotView) -> Text:
    line = Text(f"{slot.slot} ", "bold")
    if slot.holders:
        for index, holder in enumerate(slot.holders):
            line.append((" + " if index else "") + _described(holder), STYLE[holder.fate])
    else:
        line.append("offline" if slot.offline else "free", "dim")
    if slot.offline and slot.holders:
        line.append(" offline", "yellow")
    if slot.reserved_for:
        line.append(f" [for {', '.join(slot.reserved_for)}]", "yellow")
    if slot.comes:
        line.append(f" -> {' + '.join(slot.comes)}", "bold green")
    elif any(holder.fate == "evicted" for holder in slot.holders):
        line.append(" -> free", "green")
    return line


def _described(holder: Holder) -> str:
    text = f"{holder.pod} ({holder.priority})"
    if holder.share != 1.0:
        text += f" x{holder.share:g}"
    return text + {"stays": "", "evicted": " evicted", "terminating": " terminating"}[holder.fate]


def _holder(where: str, holder: Holder) -> Text:
    what = f"{_many(holder.gpus, 'GPU')}, which is not known" if holder.gpus else "no GPU"
    return Text(f"{where}: {_described(holder)}, {what}", STYLE[holder.fate])


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
