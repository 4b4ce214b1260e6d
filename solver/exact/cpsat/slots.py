"""Rule: a slot serves the request only where its holders are gone, and never more than once over."""

from __future__ import annotations

from ....models.units import MICRO
from .variables import Variables


def add(v: Variables) -> None:
    """Post ``sum of shares on a slot <= 1`` for every slot group.

    Whole GPUs: ``taken(g) <= slots(g)`` and ``taken(g) <= slots(g) * evicted(u)`` for each holder u. Shares:
    ``f * taken(s) <= 1 - kept shares``, one slot a group.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    share = v.decision.share
    for number, group in enumerate(v.groups):
        size, taken = len(group.slots), v.taken(number)
        if share == MICRO:
            if len(group.cells) > 1:
                v.model.add(taken <= size)
            for unit, _ in group.holders:
                v.model.add(taken <= size * v.evicted(unit))
        else:
            free = MICRO - int(v.decision.slot_fixed[group.slots[0]])
            kept = sum(held - held * v.evicted(unit) for unit, held in group.holders)
            v.model.add(share * taken + kept <= free)
