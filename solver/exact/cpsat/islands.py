"""Rule: each pod of the request takes its k slots in one island."""

from __future__ import annotations

from ....models.units import MICRO
from .variables import Variables


def add(v: Variables) -> None:
    """Post ``sum of taken slots = k * pods`` for every cell; irregular islands choose among their patterns.

    With shares a pod takes a slot at most once, so no slot is taken more often than its cell has pods; then the
    slots can always be dealt out round-robin.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    size = v.decision.gpus
    for number, cell in enumerate(v.region.cells):
        groups = v.groups_of_cell.get(number, [])
        if not size or not cell.certain:
            continue
        v.model.add(sum(v.taken_by(number, group) for group in groups) == size * v.count[number])
        if v.decision.share != MICRO:
            for group in groups:
                v.model.add(v.taken_by(number, group) <= v.count[number])
        if cell.patterns is not None:
            _choose_patterns(v, number)


def _choose_patterns(v: Variables, number: int) -> None:
    cell = v.cell(number)
    assert cell.patterns is not None
    most = MICRO // v.decision.share
    chosen = [v.model.new_int_var(0, most, f"pattern{number}_{index}") for index in range(len(cell.patterns))]
    v.patterns[number] = chosen
    v.model.add(sum(chosen) == v.count[number])
    for group in v.groups_of_cell[number]:
        slot = v.groups[group].slots[0]
        holding = [x for x, pattern in zip(chosen, cell.patterns, strict=True) if slot in pattern]
        v.model.add(v.taken_by(number, group) == sum(holding))
