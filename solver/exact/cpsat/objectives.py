"""The objectives of problem.md, in their order, as linear expressions of one region's variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from ortools.sat.python import cp_model

from ....models.units import MICRO
from ..decision import LIMIT
from .variables import Linear, Variables
from .victims import evicted_pods


@dataclass(frozen=True)
class Objective:
    """One objective to minimise.

    Attributes
    ----------
    name : str
        What it counts.
    value : linear expression
        Its value.
    most : int
        No solution has a higher value (for packing several into one).
    reach : int
        What the bounds of its terms add up to, by which the solver judges overflow: `most` or more.
    """

    name: str
    value: Linear
    most: int
    reach: int


def objectives(v: Variables, coarse: int = 1) -> list[Objective]:
    """Return all objectives of a region, the first ones before the later ones.

    Parameters
    ----------
    v : Variables
        The region's variables, with all rules posted.
    coarse : int
        Costs and prices are divided by it and rounded down.

    Returns
    -------
    list of Objective
        Violations; with ``extra_pods: evict`` the pods not placed; work lost (one a tier) with prices; evicted
        pods; displaced reservations; pods not placed; broken islands, broadest level first; the order of names.
    """
    decision = v.decision
    spare = decision.pods_most - decision.pods_least
    missing = decision.pods_most - v.placed
    seats = decision.pods_most + sum(cell.most for cell in v.region.cells)
    found: list[Objective] = []
    if v.violations:
        most = sum(int(decision.snapshot.unit_pods[unit]) for unit in v.units) + sum(map(len, v.outside.values()))
        found.append(Objective("violations", sum(v.violations), most, max(most, len(decision.snapshot.pods))))
    if decision.policy.extra_pods == "evict" and spare:
        found.append(Objective("missing", missing, spare, seats))
    for tier in range(len(decision.tiers)):
        found.append(_work(v, tier, coarse))
    pods = sum(int(decision.snapshot.unit_pods[unit]) for unit in v.units) + sum(map(len, v.outside.values()))
    found.append(Objective("evicted", evicted_pods(v), pods, pods))
    if v.displaced:
        found.append(Objective("displaced", sum(v.displaced.values()), len(v.displaced), len(v.displaced)))
    if spare:
        found.append(Objective("extra", missing, spare, seats))
    found += _broken(v)
    found.append(_names(v))
    return found


def _work(v: Variables, tier: int, coarse: int) -> Objective:
    decision = v.decision
    cost = {unit: int(decision.unit_cost[tier][unit]) // coarse for unit in v.units}
    terms: list[Linear] = [cost[unit] * v.evicted(unit) for unit in v.units if cost[unit]]
    most = sum(cost.values())
    for job, whole in v.whole.items():
        outside = sum(int(decision.unit_cost[tier][unit]) // coarse for unit in v.outside[job])
        terms.append(outside * whole)
        most += outside
    reach = most
    gang = 0
    if tier == len(decision.tiers) - 1:
        for places, exact, pods in _priced(v):
            prices = [price // coarse for price in exact]
            most += max(prices) * pods
            bounds = sum(prices[rung] * upper for rung, _, upper in places)
            if reach + bounds >= LIMIT:
                places = [(rung, _counted(v, places, rung, pods), pods) for rung in range(len(prices))]
                bounds = sum(prices) * pods
            terms += [prices[rung] * count for rung, count, _ in places]
            reach += bounds
        gang = decision.price("gang", v.rungs.gang) // coarse
    total = Objective(f"work{tier}", sum(terms) + gang, most + gang, reach + gang)
    if v.ceiling is None or tier or coarse > 1:
        return total
    return replace(total, most=min(total.most, v.ceiling))


Place: TypeAlias = tuple[int, Linear, int]
"""A rung, how many pods or slices one cell or domain has on it, and at most how many."""


def _priced(v: Variables) -> Iterator[tuple[list[Place], list[int], int]]:
    """Yield what is counted, the prices by rung, and at most how many there are in all: pods, then slices."""
    decision = v.decision
    prices = [decision.price("pod", kind) for kind in v.rungs.pod]
    if any(prices):
        yield [(cell.rung, v.count[i], cell.most) for i, cell in enumerate(v.region.cells)], prices, decision.pods_most
    prices = [decision.price("slice", kind) for kind in v.rungs.slice]
    if any(prices):
        most = decision.pods_most // decision.request.slice_size
        slices: list[Place] = [(rung, number, most) for (rung, _), number in v.slices.items()]
        yield (
            slices or [(cell.slice_rung, v.count[i], cell.most) for i, cell in enumerate(v.region.cells)],
            prices,
            most,
        )


def _counted(v: Variables, places: list[Place], rung: int, most: int) -> cp_model.IntVar:
    """Return one variable for all places of a rung, whose bound is the true one; slower than the places themselves."""
    counted: cp_model.IntVar = v.model.new_int_var(0, most, f"at rung {rung}")
    v.model.add(counted == sum(count for own, count, _ in places if own == rung))
    return counted


def _broken(v: Variables) -> list[Objective]:
    snapshot = v.decision.snapshot
    found: list[Objective] = []
    if not v.decision.gpus:
        return found
    for level in snapshot.instance.cluster.levels:
        whole = snapshot.whole_domains(level)
        numbers = snapshot.domains(level)[0]
        broken: dict[int, Linear] = {}
        for index, group in enumerate(v.groups):
            for domain in {int(numbers[slot]) for slot in group.slots if whole[numbers[slot]]}:
                if domain not in broken:
                    broken[domain] = v.model.new_bool_var(f"broken_{level}_{domain}")
                most = len(group.slots) * (MICRO // v.decision.share)
                v.model.add(v.taken(index) <= most * broken[domain])
        if broken:
            found.append(Objective(f"broken {level}", sum(broken.values()), len(broken), len(broken)))
    return found


def _names(v: Variables) -> Objective:
    """Prefer slots, then cells, then victims that come first in the order of names.

    Where so many units may go that the sum would leave 60 bits, which of equal victims go is left to the model's
    own order.
    """
    snapshot = v.decision.snapshot
    starts = np.cumsum([0] + [snapshot.shapes[node].gpus + 1 for node in v.region.nodes])
    place = {node: int(start) + 1 for node, start in zip(v.region.nodes, starts, strict=False)}
    ranked: list[tuple[int, Linear]] = []
    most = 0
    for index, group in enumerate(v.groups):
        node = int(snapshot.node_of_slot[group.slots[0]])
        rank = place[node] + group.slots[0] - int(snapshot.first_slot[node])
        ranked.append((rank, v.taken(index)))
        most += rank * len(group.slots) * (MICRO // v.decision.share)
    for number, cell in enumerate(v.region.cells):
        rank = place[cell.node] + number
        ranked.append((rank, v.count[number]))
        most += rank * cell.most
    scale = len(v.units) * (len(v.units) + 1) // 2 + 1
    if (most + 1) * scale >= LIMIT:
        return Objective("names", sum(rank * value for rank, value in ranked), most, most)
    terms: list[Linear] = [scale * rank * value for rank, value in ranked]
    terms += [rank * v.evicted(unit) for rank, unit in enumerate(v.units, start=1)]
    return Objective("names", sum(terms), (most + 1) * scale, (most + 1) * scale)
