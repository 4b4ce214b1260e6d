"""The variables of one region's model, with verbs that let the rules read as sentences."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ortools.sat.python import cp_model

from ....models.units import MICRO
from ..decision import Decision
from ..region import Cell, Region
from ..rungs import Rungs

Linear: TypeAlias = cp_model.LinearExpr | int


@dataclass(frozen=True)
class SlotGroup:
    """Slots of one node that no rule tells apart: the same holders, cells, free domains and reservations.

    Attributes
    ----------
    slots : tuple of int
        The slots; one alone for shared GPUs and in irregular islands.
    holders : tuple of (int, int)
        Units that may be evicted, with their shares.
    cells : tuple of int
        Cells that may take them.
    """

    slots: tuple[int, ...]
    holders: tuple[tuple[int, int], ...]
    cells: tuple[int, ...]


class Variables:
    """Who is evicted, what is taken and where pods of the request go.

    Interchangeable slots stand as one integer, not one boolean each: swapping two of them changes no rule and no
    objective before the order of names, and that order takes the first ones.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    region : Region
        Nodes and cells.
    ceiling : int, optional
        Plans that cost more in the first tier are of no interest, so units that alone cost more stay.

    Attributes
    ----------
    model : CpModel
        What the rules are posted on.
    units : list of int
        Units on the region's nodes that may be evicted.
    count : list of IntVar
        Pods of the request by cell.
    groups : list of SlotGroup
        Interchangeable slots.
    whole : dict
        Elastic jobs that may go whole: whether they do; `outside` has their pods elsewhere.
    patterns : dict
        By cell of irregular islands: how often each pattern is chosen.
    violations : list of IntVar
        Excess over each soft budget.
    displaced : dict
        Displaceable reservations: whether their room is taken.
    slices : dict
        By slice rung and domain: how many slices lie there.
    """

    def __init__(self, decision: Decision, rungs: Rungs, region: Region, ceiling: int | None = None) -> None:
        self.decision = decision
        self.rungs = rungs
        self.region = region
        self.ceiling = ceiling
        self.model = cp_model.CpModel()
        self.whole: dict[int, cp_model.IntVar] = {}
        self.outside: dict[int, list[int]] = {}
        self.patterns: dict[int, list[cp_model.IntVar]] = {}
        self.violations: list[cp_model.IntVar] = []
        self.displaced: dict[int, cp_model.IntVar] = {}
        self.slices: dict[tuple[int, int], cp_model.IntVar] = {}
        self.units = self._relevant_units()
        self._evict = {unit: self.model.new_bool_var(f"evict{unit}") for unit in self.units}
        self.count = [self.model.new_int_var(0, cell.most, f"count{i}") for i, cell in enumerate(region.cells)]
        self.groups = self._slot_groups()
        self._take = {
            (cell, number): self.model.new_int_var(0, self._most_taken(group), f"take{cell}_{number}")
            for number, group in enumerate(self.groups)
            for cell in group.cells
        }

    def _relevant_units(self) -> list[int]:
        snapshot = self.decision.snapshot
        units = {int(snapshot.pod_unit[pod]) for node in self.region.nodes for pod in snapshot.pods_on(node)}
        may = sorted(unit for unit in units if self.decision.unit_evictable[unit])
        if self.ceiling is None:
            return may
        cost = self.decision.unit_cost[0]
        return [unit for unit in may if cost[unit] <= self.ceiling]

    def _most_taken(self, group: SlotGroup) -> int:
        return len(group.slots) * (MICRO // self.decision.share)

    def _slot_groups(self) -> list[SlotGroup]:
        decision, snapshot = self.decision, self.decision.snapshot
        cells_of: dict[int, list[int]] = defaultdict(list)
        alone: set[int] = set()
        for number, cell in enumerate(self.region.cells):
            for slot in cell.slots if cell.certain else ():
                cells_of[slot].append(number)
                if cell.patterns is not None or decision.share != MICRO:
                    alone.add(slot)
        below = snapshot.instance.cluster.levels_below
        members: dict[object, list[int]] = defaultdict(list)
        holders: dict[int, tuple[tuple[int, int], ...]] = {}
        for slot in sorted(cells_of):
            holders[slot] = self.holders(slot)
            fine = () if holders[slot] else tuple(int(snapshot.domains(level)[0][slot]) for level in below)
            key = (
                slot if slot in alone else int(snapshot.node_of_slot[slot]),
                holders[slot],
                tuple(cells_of[slot]),
                fine,
                self.promised.get(slot, ()),
            )
            members[key].append(slot)
        return [SlotGroup(tuple(slots), holders[slots[0]], tuple(cells_of[slots[0]])) for slots in members.values()]

    @cached_property
    def promised(self) -> dict[int, tuple[int, ...]]:
        """Displaceable reservations by slot."""
        snapshot = self.decision.snapshot
        found: dict[int, list[int]] = defaultdict(list)
        for number in self.decision.displaceable:
            held = self.decision.instance.reservations[number]
            for slot in held.slots or ():
                found[int(snapshot.first_slot[snapshot.node_index[held.node]]) + slot].append(number)
        return {slot: tuple(numbers) for slot, numbers in found.items()}

    def holders(self, slot: int) -> tuple[tuple[int, int], ...]:
        """Return the units that may be evicted from a slot, with their shares in millionths."""
        snapshot = self.decision.snapshot
        first, last = snapshot.slot_first_hold[slot], snapshot.slot_first_hold[slot + 1]
        held: dict[int, int] = defaultdict(int)
        for unit, share in zip(
            snapshot.hold_unit[first:last].tolist(), snapshot.hold_share[first:last].tolist(), strict=True
        ):
            if self.decision.unit_evictable[unit]:
                held[unit] += share
        return tuple(sorted(held.items()))

    @property
    def decisions(self) -> list[cp_model.IntVar]:
        """The variables that make a plan; all others follow from them."""
        patterns = [variable for chosen in self.patterns.values() for variable in chosen]
        return [*self._evict.values(), *self.whole.values(), *self.count, *self._take.values(), *patterns]

    def evicted(self, unit: int) -> Linear:
        """Return whether a unit goes; a unit that may not go stays."""
        return self._evict.get(unit, 0)

    def pod_evicted(self, pod: int) -> Linear:
        """Return whether a running pod goes."""
        return self.evicted(int(self.decision.snapshot.pod_unit[pod]))

    def taken_by(self, cell: int, group: int) -> cp_model.IntVar:
        """Return how many times a cell takes slots of a group."""
        return self._take[cell, group]

    def taken(self, group: int) -> Linear:
        """Return how many times all cells together take slots of a group."""
        return sum(self._take[cell, group] for cell in self.groups[group].cells)

    @cached_property
    def groups_of_cell(self) -> dict[int, list[int]]:
        """Slot groups by cell."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, group in enumerate(self.groups):
            for cell in group.cells:
                found[cell].append(number)
        return found

    @cached_property
    def cells_of_node(self) -> dict[int, list[int]]:
        """Cells by node."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, cell in enumerate(self.region.cells):
            found[cell.node].append(number)
        return found

    def placed_on(self, node: int) -> Linear:
        """Return how many pods of the request a node gets."""
        return sum(self.count[cell] for cell in self.cells_of_node[node])

    def most_on(self, node: int) -> int:
        """Return the most pods of the request that a node can get."""
        most = sum(self.region.cells[cell].most for cell in self.cells_of_node[node])
        return min(most, int(self.decision.node_room[node]), self.decision.pods_most)

    @property
    def placed(self) -> Linear:
        """How many pods of the request are placed."""
        return sum(self.count)

    @cached_property
    def _used(self) -> dict[int, cp_model.IntVar]:
        return {}

    @cached_property
    def _used_cells(self) -> dict[int, cp_model.IntVar]:
        return {}

    def uses(self, node: int) -> cp_model.IntVar:
        """Return whether a node gets a pod of the request."""
        if node not in self._used:
            used = self.model.new_bool_var(f"uses{node}")
            self.model.add(self.placed_on(node) >= 1).only_enforce_if(used)
            self.model.add(self.placed_on(node) == 0).only_enforce_if(used.negated())
            self._used[node] = used
        return self._used[node]

    def uses_cell(self, number: int) -> cp_model.IntVar:
        """Return whether a cell gets a pod of the request (at least 1 if it does)."""
        if number not in self._used_cells:
            used = self.model.new_bool_var(f"uses_cell{number}")
            self.model.add(self.count[number] <= self.region.cells[number].most * used)
            self._used_cells[number] = used
        return self._used_cells[number]

    def cell(self, number: int) -> Cell:
        """Return a cell by its number."""
        return self.region.cells[number]
