"""How many pods of the request each island could hold at most, as far as its slots go."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...models.topology import BLOCK, GPU, LINK_ISLANDS, NODE
from ...models.units import MICRO
from ..exact.bound import level_of
from ..exact.decision import Decision
from ..exact.layout import Ints
from ..exact.partition import Partition, partition
from ..exact.patterns import patterns_of
from ..exact.rungs import Regions, Rungs, regions_of
from .facts import CODES, FREE, slot_facts, unit_facts

Flags = NDArray[np.bool_]


class Islands:
    """The islands of a search with their counts.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The rungs that were searched; with several pod rungs nodes stand for all of them.

    Attributes
    ----------
    regions : Regions
        Where plans can lie.
    kind, level : str
        The island kind of a pod, and the level whose domains hold its islands.
    unit_facts, facts : ndarray of int64
        Why each unit may not go, and why each slot cannot serve.
    """

    def __init__(self, decision: Decision, rungs: Rungs) -> None:
        self.decision = decision
        self.rungs = rungs
        self.snapshot = decision.snapshot
        self.regions: Regions = regions_of(decision, rungs)
        self.kind = rungs.pod[0] if len(rungs.pod) == 1 else NODE
        self.level = level_of(decision, self.kind)
        self.unit_facts = unit_facts(decision)
        self.facts = slot_facts(decision, self.unit_facts)

    @cached_property
    def cells(self) -> Partition:
        """Islands, cut by slices and regions where these are finer than a node."""
        below = self.snapshot.instance.cluster.levels_below
        cuts = [self.rungs.slice[0]] if len(self.rungs.slice) == 1 else []
        fine = [level for level in (*cuts, *self.regions.levels) if level in below or level == GPU]
        return partition(self.snapshot.layout, tuple(dict.fromkeys([self.level, *fine])))

    @cached_property
    def first(self) -> Ints:
        """The first slot of each island, shape (islands,)."""
        return self.cells.order[self.cells.first[:-1]]

    def _per_cell(self, weights: NDArray[np.int64] | Flags) -> Ints:
        return np.bincount(self.cells.of_slot, weights=weights, minlength=self.cells.size).astype(np.int64)

    @cached_property
    def _times(self) -> Ints:
        """How often each slot can serve, shape (slots,)."""
        times: Ints = np.where(self.facts == FREE, (MICRO - self.decision.slot_fixed) // self.decision.share, 0)
        return times

    @cached_property
    def slots(self) -> Ints:
        """Slots of each island, shape (islands,)."""
        return np.diff(self.cells.first).astype(np.int64)

    @cached_property
    def free(self) -> Ints:
        """Those that can serve, shape (islands,)."""
        return self._per_cell(self.facts == FREE)

    @cached_property
    def seats(self) -> Ints:
        """Pods that fit at most as far as slots go, shape (islands,)."""
        size = self.decision.gpus
        seats = np.where(self.free >= size, self._per_cell(self._times) // size, 0)
        return np.where(self._has_island(self.facts == FREE), seats, 0)

    @cached_property
    def empty_seats(self) -> Ints:
        """Pods that would fit if every slot could serve, shape (islands,)."""
        size = self.decision.gpus
        seats = np.where(self.slots >= size, self.slots * (MICRO // self.decision.share) // size, 0)
        return np.where(self._has_island(np.ones_like(self.facts, dtype=np.bool_)), seats, 0)

    def _has_island(self, free: Flags) -> Flags:
        """Return which islands hold a link or block island of free slots; all, where the island is a level."""
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
    def node_free(self) -> Ints:
        """Slots that can serve, shape (nodes,)."""
        free = np.bincount(self.cells.node, weights=self.free, minlength=len(self.snapshot.nodes))
        return free.astype(np.int64)

    @cached_property
    def unheld(self) -> Ints:
        """Slots of each island that can serve and that no pod of known placement holds."""
        unheld = self.facts == FREE
        unheld[self.snapshot.hold_slot] = False
        return self._per_cell(unheld)

    def lost(self, place_of_slot: Ints, size: int) -> Ints:
        """Count the slots that cannot serve by fact and place.

        Parameters
        ----------
        place_of_slot : ndarray of int64, shape (slots,)
            The place of each slot.
        size : int
            Number of places.

        Returns
        -------
        ndarray of int64, shape (codes, places)
            By the position of the fact in `CODES`.
        """
        blocked = self.facts != FREE
        cell = self.facts[blocked] * size + place_of_slot[blocked]
        return np.bincount(cell, minlength=len(CODES) * size).astype(np.int64).reshape(len(CODES), size)
