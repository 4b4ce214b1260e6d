"""How many pods of the request each place could hold at most, and what keeps it from holding more: counts alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...models.alignment import alignment
from ...models.domains import label_of
from ...models.reasons import ReasonCode
from ...models.topology import ALIGNING_POLICIES, BLOCK, CLUSTER, GPU, LINK_ISLANDS, NODE
from ...models.units import MICRO
from ..exact.bound import level_of
from ..exact.decision import Asked, Decision
from ..exact.layout import Ints
from ..exact.partition import Partition, partition
from ..exact.patterns import patterns_of
from ..exact.rungs import Regions, Rungs, regions_of
from .facts import CODES, FREE, slot_facts, unit_facts

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Places:
    """Where the request could go: islands for a single pod, regions for a gang; every number is an upper bound.

    Attributes
    ----------
    decision : Decision
        The request.
    is_single : bool
        Whether the request is one pod, so that places are its islands.
    level : str
        What a place is called.
    size : int
        Number of places.
    label : callable
        Gives the name of a place.
    nodes : callable
        Gives the nodes of a place.
    slot_facts, unit_facts : ndarray of int64, shape (slots,), (units,)
        As `facts` gives them.
    slots, free : ndarray of int64, shape (places,)
        Slots in all, and those that can serve the request once everybody goes who may.
    lost : ndarray of int64, shape (codes, places)
        Slots that cannot, by the position of the fact in `CODES`.
    slot_seats, seats, empty_seats : ndarray of int64, shape (places,)
        Pods that fit at most: as far as slots go; with all that is counted; and if nobody ran there, nothing was
        wrong and resources did not count.
    hindered : dict
        By code, or by the name of a resource: nodes of each place that take fewer pods for this reason, shape
        (places,).
    """

    decision: Decision
    is_single: bool
    level: str
    size: int
    label: Callable[[int], str]
    nodes: Callable[[int], Ints]
    slot_facts: Ints
    unit_facts: Ints
    slots: Ints
    free: Ints
    lost: Ints
    slot_seats: Ints
    seats: Ints
    empty_seats: Ints
    hindered: dict[ReasonCode | str, Ints]

    def __len__(self) -> int:
        """Return the number of places."""
        return self.size

    def nodes_of(self, places: Sequence[int]) -> Ints:
        """Return the nodes of several places, each once.

        Parameters
        ----------
        places : sequence of int
            At least one.

        Returns
        -------
        ndarray of int64
            In name order.
        """
        return np.unique(np.concatenate([self.nodes(place) for place in places]))


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
    counts = _Counts(decision, rungs)
    return counts.by_island() if decision.gpus and decision.pods_most == 1 else counts.by_region()


def most_by(asked: Asked, decision: Decision) -> Ints:
    """Return the most that can be free of a resource on every node, in steps, shape (nodes,).

    Parameters
    ----------
    asked : Asked
        The resource.
    decision : Decision
        Who may go.

    Returns
    -------
    ndarray of int64
        Below 0 where pods that stay hold more than there is.
    """
    snapshot = decision.snapshot
    evictable = decision.unit_evictable[snapshot.pod_unit]
    back = np.bincount(snapshot.pod_node[evictable], weights=asked.held[evictable], minlength=len(asked.free))
    return asked.free + back.astype(np.int64)


class _Counts:
    """The counts of one search, from slots to islands to nodes to regions."""

    def __init__(self, decision: Decision, rungs: Rungs) -> None:
        self.decision = decision
        self.rungs = rungs
        self.snapshot = decision.snapshot
        self.regions: Regions = regions_of(decision, rungs)
        self.kind = rungs.pod[0] if len(rungs.pod) == 1 else NODE
        self.unit_facts = unit_facts(decision)
        self.facts = slot_facts(decision, self.unit_facts)
        self.times = np.where(self.facts == FREE, (MICRO - decision.slot_fixed) // decision.share, 0)

    @cached_property
    def cells(self) -> Partition:
        """Islands, cut by slices and regions where these are finer than a node."""
        below = self.snapshot.instance.cluster.levels_below
        cuts = [self.rungs.slice[0]] if len(self.rungs.slice) == 1 else []
        fine = [level for level in (*cuts, *self.regions.levels) if level in below or level == GPU]
        return partition(self.snapshot.layout, tuple(dict.fromkeys([level_of(self.decision, self.kind), *fine])))

    @cached_property
    def _first(self) -> Ints:
        """The first slot of each cell."""
        return self.cells.order[self.cells.first[:-1]]

    def _per_cell(self, weights: NDArray[np.int64] | Flags) -> Ints:
        return np.bincount(self.cells.of_slot, weights=weights, minlength=self.cells.size).astype(np.int64)

    @cached_property
    def _cell_slots(self) -> Ints:
        return np.diff(self.cells.first).astype(np.int64)

    @cached_property
    def _cell_free(self) -> Ints:
        return self._per_cell(self.facts == FREE)

    @cached_property
    def _cell_seats(self) -> Ints:
        size = self.decision.gpus
        seats = np.where(self._cell_free >= size, self._per_cell(self.times) // size, 0)
        return np.where(self._has_island(self.facts == FREE), seats, 0)

    @cached_property
    def _cell_empty_seats(self) -> Ints:
        size = self.decision.gpus
        seats = np.where(self._cell_slots >= size, self._cell_slots * (MICRO // self.decision.share) // size, 0)
        return np.where(self._has_island(np.ones_like(self.facts, dtype=np.bool_)), seats, 0)

    def _has_island(self, free: Flags) -> Flags:
        """Return which cells hold a link or block island of free slots; all, where the island is a level."""
        snapshot, kind = self.snapshot, self.kind
        if kind not in (*LINK_ISLANDS, BLOCK) or kind in snapshot.instance.cluster.levels:
            return np.ones(self.cells.size, dtype=np.bool_)
        affinity, size = self.decision.request.affinity.pod, self.decision.gpus
        by_shape: dict[int, list[int]] = {}
        for node, shape in enumerate(snapshot.shapes):
            by_shape.setdefault(id(shape), []).append(node)
        found = np.zeros(len(snapshot.nodes), dtype=np.bool_)
        for nodes in by_shape.values():
            shape = snapshot.shapes[nodes[0]]
            patterns = patterns_of(shape, kind, affinity, size)
            starts = snapshot.first_slot[nodes]
            if patterns.groups is not None:
                for group in patterns.groups:
                    if len(group) >= size:
                        found[nodes] |= free[starts[:, None] + np.array(group)].sum(axis=1) >= size
            else:
                for island in patterns.sets:
                    found[nodes] |= free[starts[:, None] + np.array(island)].all(axis=1)
        return found[self.cells.node]

    @cached_property
    def _staying_unseen(self) -> Ints:
        """GPUs of pods of unknown placement that stay for certain, by code and node, shape (codes, nodes)."""
        snapshot = self.snapshot
        staying = np.zeros((len(CODES), len(snapshot.nodes)), dtype=np.int64)
        by_unit = self.unit_facts
        for node, pods in snapshot.unknown_pods.items():
            for pod in pods:
                code = by_unit[snapshot.pod_unit[pod]]
                if code != FREE:
                    staying[code, node] += snapshot.pods[pod].gpus or 0
        return staying

    @cached_property
    def _node_free(self) -> Ints:
        free = np.bincount(self.cells.node, weights=self._cell_free, minlength=len(self.snapshot.nodes))
        return free.astype(np.int64)

    @cached_property
    def _cell_unheld(self) -> Ints:
        """Slots of each cell that can serve and that no pod of known placement holds."""
        unheld = self.facts == FREE
        unheld[self.snapshot.hold_slot] = False
        return self._per_cell(unheld)

    @cached_property
    def _burden(self) -> Ints:
        """Slots of each node that can serve, but may be held by unseen pods that stay, shape (nodes,)."""
        unheld = np.bincount(self.cells.node, weights=self._cell_unheld, minlength=len(self.snapshot.nodes))
        burden: Ints = np.minimum(self._staying_unseen.sum(axis=0), unheld.astype(np.int64))
        return burden

    @cached_property
    def _unseen_loss(self) -> Ints:
        """Slots of each cell that unseen pods may hold whatever the other cells give, by code, shape (codes, cells)."""
        node = self.cells.node
        rest = np.maximum(self._node_free - self._burden, 0)[node]
        left = np.maximum(self._cell_free - rest, 0)
        lost = np.zeros((len(CODES), self.cells.size), dtype=np.int64)
        for code in np.flatnonzero(self._staying_unseen.any(axis=1)):
            lost[code] = np.minimum(left, self._staying_unseen[code][node])
            left = left - lost[code]
        return lost

    @cached_property
    def _loose_seats(self) -> Ints:
        """Pods of each node by the number of its slots that can be free, whichever they are, shape (nodes,)."""
        loose = np.maximum(self._node_free - self._burden, 0) // self.decision.gpus
        seats: Ints = np.where(self._staying_unseen.any(axis=0), loose, self.decision.pods_most)
        return seats

    @cached_property
    def _certain_seats(self) -> Ints:
        """Pods that each node can take for certain beside the pods of unknown placement that stay, shape (nodes,)."""
        snapshot, size = self.snapshot, self.decision.gpus
        nodes = len(snapshot.nodes)
        staying = self._staying_unseen.sum(axis=0)
        if not staying.any() or level_of(self.decision, self.kind) != self.kind:
            return self._loose_seats
        here = np.minimum(staying[self.cells.node], self._cell_unheld)
        alone = np.maximum(self._cell_free - here, 0) // size
        spread = np.where(self._cell_free >= size, self._cell_free - size + 1, 0)
        by_itself = np.bincount(self.cells.node, weights=alone, minlength=nodes).astype(np.int64)
        breaking = np.bincount(self.cells.node, weights=spread, minlength=nodes).astype(np.int64)
        strict = np.minimum(self._loose_seats, np.maximum(by_itself, staying < breaking))
        vague = np.zeros(nodes, dtype=np.bool_)
        for node, pods in snapshot.unknown_pods.items():
            vague[node] = any(snapshot.pods[pod].share < 1 or snapshot.pods[pod].within for pod in pods)
        return np.where((staying > 0) & ~vague, strict, self._loose_seats)

    @cached_property
    def _admitted(self) -> Ints:
        """Pods that the kubelet of each node could admit by their shape, shape (nodes,)."""
        snapshot = self.snapshot
        most = np.full(len(snapshot.nodes), self.decision.pods_most, dtype=np.int64)
        widths: dict[tuple[int, tuple[int, ...]], int | None] = {}
        distinct = {id(shape): shape for shape in snapshot.shapes}.values()
        if not any(shape.topology_policy in ALIGNING_POLICIES for shape in distinct):
            return most
        for index, node in enumerate(snapshot.nodes):
            shape = snapshot.shapes[index]
            if shape.topology_policy not in ALIGNING_POLICIES:
                continue
            key = (id(shape), tuple(node.offline_slots))
            if key not in widths:
                aligned = alignment(self.decision.instance, node)
                widths[key] = 1 if aligned is None else aligned.width
            width = widths[key]
            most[index] = 0 if width is None else (most[index] if width == 1 else min(most[index], 1))
        return most

    @cached_property
    def _room(self) -> dict[str, Ints]:
        """Pods that each resource allows on each node, shape (nodes,)."""
        found = {}
        for asked in self.decision.asked:
            most = np.maximum(most_by(asked, self.decision), 0) // asked.amount
            found[asked.name] = np.where(asked.bounds, most, self.decision.pods_most)
        return found

    def _caps(self) -> Ints:
        most = np.minimum(self._admitted, np.where(self.decision.node_usable, self.decision.pods_most, 0))
        caps: Ints = np.minimum.reduce([most, *self._room.values()])
        return caps

    def _hindered(self, node: Ints, wanted: Ints, place: Ints, size: int) -> dict[ReasonCode | str, Ints]:
        """Count by place the nodes where something allows fewer pods than wanted."""

        def count(allowed: Ints) -> Ints:
            return np.bincount(place, weights=allowed[node] < wanted, minlength=size).astype(np.int64)

        found: dict[ReasonCode | str, Ints] = {name: count(room) for name, room in self._room.items()}
        found[ReasonCode.ALIGNMENT] = count(self._admitted)
        if self.decision.gpus:
            sure = np.where(self._certain_seats < self._loose_seats, self._certain_seats, self.decision.pods_most)
            found[ReasonCode.UNKNOWN_PLACEMENT] = count(sure)
        return {what: numbers for what, numbers in found.items() if numbers.any()}

    def _lost(self, place_of_slot: Ints, size: int) -> Ints:
        blocked = self.facts != FREE
        cell = self.facts[blocked] * size + place_of_slot[blocked]
        return np.bincount(cell, minlength=len(CODES) * size).astype(np.int64).reshape(len(CODES), size)

    def by_island(self) -> Places:
        """Return the islands of a single pod."""
        cells, size = self.cells, self.cells.size
        node = cells.node
        one = np.ones(size, dtype=np.int64)
        itself = np.arange(size, dtype=np.int64)
        hindered = self._hindered(node, one, itself, size)
        if level_of(self.decision, self.kind) != self.kind:
            hindered[ReasonCode.NO_ISLAND] = ((self._cell_free >= self.decision.gpus) & (self._cell_seats == 0)).astype(
                np.int64
            )
        level = level_of(self.decision, self.kind)
        numbers, keys = self.snapshot.domains(level)
        return Places(
            decision=self.decision,
            is_single=True,
            level=level,
            size=size,
            label=lambda place: label_of(keys[int(numbers[self._first[place]])]),
            nodes=lambda place: node[place : place + 1],
            slot_facts=self.facts,
            unit_facts=self.unit_facts,
            slots=self._cell_slots,
            free=self._cell_free - self._unseen_loss.sum(axis=0),
            lost=self._lost(cells.of_slot, size) + self._unseen_loss,
            slot_seats=np.minimum(self._cell_seats, self._loose_seats[node]),
            seats=np.minimum.reduce([self._cell_seats, self._caps()[node], self._certain_seats[node]]),
            empty_seats=self._cell_empty_seats,
            hindered=hindered,
        )

    def by_region(self) -> Places:
        """Return the regions of a gang, or of a request without GPUs."""
        regions, size = self.regions, len(self.regions)
        nodes = np.concatenate(regions.nodes) if size else np.zeros(0, dtype=np.int64)
        place = np.repeat(np.arange(size, dtype=np.int64), [len(members) for members in regions.nodes])
        caps = self._caps()[nodes]
        zeros = np.zeros(size, dtype=np.int64)
        if not self.decision.gpus:
            wanted = np.full(len(nodes), self.decision.pods_least, dtype=np.int64)
            slots, free, lost = zeros, zeros, np.zeros((len(CODES), size), dtype=np.int64)
            by_slots, seats, empty = wanted, caps, wanted
        else:
            cell_place = regions.slots.of_slot[self._first]
            pair_key = place * len(self.snapshot.nodes) + nodes
            pair_of_cell = np.searchsorted(pair_key, cell_place * len(self.snapshot.nodes) + self.cells.node)

            def per_pair(values: Ints) -> Ints:
                return np.bincount(pair_of_cell, weights=values, minlength=len(nodes)).astype(np.int64)

            by_slots = np.minimum(per_pair(self._cell_seats), self._loose_seats[nodes])
            wanted = np.minimum(by_slots, self.decision.pods_least)
            seats = np.minimum.reduce([by_slots, caps, self._certain_seats[nodes]])
            empty = per_pair(self._cell_empty_seats)
            of_slot = regions.slots.of_slot
            slots = np.bincount(of_slot, minlength=size).astype(np.int64)
            lost = self._lost(of_slot, size)
            unseen = self._unseen_loss
            for code in np.flatnonzero(unseen.any(axis=1)):
                lost[code] += np.bincount(cell_place, weights=unseen[code], minlength=size).astype(np.int64)
            free = np.maximum(slots - lost.sum(axis=0), 0)
        return Places(
            decision=self.decision,
            is_single=False,
            level=", ".join(regions.levels),
            size=size,
            label=self._region_label,
            nodes=lambda place: regions.nodes[place],
            slot_facts=self.facts,
            unit_facts=self.unit_facts,
            slots=slots,
            free=free,
            lost=lost,
            slot_seats=self._in_slices(by_slots, nodes, place, size),
            seats=self._in_slices(seats, nodes, place, size),
            empty_seats=self._in_slices(empty, nodes, place, size),
            hindered=self._hindered(nodes, wanted, place, size),
        )

    def _in_slices(self, seats: Ints, nodes: Ints, place: Ints, size: int) -> Ints:
        """Sum seats by place, rounded down to whole slices in every slice domain at or above node."""
        slice_size = self.decision.request.slice_size
        above = (NODE, CLUSTER, *self.snapshot.instance.cluster.levels_above)
        if slice_size == 1 or len(self.rungs.slice) != 1 or self.rungs.slice[0] not in above:
            return np.bincount(place, weights=seats, minlength=size).astype(np.int64)
        domain = self.snapshot.domain_of_node(self.rungs.slice[0])[0][nodes]
        width = int(domain.max(initial=0)) + 1
        keys, inverse = np.unique(place * width + domain, return_inverse=True)
        whole = np.bincount(inverse.reshape(-1), weights=seats, minlength=len(keys)).astype(np.int64)
        whole = whole // slice_size * slice_size
        return np.bincount(keys // width, weights=whole, minlength=size).astype(np.int64)

    def _region_label(self, place: int) -> str:
        names = []
        for level in self.regions.levels:
            if self.decision.gpus:
                numbers, keys = self.snapshot.domains(level)
                first = self.regions.slots.order[self.regions.slots.first[place]]
                names.append(label_of(keys[int(numbers[first])]))
            else:
                by_node, keys = self.snapshot.domain_of_node(level)
                names.append(label_of(keys[int(by_node[self.regions.nodes[place][0]])]))
        return ", ".join(names)
