"""Read a solved model: which units go, and which slots each pod of the request gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from .objectives import Objective
from .unknown import holds_by_itself
from .variables import Variables


@dataclass(frozen=True)
class Placed:
    """One pod of the request.

    Attributes
    ----------
    node : int
        Its node.
    kind : str
        The island kind of its rung.
    slice_kind : str
        The island kind of its slice's rung.
    slots : tuple of int or None
        Its slots (numbers of the snapshot); None where pods of unknown placement stay.
    cell_slots : tuple of int or None
        The slots of the island it may use; None where only the island's kind is certain.
    """

    node: int
    kind: str
    slice_kind: str
    slots: tuple[int, ...] | None
    cell_slots: tuple[int, ...] | None


@dataclass(frozen=True)
class Solution:
    """A plan in the snapshot's numbers.

    Attributes
    ----------
    names : tuple of str
        The objectives.
    values : tuple of int
        Their values.
    units : tuple of int
        Evicted units.
    placed : tuple of Placed
        Pods of the request; those of one slice side by side.
    displaced : tuple of int
        Reservations (by number) whose room is taken.
    decisions : tuple
        The variables that make the plan, with their values.
    """

    names: tuple[str, ...]
    values: tuple[int, ...]
    units: tuple[int, ...]
    placed: tuple[Placed, ...]
    displaced: tuple[int, ...]
    decisions: tuple[tuple[cp_model.IntVar, int], ...] = field(repr=False, compare=False)

    def value(self, name: str) -> int:
        """Return the value of an objective; 0 if the model did not need it."""
        return sum(value for own, value in zip(self.names, self.values, strict=True) if own == name)


def read_solution(v: Variables, goals: list[Objective], solver: cp_model.CpSolver) -> Solution:
    """Return the solver's current solution.

    Parameters
    ----------
    v : Variables
        The region's variables.
    goals : list of Objective
        What to evaluate.
    solver : CpSolver
        After a solve that found something.

    Returns
    -------
    Solution
        Units, placements and objective values.
    """
    units = [unit for unit in v.units if solver.value(v.evicted(unit))]
    for job, whole in v.whole.items():
        if solver.value(whole):
            units += v.outside[job]
    gone = set(units)
    taken = _slots_by_cell(v, solver)
    placed: list[Placed] = []
    for number in sorted(range(len(v.region.cells)), key=lambda n: (v.cell(n).slice_rung, v.cell(n).slice_domain, n)):
        count = solver.value(v.count[number])
        if count:
            placed += _deal(v, solver, number, count, taken.get(number, []), gone)
    displaced = tuple(number for number, gone_too in v.displaced.items() if solver.value(gone_too))
    decisions = tuple((variable, solver.value(variable)) for variable in v.decisions)
    values = tuple(int(solver.value(goal.value)) for goal in goals)
    return Solution(
        tuple(goal.name for goal in goals), values, tuple(sorted(gone)), tuple(placed), displaced, decisions
    )


def _slots_by_cell(v: Variables, solver: cp_model.CpSolver) -> dict[int, list[int]]:
    """Give every cell the first slots of each group; a shared slot stands once for each time it is taken."""
    found: dict[int, list[int]] = {}
    for number, group in enumerate(v.groups):
        if len(group.slots) == 1:
            for cell in group.cells:
                found.setdefault(cell, []).extend(group.slots * solver.value(v.taken_by(cell, number)))
            continue
        rest = list(group.slots)
        for cell in group.cells:
            times = solver.value(v.taken_by(cell, number))
            found.setdefault(cell, []).extend(rest[:times])
            rest = rest[times:]
    return {cell: sorted(slots) for cell, slots in found.items()}


def _deal(
    v: Variables, solver: cp_model.CpSolver, number: int, count: int, slots: list[int], gone: set[int]
) -> list[Placed]:
    cell, size = v.cell(number), v.decision.gpus
    kind, slice_kind = v.rungs.pod[cell.rung], v.rungs.slice[cell.slice_rung]
    hands: list[tuple[int, ...]] = []
    if not cell.certain and cell.patterns is not None:
        chosen = zip(v.patterns[number], cell.patterns, strict=True)
        return [Placed(cell.node, kind, slice_kind, None, pattern) for x, pattern in chosen if solver.value(x)]
    if not cell.certain:
        named = holds_by_itself(v, cell.node, cell.slots, count * size, gone)
        return [Placed(cell.node, kind, slice_kind, None, cell.slots if named else None)] * count
    if cell.patterns is not None:
        for times, pattern in zip(v.patterns[number], cell.patterns, strict=True):
            hands += [pattern] * solver.value(times)
    else:
        in_turn = len(set(slots)) < len(slots)
        parts = (slice(i, None, count) if in_turn else slice(i * size, (i + 1) * size) for i in range(count))
        hands = [tuple(slots[part]) for part in parts]
    return [Placed(cell.node, kind, slice_kind, hand, cell.slots) for hand in hands]
