"""Large regions: find a good plan among the cheapest nodes, then drop every node that no plan as good can use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .bound import SAFE, Floats, cells_of, island_portions, level_of
from .cpsat import Outcome
from .decision import Decision
from .rungs import Regions, Rungs
from .snapshot import Ints

Solver = Callable[[Ints, dict[str, int]], Outcome]


def solve_reduced(
    decision: Decision, rungs: Rungs, regions: Regions, number: int, limits: dict[str, int], solve: Solver
) -> Outcome:
    """Solve a region of many nodes on the few nodes that matter.

    Let e(n) be the least cost of one pod on node n and E the sum of the m - 1 cheapest portions of the region, m the
    fewest pods. Any plan that uses n costs at least E + e(n), by the argument of `region_bounds` with one of the m
    portions fixed to n. With a plan of cost C at hand, nodes with E + e(n) > C are in no plan of cost C or less, so
    leaving them out keeps every optimal plan, ties included.

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
        Solves the region on some of its nodes under limits.

    Returns
    -------
    Outcome
        As if the region had been solved whole.
    """
    nodes = regions.nodes[number]
    first, rest = _least_costs(decision, rungs, regions, number)
    order = np.argsort(first, kind="stable")
    order = order[np.isfinite(first[order])]
    wanted = 2 * decision.pods_least + 8
    while True:
        chosen = np.sort(order[:wanted])
        outcome = solve(nodes[chosen], limits)
        if outcome.solution is not None or len(chosen) == len(order):
            break
        if not outcome.proved:
            return Outcome(None, False, ())
        wanted *= 4
    if outcome.solution is None or len(chosen) == len(order):
        return outcome
    cost = outcome.solution.value("work0")
    kept = order[(rest + first[order]) * SAFE <= cost]
    kept = np.union1d(kept, chosen) if not outcome.proved else np.sort(kept)
    if outcome.proved and np.isin(kept, chosen).all():
        return outcome
    better = solve(nodes[kept], limits | {"work0": min(cost, limits.get("work0", cost))})
    if better.solution is None:
        return Outcome(outcome.solution, better.proved, better.bound)
    return better


def _least_costs(decision: Decision, rungs: Rungs, regions: Regions, number: int) -> tuple[Floats, float]:
    """Return e(n) for every node of the region, and E."""
    nodes = regions.nodes[number]
    cost = decision.unit_cost[0].astype(np.float64)
    first = np.full(len(decision.snapshot.nodes), np.inf)
    portions: list[Floats] = []
    for kind in rungs.pod:
        level = level_of(decision, kind)
        price = decision.price("pod", kind) if len(decision.tiers) == 1 else 0
        cells = cells_of(decision, regions, level)
        inside = np.flatnonzero(regions.slots.of_slot[cells.order[cells.first[:-1]]] == number)
        found = island_portions(decision, regions, level, cost)[inside] + price
        np.minimum.at(first, cells.node[inside], found[:, 0])
        portions.append(found.reshape(-1))
    every = np.sort(np.concatenate(portions))
    gang = decision.price("gang", rungs.gang) if len(decision.tiers) == 1 else 0
    return first[nodes], float(every[: decision.pods_least - 1].sum()) + gang
