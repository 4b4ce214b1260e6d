"""How many pods of the request each place could hold at most, and what keeps it from holding more: counts alone."""

from __future__ import annotations

import numpy as np

from ...models.domains import label_of
from ...models.reasons import ReasonCode
from ...models.topology import CLUSTER, NODE
from ..exact.decision import Decision
from ..exact.layout import Ints
from ..exact.rungs import Rungs
from .facts import CODES
from .islands import Islands
from .nodes import Nodes
from .places import Places


def places_of(decision: Decision, rungs: Rungs) -> Places:
    """Count what every place of a search could hold.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The rungs that were searched.

    Returns
    -------
    Places
        Left out are links between slots beyond whether one island can be free, who must go together, budgets shared
        by several jobs, and NUMA nodes beyond whether a pod of this shape can be admitted at all.
    """
    islands = Islands(decision, rungs)
    return _by_island(islands) if decision.gpus and decision.pods_most == 1 else _by_region(islands)


def _by_island(islands: Islands) -> Places:
    """Return the islands of a single pod."""
    allowed = Nodes(islands)
    node, size = islands.cells.node, islands.cells.size
    one = np.ones(size, dtype=np.int64)
    itself = np.arange(size, dtype=np.int64)
    hindered = allowed.hindered(node, one, itself, size)
    if islands.level != islands.kind:
        hindered[ReasonCode.NO_ISLAND] = ((islands.free >= islands.decision.gpus) & (islands.seats == 0)).astype(
            np.int64
        )
    numbers, keys = islands.snapshot.domains(islands.level)
    return Places(
        decision=islands.decision,
        is_single=True,
        level=islands.level,
        size=size,
        label=lambda place: label_of(keys[int(numbers[islands.first[place]])]),
        nodes=lambda place: node[place : place + 1],
        slot_facts=islands.facts,
        unit_facts=islands.unit_facts,
        slots=islands.slots,
        free=islands.free - allowed.unseen_loss.sum(axis=0),
        lost=islands.lost(islands.cells.of_slot, size) + allowed.unseen_loss,
        slot_seats=np.minimum(islands.seats, allowed.loose_seats[node]),
        seats=np.minimum.reduce([islands.seats, allowed.caps()[node], allowed.certain_seats[node]]),
        empty_seats=islands.empty_seats,
        hindered=hindered,
    )


def _by_region(islands: Islands) -> Places:
    """Return the regions of a gang, or of a request without GPUs."""
    allowed = Nodes(islands)
    regions, size = islands.regions, len(islands.regions)
    nodes = np.concatenate(regions.nodes) if size else np.zeros(0, dtype=np.int64)
    place = np.repeat(np.arange(size, dtype=np.int64), [len(members) for members in regions.nodes])
    caps = allowed.caps()[nodes]
    zeros = np.zeros(size, dtype=np.int64)
    if not islands.decision.gpus:
        wanted = np.full(len(nodes), islands.decision.pods_least, dtype=np.int64)
        slots, free, lost = zeros, zeros, np.zeros((len(CODES), size), dtype=np.int64)
        by_slots, seats, empty = wanted, caps, wanted
    else:
        cell_place = regions.slots.of_slot[islands.first]
        pair_key = place * len(islands.snapshot.nodes) + nodes
        pair_of_cell = np.searchsorted(pair_key, cell_place * len(islands.snapshot.nodes) + islands.cells.node)

        def per_pair(values: Ints) -> Ints:
            return np.bincount(pair_of_cell, weights=values, minlength=len(nodes)).astype(np.int64)

        by_slots = np.minimum(per_pair(islands.seats), allowed.loose_seats[nodes])
        wanted = np.minimum(by_slots, islands.decision.pods_least)
        seats = np.minimum.reduce([by_slots, caps, allowed.certain_seats[nodes]])
        empty = per_pair(islands.empty_seats)
        of_slot = regions.slots.of_slot
        slots = np.bincount(of_slot, minlength=size).astype(np.int64)
        lost = islands.lost(of_slot, size)
        unseen = allowed.unseen_loss
        for code in np.flatnonzero(unseen.any(axis=1)):
            lost[code] += np.bincount(cell_place, weights=unseen[code], minlength=size).astype(np.int64)
        free = np.maximum(slots - lost.sum(axis=0), 0)
    return Places(
        decision=islands.decision,
        is_single=False,
        level=", ".join(regions.levels),
        size=size,
        label=lambda place: _region_label(islands, place),
        nodes=lambda place: regions.nodes[place],
        slot_facts=islands.facts,
        unit_facts=islands.unit_facts,
        slots=slots,
        free=free,
        lost=lost,
        slot_seats=_in_slices(islands, by_slots, nodes, place, size),
        seats=_in_slices(islands, seats, nodes, place, size),
        empty_seats=_in_slices(islands, empty, nodes, place, size),
        hindered=allowed.hindered(nodes, wanted, place, size),
    )


def _in_slices(islands: Islands, seats: Ints, nodes: Ints, place: Ints, size: int) -> Ints:
    """Sum seats by place, rounded down to whole slices in every slice domain at or above node."""
    slice_size = islands.decision.request.slice_size
    above = (NODE, CLUSTER, *islands.snapshot.instance.cluster.levels_above)
    if slice_size == 1 or len(islands.rungs.slice) != 1 or islands.rungs.slice[0] not in above:
        return np.bincount(place, weights=seats, minlength=size).astype(np.int64)
    domain = islands.snapshot.domain_of_node(islands.rungs.slice[0])[0][nodes]
    width = int(domain.max(initial=0)) + 1
    keys, inverse = np.unique(place * width + domain, return_inverse=True)
    whole = np.bincount(inverse.reshape(-1), weights=seats, minlength=len(keys)).astype(np.int64)
    whole = whole // slice_size * slice_size
    return np.bincount(keys // width, weights=whole, minlength=size).astype(np.int64)


def _region_label(islands: Islands, place: int) -> str:
    names = []
    for level in islands.regions.levels:
        if islands.decision.gpus:
            numbers, keys = islands.snapshot.domains(level)
            first = islands.regions.slots.order[islands.regions.slots.first[place]]
            names.append(label_of(keys[int(numbers[first])]))
        else:
            by_node, keys = islands.snapshot.domain_of_node(level)
            names.append(label_of(keys[int(by_node[islands.regions.nodes[place][0]])]))
    return ", ".join(names)
