"""Lower bounds of what any plan in a region costs, for all regions at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.topology import BLOCK, GPU, LINK_ISLANDS, NODE
from ...models.units import MICRO
from .decision import Decision
from .layout import Ints
from .partition import Partition, islands_by_region, partition
from .rungs import Regions, Rungs

Floats = NDArray[np.float64]

SAFE = 1 - 1e-9
"""Floating-point sums are multiplied by this before they may exclude anything."""


@dataclass(frozen=True)
class Bounds:
    """Lower bounds of regions.

    Attributes
    ----------
    values : ndarray of float64, shape (objectives, regions)
        One row for soft-budget violations, then one a cost tier; infinite where no plan exists for certain.
    """

    values: Floats


def region_bounds(decision: Decision, rungs: Rungs, regions: Regions) -> Bounds:
    """Bound every region from below.

    A plan in a region evicts units and uses slots of that region only. Spread each unit's cost evenly over its
    holds in the region: a plan pays every evicted unit whole, so it pays at least the spread cost of all holds
    on the slots it uses. A slot can be used only if enough of its holders go. Pods take k slots of one island each,
    so c pods in an island pay at least its c*k cheapest slots, and n pods in a region at least the n cheapest such
    portions. Islands of links and blocks are relaxed to nodes, CPU and the other rules to a cap on the pods of
    each node; leaving rules out can only lower a bound. Prices and later objectives add nothing below 0.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    regions : Regions
        Where plans can lie.

    Returns
    -------
    Bounds
        Never above the true optimum of a region.
    """
    if not len(regions):
        return Bounds(np.empty((1 + len(decision.tiers), 0)))
    rows = [decision.unit_violations.astype(np.float64), *decision.unit_cost.astype(np.float64)]
    if not decision.gpus:
        return Bounds(np.stack([_without_gpus(decision, regions, cost) for cost in rows]))
    kinds = [level_of(decision, kind) for kind in rungs.pod]
    prices = [decision.price("pod", kind) for kind in rungs.pod]
    gang = decision.price("gang", rungs.gang)
    found = []
    for row, cost in enumerate(rows):
        is_cost = row == len(rows) - 1
        portions = [
            island_portions(decision, regions, kind, cost) + (price if is_cost else 0)
            for kind, price in zip(kinds, prices, strict=True)
        ]
        by_region = np.concatenate(
            [
                _by_region(p, cells_of(decision, regions, kind), regions.slots)
                for p, kind in zip(portions, kinds, strict=True)
            ],
            axis=1,
        )
        found.append(_cheapest(by_region, decision.pods_least) + (gang if is_cost else 0))
    return Bounds(np.stack(found))


def level_of(decision: Decision, kind: str) -> str:
    """Return the level whose domains hold every island of a kind.

    Parameters
    ----------
    decision : Decision
        For the levels.
    kind : str
        An island kind of the pod scope.

    Returns
    -------
    str
        ``node`` for islands of links and blocks.
    """
    irregular = kind in (*LINK_ISLANDS, BLOCK) and kind not in decision.snapshot.instance.cluster.levels
    return NODE if irregular else kind


def cells_of(decision: Decision, regions: Regions, level: str) -> Partition:
    """Return the islands of a level, each inside one region.

    Parameters
    ----------
    decision : Decision
        The request.
    regions : Regions
        Where plans can lie.
    level : str
        ``node``, ``gpu`` or a level below node.

    Returns
    -------
    Partition
        The domains of the level, cut where a region's own levels do.
    """
    below = decision.snapshot.instance.cluster.levels_below
    cuts = [other for other in regions.levels if other in below or other == GPU]
    return partition(decision.snapshot.layout, tuple(dict.fromkeys([level, *cuts])))


def island_portions(decision: Decision, regions: Regions, level: str, cost: Floats) -> Floats:
    """Return the least cost of the first, second, … pod in every island of a level.

    Parameters
    ----------
    decision : Decision
        The request.
    regions : Regions
        Where plans can lie.
    level : str
        The level of the islands.
    cost : ndarray of float64, shape (units,)
        What each unit costs.

    Returns
    -------
    ndarray of float64, shape (islands, pods)
        Ascending in each row; infinite where no pod fits.
    """
    cells = cells_of(decision, regions, level)
    pieces = slot_pieces(decision, regions.slots, cost)
    outside = np.full((1, pieces.shape[1]), np.inf)
    table = np.concatenate([pieces, outside])[cells.table].reshape(cells.size, -1)
    size = decision.gpus
    most = min(table.shape[1] // size, decision.pods_most)
    if not most:
        return np.full((cells.size, 1), np.inf)
    ordered = np.sort(table, axis=1)[:, : most * size]
    portions = ordered.reshape(cells.size, most, size).sum(axis=2)
    room = decision.node_room[cells.node]
    return np.where(np.arange(most)[None, :] < room[:, None], portions, np.inf)


def slot_pieces(decision: Decision, regions: Partition, cost: Floats) -> Floats:
    """Return the least cost of using every slot once, twice, … (several times only with shares).

    Parameters
    ----------
    decision : Decision
        The request.
    regions : Partition
        The slots by region.
    cost : ndarray of float64, shape (units,)
        What each unit costs.

    Returns
    -------
    ndarray of float64, shape (slots, times)
        Infinite where the slot cannot be used so often. For shares: the room that is short, at the least cost per
        share among the slot's holders.
    """
    snapshot = decision.snapshot
    slots = len(snapshot.online)
    may = decision.unit_evictable[snapshot.hold_unit]
    spread = np.where(may, cost[snapshot.hold_unit], 0.0) / regions.hold_count(snapshot)
    unusable = ~decision.slot_usable
    if decision.share == MICRO:
        whole = np.bincount(snapshot.hold_slot, weights=spread, minlength=slots).astype(np.float64)
        whole[unusable | (decision.slot_fixed > 0)] = np.inf
        return whole[:, None]
    rate = np.full(slots, np.inf)
    np.minimum.at(rate, snapshot.hold_slot[may], spread[may] / snapshot.hold_share[may])
    held = np.bincount(snapshot.hold_slot, weights=snapshot.hold_share, minlength=slots)
    times = min(MICRO // decision.share, decision.pods_most)
    asked = decision.share * np.arange(1, times + 1)
    short = np.clip(asked[None, :] - (MICRO - held)[:, None], 0, decision.share)
    pieces = np.where(short > 0, short * np.where(np.isfinite(rate), rate, 0.0)[:, None], 0.0)
    impossible = unusable[:, None] | (decision.slot_fixed[:, None] + asked[None, :] > MICRO)
    return np.where(impossible, np.inf, pieces)


def _by_region(portions: Floats, cells: Partition, regions: Partition) -> Floats:
    groups = islands_by_region(cells, regions)
    padded = np.concatenate([portions, np.full((1, portions.shape[1]), np.inf)])
    return padded[groups].reshape(regions.size, -1)


def _cheapest(portions: Floats, number: int) -> Floats:
    """Return the sum of the cheapest portions of every row."""
    if portions.shape[1] < number:
        return np.full(portions.shape[0], np.inf)
    cheapest: Floats = np.partition(portions, number - 1, axis=1)[:, :number].sum(axis=1)
    return cheapest


def _without_gpus(decision: Decision, regions: Regions, cost: Floats) -> Floats:
    """Bound regions for a request without GPUs.

    A node with room x left of a resource is short of ``amount - x`` for its first pod and of the whole amount for
    each further one, at the least cost for what its evictable pods hold; the scarcest resource counts. Where x is
    below 0, c pods are short of ``c * amount - x``, so each of at least the amount.
    """
    snapshot = decision.snapshot
    nodes = len(snapshot.nodes)
    region = np.zeros(nodes, dtype=np.int64)
    for number, members in enumerate(regions.nodes):
        region[members] = number
    may = decision.unit_evictable[snapshot.pod_unit]
    key = snapshot.pod_unit * max(1, len(regions)) + region[snapshot.pod_node]
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    spread = np.where(may, cost[snapshot.pod_unit], 0.0) / counts[inverse]
    each = np.zeros(nodes)
    for asked in decision.asked:
        useful = may & (asked.held > 0)
        rate = np.full(nodes, np.inf)
        np.minimum.at(rate, snapshot.pod_node[useful], spread[useful] / asked.held[useful])
        short = np.where(asked.bounds, np.clip(asked.amount - np.maximum(asked.free, 0), 0, None), 0)
        paid = np.where(short > 0, short * np.where(np.isfinite(rate), rate, 0.0), 0.0)
        each = np.maximum(each, paid)
    least = decision.pods_least
    bound = np.full(len(regions), np.inf)
    for number, members in enumerate(regions.nodes):
        order = members[np.argsort(each[members], kind="stable")]
        before = np.concatenate(([0], np.cumsum(decision.node_room[order])))
        if before[-1] >= least:
            bound[number] = (each[order] * np.clip(least - before[:-1], 0, decision.node_room[order])).sum()
    return bound


def broken_floor(decision: Decision, rungs: Rungs, regions: Regions, cost: int) -> Ints:
    """Bound from below how many whole islands a plan of one pod breaks, for plans of at most some cost.

    The pod takes slots of one island, and only islands whose cheapest slots cost no more than the plan are open to
    it. If all of those in a region are wholly free, the plan breaks one; likewise if all their nodes are.

    Parameters
    ----------
    decision : Decision
        A request of one pod.
    rungs : Rungs
        One rung of the pod scope, a level.
    regions : Regions
        Where plans can lie.
    cost : int
        The most that a plan costs in the first tier, in steps.

    Returns
    -------
    ndarray of int64, shape (levels, regions)
        For each level of the cluster; 0 where nothing is known.
    """
    snapshot = decision.snapshot
    levels = snapshot.instance.cluster.levels
    floor = np.zeros((len(levels), len(regions)), dtype=np.int64)
    if len(rungs.pod) != 1 or rungs.pod[0] not in levels or not decision.gpus:
        return floor
    cells = cells_of(decision, regions, rungs.pod[0])
    portions = island_portions(decision, regions, rungs.pod[0], decision.unit_cost[0].astype(np.float64))
    open_to_it = portions[:, 0] * SAFE <= cost
    slot = cells.order[cells.first[:-1]]
    region = regions.slots.of_slot[slot]
    for row, level in enumerate(levels):
        if level == rungs.pod[0] or level in (NODE, *snapshot.instance.cluster.levels_above):
            whole = snapshot.whole_domains(level)[snapshot.domains(level)[0][slot]]
            loose = np.zeros(len(regions), dtype=np.bool_)
            loose[region[open_to_it & ~whole]] = True
            floor[row] = ~loose
    return floor
