"""The cheapest plans of a single pod, island by island."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

import numpy as np

from ...models.domains import label_of
from ..exact.bound import SAFE, Floats, cells_of, island_portions, level_of
from ..exact.cpsat import solve_region
from ..exact.cpsat.read import Placed, Solution
from ..exact.decision import Decision
from ..exact.region import spell_out
from ..exact.rungs import Regions, Rungs, regions_of
from ..exact.search import Key, key_of
from .candidates import Candidate, costs_of
from .probe import Probe


def other_islands(decision: Decision, rungs: Rungs, own: Solution, probe: Probe) -> Iterator[Candidate | Key]:
    """Find the cheapest plan of every other island, the cheapest first.

    Parameters
    ----------
    decision : Decision
        A request of one pod.
    rungs : Rungs
        The granted rungs; priced ones compete with their prices.
    own : Solution
        The plan whose island is left out.
    probe : Probe
        What may be spent.

    Yields
    ------
    Candidate or tuple of int
        Islands in the order of their costs, each solved only when its bound is due; last, if time ran out, costs
        that no further island undercuts.
    """
    waiting: list[tuple[Key, int, tuple[Rungs, Regions, int]]] = []
    number = count()
    for kind in rungs.pod:
        alone = Rungs((kind,), rungs.slice, rungs.gang)
        regions = regions_of(decision, alone)
        bounds = _island_bounds(decision, alone, regions)
        for cell in np.flatnonzero(np.isfinite(bounds).all(axis=0)).tolist():
            if not _is_own(decision, alone, regions, cell, own.placed[0]):
                bound = tuple(int(value) for value in bounds[:, cell])
                waiting.append((bound, next(number), (alone, regions, cell)))
    heapq.heapify(waiting)
    solved: list[tuple[Key, int, Candidate]] = []
    while waiting or solved:
        while solved and (not waiting or costs_of(decision, solved[0][0]) <= waiting[0][0]):
            yield heapq.heappop(solved)[2]
        if not waiting:
            return
        if probe.is_over:
            yield min([waiting[0][0], *(costs_of(decision, key) for key, _, _ in solved)])
            return
        bound, order, (alone, regions, cell) = heapq.heappop(waiting)
        candidate = _island(decision, alone, regions, cell, probe)
        if candidate is not None:
            heapq.heappush(solved, (candidate.key, order, candidate))


def _island_bounds(
    decision: Decision, rungs: Rungs, regions: Regions
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    level = level_of(decision, rungs.pod[0])
    rows = [decision.unit_violations.astype(np.float64), *decision.unit_cost.astype(np.float64)]
    found = [island_portions(decision, regions, level, cost)[:, 0] for cost in rows]
    found[-1] = found[-1] + decision.price("pod", rungs.pod[0]) + decision.price("gang", rungs.gang)
    bounds: Floats = np.ceil(np.stack(found) * SAFE)
    return bounds


def _is_own(decision: Decision, rungs: Rungs, regions: Regions, cell: int, placed: Placed) -> bool:
    if placed.kind != rungs.pod[0]:
        return False
    cells = cells_of(decision, regions, level_of(decision, rungs.pod[0]))
    if int(cells.node[cell]) != placed.node:
        return False
    slots = placed.slots or placed.cell_slots
    return slots is None or int(cells.of_slot[slots[0]]) == cell


def _island(decision: Decision, rungs: Rungs, regions: Regions, cell: int, probe: Probe) -> Candidate | None:
    level = level_of(decision, rungs.pod[0])
    cells = cells_of(decision, regions, level)
    slots = cells.slots(cell)
    probe.tally.solved += 1
    outcome = solve_region(
        decision, rungs, spell_out(decision, rungs, [int(cells.node[cell])], slots), probe.effort, {}
    )
    if outcome.solution is None:
        return None
    numbers, keys = decision.snapshot.domains(level)
    label = label_of(keys[int(numbers[slots[0]])])
    key = key_of(decision, outcome.solution)
    return Candidate(key, outcome.solution, rungs, label, rungs.pod[0], outcome.proved)
