"""Large regions: find the cost of a good plan on the cheapest nodes, then leave out what no plan as good can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bound import SAFE, Floats, cells_of, island_portions, level_of, slot_pieces
from .cpsat import Outcome
from .decision import Decision
from .interchange import representatives
from .layout import Ints
from .rungs import Regions, Rungs

SPREAD, SPARE = 2, 8
"""The first try is on so many of the cheapest nodes for each pod of the request, and so many more."""

Solver = Callable[[Ints, Ints | None, dict[str, int], bool], Outcome]
"""Solves on some nodes, on some of their slots (None: all), under limits; true: for the first cost alone."""


@dataclass(frozen=True)
class LeastCosts:
    """What using a node or a slot of a region costs at least.

    Attributes
    ----------
    node : ndarray of float64, shape (nodes,)
        The least cost of one pod on each node of the cluster; infinite outside the region.
    slot : ndarray of float64, shape (slots,)
        The least cost of one pod that uses a slot.
    rest : float
        The least cost of all pods but one, wherever they are.
    """

    node: Floats
    slot: Floats
    rest: float


def solve_reduced(
    decision: Decision, rungs: Rungs, regions: Regions, number: int, limits: dict[str, int], solve: Solver
) -> Outcome:
    """Solve a region of many nodes on the few nodes and slots that matter.

    Let e(s) be the least cost of one pod that uses slot s and E the sum of the m - 1 cheapest portions of the
    region, m the fewest pods. Any plan that uses s costs at least E + e(s), by the argument of `region_bounds` with
    one of the m portions made to use s. With a plan of cost C at hand, slots with E + e(s) > C are in no plan of
    cost C or less, so leaving them out keeps every optimal plan, ties included.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    regions : Regions
        All regions.
    number : int
        This region.
    limits : dict
        Upper limits of objectives by name.
    solve : callable
        Solves the region on some of its nodes and slots under limits.

    Returns
    -------
    Outcome
        As if the region had been solved whole.
    """
    nodes = representatives(decision, rungs, regions.nodes[number])
    least = least_costs(decision, rungs, regions, number)
    order = nodes[np.argsort(least.node[nodes], kind="stable")]
    order = order[np.isfinite(least.node[order])]
    wanted = SPREAD * decision.pods_least + SPARE
    while wanted < len(order):
        outcome = solve(np.sort(order[:wanted]), None, limits, True)
        if outcome.solution is not None:
            cost = outcome.solution.value("work0")
            kept, slots = _affordable(decision, least, order, cost)
            final = solve(kept, slots, limits | {"work0": min(cost, limits.get("work0", cost))}, False)
            if final.solution is None and outcome.complete is not None:
                return Outcome(outcome.complete(), False, final.bound)
            return final
        if not outcome.proved:
            return Outcome(None, False, {})
        wanted *= 4
    return solve(np.sort(order), None, limits, False)


def _affordable(decision: Decision, least: LeastCosts, order: Ints, cost: int) -> tuple[Ints, Ints]:
    may: NDArray[np.bool_] = (least.rest + least.slot) * SAFE <= cost
    kept = np.sort(order[(least.rest + least.node[order]) * SAFE <= cost])
    inside = np.zeros(len(decision.snapshot.nodes), dtype=np.bool_)
    inside[kept] = True
    return kept, np.flatnonzero(may & inside[decision.snapshot.node_of_slot])


def least_costs(decision: Decision, rungs: Rungs, regions: Regions, number: int) -> LeastCosts:
    """Bound the cost of using each node and slot of a region.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    regions : Regions
        All regions.
    number : int
        This region.

    Returns
    -------
    LeastCosts
        In the unit of the first cost tier, prices and the gang's price included.
    """
    snapshot, size = decision.snapshot, decision.gpus
    cost = decision.unit_cost[0].astype(np.float64)
    pieces = np.append(slot_pieces(decision, regions.slots, cost)[:, 0], np.inf)
    by_node = np.full(len(snapshot.nodes), np.inf)
    by_slot = np.full(len(snapshot.online) + 1, np.inf)
    portions: list[Floats] = []
    priced = len(decision.tiers) == 1
    for kind in rungs.pod:
        level = level_of(decision, kind)
        price = decision.price("pod", kind) if priced else 0
        cells = cells_of(decision, regions, level)
        inside = np.flatnonzero(regions.slots.of_slot[cells.order[cells.first[:-1]]] == number)
        found = island_portions(decision, regions, level, cost)[inside] + price
        np.minimum.at(by_node, cells.node[inside], found[:, 0])
        portions.append(found.reshape(-1))
        table = cells.table[inside]
        if table.shape[1] < size:
            continue
        own = pieces[table]
        cheapest = np.partition(own, size - 1, axis=1)[:, :size]
        dearest = cheapest.max(axis=1, keepdims=True)
        fits = np.isfinite(found[:, :1]) & np.isfinite(own)
        extra = np.maximum(np.where(fits, own - np.where(fits, dearest, 0.0), 0.0), 0.0)
        with_slot = np.where(fits, cheapest.sum(axis=1, keepdims=True) + extra + price, np.inf)
        np.minimum.at(by_slot, table.reshape(-1), with_slot.reshape(-1))
    every = np.sort(np.concatenate(portions))
    gang = decision.price("gang", rungs.gang) if priced else 0
    return LeastCosts(by_node, by_slot[:-1], float(every[: decision.pods_least - 1].sum()) + gang)
