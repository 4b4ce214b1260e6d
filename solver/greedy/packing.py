"""How many disjoint slot sets go into what is free: any slots of a domain, or sets out of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from heapq import nlargest

MOST_EXACT = 20
"""Up to so many free places sets are packed exactly; beyond, in the order of the list, each where it still fits."""

Room = Mapping[int, int]


def any_slots(room: Room, size: int, limit: int) -> list[tuple[int, ...]]:
    """Return sets of different slots, as many as there are up to a limit.

    Parameters
    ----------
    room : mapping
        How many sets each slot can be in.
    size : int
        Slots a set.
    limit : int
        How many sets are wanted.

    Returns
    -------
    list of tuple of int
        The most that can be: n sets exist exactly if the rooms, each cut at n, sum to n times the size.
    """
    count = 0
    while count < limit and sum(min(most, count + 1) for most in room.values()) >= (count + 1) * size:
        count += 1
    left, drawn = {slot: min(most, count) for slot, most in room.items()}, []
    for _ in range(count):
        chosen = tuple(sorted(nlargest(size, left, key=lambda slot: (left[slot], -slot))))
        drawn.append(chosen)
        for slot in chosen:
            left[slot] -= 1
    return drawn


def of_a_list(sets: Sequence[tuple[int, ...]], room: Room, limit: int) -> list[tuple[int, ...]]:
    """Return sets of a list that go in together, as many as there are up to a limit.

    Parameters
    ----------
    sets : sequence of tuple of int
        The sets to choose from, each of which fits alone.
    room : mapping
        How many sets each slot can be in.
    limit : int
        How many sets are wanted.

    Returns
    -------
    list of tuple of int
        The most that can be, where at most `MOST_EXACT` places are free; a set may be in it more than once.
    """
    first = _in_order(sets, room, limit)
    if len(first) >= limit or sum(room.values()) > MOST_EXACT:
        return first
    by_lowest: dict[int, list[tuple[int, ...]]] = {}
    for island in sets:
        by_lowest.setdefault(min(island), []).append(island)
    slots = sorted(room)

    @cache
    def most(left: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        place = next((place for place, amount in enumerate(left) if amount), None)
        if place is None:
            return ()
        best = most((*left[:place], 0, *left[place + 1 :]))
        for island in by_lowest.get(slots[place], ()):
            rest = tuple(amount - (slot in island) for slot, amount in zip(slots, left, strict=True))
            if min(rest) >= 0 and len(found := (island, *most(rest))) > len(best):
                best = found
        return best

    return list(most(tuple(room[slot] for slot in slots)))[:limit]


def _in_order(sets: Sequence[tuple[int, ...]], room: Room, limit: int) -> list[tuple[int, ...]]:
    left = dict(room)
    packed: list[tuple[int, ...]] = []
    for island in sets:
        while len(packed) < limit and all(left[slot] for slot in island):
            packed.append(island)
            for slot in island:
                left[slot] -= 1
    return packed
