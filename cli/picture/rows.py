"""The lines of a card: slots that look alike together, with what stands there before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from .model import Card, Island, Slot
from .parts import Part, after, before, newcomer, promised, resident
from .wish import many

MOST_SINGLE = 32
"""On nodes of more slots, neighbours that look alike share a line."""
MOST_KEPT = 4
"""So many pods that stay without known slots are named; more are counted."""
MOST_QUIET = 16
"""So many islands without change are named on a large node; more are counted."""


@dataclass(frozen=True)
class Row:
    """One line of a card.

    Attributes
    ----------
    slots : tuple of int
        Slots that it stands for; none for pods without known slots.
    label : str
        What stands before it: slot numbers, or how many slots.
    before, after : tuple of Part
        What stands there; empty: nothing to say.
    refused : bool
        The request cannot use these slots, whoever is evicted.
    hover : str
        The label in words.
    """

    slots: tuple[int, ...]
    label: str
    before: tuple[Part, ...]
    after: tuple[Part, ...]
    refused: bool
    hover: str

    @property
    def changed(self) -> bool:
        """Whether the plan changes this line."""
        return self.before != self.after


@dataclass(frozen=True)
class Section:
    """A box of a card: an island, or pods without known slots.

    Attributes
    ----------
    title : str
        What it is.
    note : str
        For whom it is; may be empty.
    serves : bool
        It is the island of a pod of the request.
    rows : tuple of Row
        Its lines.
    """

    title: str
    note: str
    serves: bool
    rows: tuple[Row, ...]


def sections(card: Card) -> tuple[Section, ...]:
    """Return the boxes of a node.

    Parameters
    ----------
    card : Card
        The node.

    Returns
    -------
    tuple of Section
        One an island (on large nodes: one a changed island, and one for the rest), then the pods whose GPUs are
        not known, then those without GPUs.
    """
    large = sum(1 for _ in card.slots) > MOST_SINGLE
    loud = [island for island in card.islands if island.changed or island.serves or not large]
    quiet = [island for island in card.islands if large and island not in loud]
    if len(card.islands) == 1:
        loud, quiet = list(card.islands), []
    found = [_section(island, large) for island in loud if island.slots or not large]
    if quiet:
        found.append(_summed(quiet))
    found += _loose(card)
    return tuple(found)


def _section(island: Island, large: bool) -> Section:
    note = f"for {', '.join(island.serves)}" if island.serves else ""
    if not island.slots:
        return Section(island.title, note or "no GPU", bool(note), ())
    stretches = _alike(island.slots) if large else [[slot] for slot in island.slots]
    return Section(island.title, note, bool(note), tuple(_row(stretch) for stretch in stretches))


def _row(stretch: Sequence[Slot]) -> Row:
    first, last = stretch[0], stretch[-1]
    label = str(first.number) if len(stretch) == 1 else f"{first.number}-{last.number}"
    hover = f"slot {label}" if len(stretch) == 1 else f"slots {label}"
    if first.refusal is not None:
        hover += f": not usable for the request ({first.refusal})"
    numbers = tuple(slot.number for slot in stretch)
    return Row(numbers, label, before(first), after(first), first.refusal is not None, hover)


def _alike(slots: Iterable[Slot]) -> list[list[Slot]]:
    def look(entry: tuple[int, Slot]) -> object:
        index, slot = entry
        # Only neighbours in number can share a label such as 8-15.
        return slot.number - index, slot.offline, slot.refusal, slot.occupants, slot.arrivals, slot.holds

    return [[slot for _, slot in group] for _, group in groupby(enumerate(slots), key=look)]


def _summed(quiet: Sequence[Island]) -> Section:
    rows = []
    for island in quiet[:MOST_QUIET]:
        free = sum(slot.before == "free" for slot in island.slots)
        text = f"{many(len(island.slots), 'slot')}, {free} free"
        part = Part("more", island.title, text, None, f"{island.title}: {text}")
        rows.append(Row((), "", (part,), (part,), False, island.title))
    if len(quiet) > MOST_QUIET:
        rest = quiet[MOST_QUIET:]
        free = sum(slot.before == "free" for island in rest for slot in island.slots)
        text = f"{many(sum(len(island.slots) for island in rest), 'slot')}, {free} free"
        part = Part("more", f"and {many(len(rest), 'island')} more", text, None, text)
        rows.append(Row((), "", (part,), (part,), False, ""))
    return Section("without change", "", False, tuple(rows))


def _loose(card: Card) -> Iterator[Section]:
    unknown = tuple(_loose_rows(card, with_gpus=True))
    if unknown:
        yield Section("GPUs not known by number", "", False, unknown)
    without = tuple(_loose_rows(card, with_gpus=False))
    if without:
        yield Section("without GPUs", "", False, without)


def _loose_rows(card: Card, *, with_gpus: bool) -> Iterator[Row]:
    occupants = [occupant for occupant in card.unplaced if bool(occupant.gpus) == with_gpus]
    kept = [occupant for occupant in occupants if occupant.fate != "evicted"]
    for occupant in occupants:
        if occupant.fate == "evicted":
            gone = Part("freed", "gone", "", None, f"{occupant.pod} is gone")
            yield Row((), _times(occupant.gpus), (resident(occupant),), (gone,), False, _counted(occupant.gpus))
    for arrival in card.arrivals:
        if bool(arrival.gpus) == with_gpus:
            yield Row((), _times(arrival.gpus), (), (newcomer(arrival),), False, _counted(arrival.gpus))
    for hold in card.holds if with_gpus else ():
        part = (promised(hold),)
        left = () if hold.promise == "displaced" else part
        yield Row((), _times(hold.gpus), part, left, False, _counted(hold.gpus))
    for occupant in kept if len(kept) <= MOST_KEPT else kept[: MOST_KEPT - 1]:
        part = (resident(occupant),)
        yield Row((), _times(occupant.gpus), part, part, False, _counted(occupant.gpus))
    if len(kept) > MOST_KEPT:
        rest = kept[MOST_KEPT - 1 :]
        gpus = sum(occupant.gpus for occupant in rest)
        names = ", ".join(occupant.pod for occupant in rest)
        part = (Part("more", f"and {many(len(rest), 'pod')} more", "", None, names),)
        yield Row((), _times(gpus), part, part, False, _counted(gpus))


def _times(gpus: int) -> str:
    return f"{gpus}×" if gpus else ""


def _counted(gpus: int) -> str:
    return f"{many(gpus, 'GPU')}, which is not known" if gpus else "no GPU"
