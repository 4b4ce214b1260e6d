"""Slots grouped by the domains of one or more levels: the islands of a level and the regions of a search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...models.instance import Instance
from ...models.topology import CLUSTER, NODE
from .snapshot import Ints, Snapshot, compile_snapshot


@dataclass(frozen=True)
class Partition:
    """The slots of a cluster in groups; two slots share a group if they share the domain of every level.

    Attributes
    ----------
    snapshot : Snapshot
        The cluster.
    levels : tuple of str
        What the groups have in common.
    of_slot : ndarray of int64, shape (slots,)
        The group of each slot; groups are numbered in the order of names.
    size : int
        Number of groups.
    """

    snapshot: Snapshot
    levels: tuple[str, ...]
    of_slot: Ints
    size: int

    @cached_property
    def order(self) -> Ints:
        """Slots ordered by group, shape (slots,)."""
        return np.argsort(self.of_slot, kind="stable")

    @cached_property
    def first(self) -> Ints:
        """Where each group begins in `order`, shape (size + 1,)."""
        return np.searchsorted(self.of_slot[self.order], np.arange(self.size + 1)).astype(np.int64)

    @cached_property
    def table(self) -> Ints:
        """Slots of each group, padded with the number of slots, shape (size, largest group)."""
        return padded(self.order, self.first, len(self.of_slot))

    @cached_property
    def node(self) -> Ints:
        """The first node of each group, shape (size,)."""
        return self.snapshot.node_of_slot[self.order[self.first[:-1]]]

    @cached_property
    def hold_count(self) -> Ints:
        """For every hold: how many holds its unit has in the same group, shape (holds,)."""
        snapshot = self.snapshot
        key = snapshot.hold_unit * self.size + self.of_slot[snapshot.hold_slot]
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        found: Ints = counts[inverse].astype(np.int64)
        return found

    def slots(self, group: int) -> Ints:
        """Return the slots of a group.

        Parameters
        ----------
        group : int
            Its number.

        Returns
        -------
        ndarray of int64
            In the fixed order.
        """
        return self.order[self.first[group] : self.first[group + 1]]

    def groups_in(self, other: Partition) -> Ints:
        """Return this partition's groups by the groups of a coarser one.

        Parameters
        ----------
        other : Partition
            Each group of this partition lies in one of its groups.

        Returns
        -------
        ndarray of int64, shape (other.size, most groups)
            Padded with this partition's size.
        """
        parent = other.of_slot[self.order[self.first[:-1]]]
        order = np.argsort(parent, kind="stable")
        first = np.searchsorted(parent[order], np.arange(other.size + 1)).astype(np.int64)
        return padded(order, first, self.size)


def padded(order: Ints, first: Ints, filler: int) -> Ints:
    """Return groups of unequal size as the rows of a table.

    Parameters
    ----------
    order : ndarray of int64
        Members, group after group.
    first : ndarray of int64, shape (groups + 1,)
        Where each group begins.
    filler : int
        What stands where a group has no member.

    Returns
    -------
    ndarray of int64, shape (groups, largest group)
        At least one column wide.
    """
    sizes = np.diff(first)
    width = max(1, int(sizes.max(initial=0)))
    table = np.full((len(sizes), width), filler, dtype=np.int64)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    table[rows, np.arange(len(order)) - np.repeat(first[:-1], sizes)] = order
    return table


def partition(snapshot: Snapshot, levels: tuple[str, ...]) -> Partition:
    """Return the slots grouped by the domains of some levels; kept with the snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        The cluster.
    levels : tuple of str
        Levels, ``cluster`` or ``gpu``; the first ones lead in the order of groups.

    Returns
    -------
    Partition
        Groups in the order of names.
    """

    def build() -> Partition:
        columns = [snapshot.domains(level)[0] for level in levels]
        if len(columns) == 1:
            present, numbers = np.unique(columns[0], return_inverse=True)
        else:
            present, numbers = np.unique(np.stack(columns), axis=1, return_inverse=True)
        return Partition(snapshot, levels, numbers.reshape(-1).astype(np.int64), present.shape[-1])

    return snapshot.remembered(("partition", levels), build)


def prepare_snapshot(instance: Instance) -> Snapshot:
    """Compile a cluster for many requests.

    Parameters
    ----------
    instance : Instance
        A valid instance; its request and policy do not matter.

    Returns
    -------
    Snapshot
        With the tables of all levels built, so that the first decision is as fast as the next ones.
    """
    snapshot = compile_snapshot(instance)
    levels = instance.cluster.levels
    islands = [partition(snapshot, (level,)) for level in levels[levels.index(NODE) :]]
    for island in islands:
        _ = island.table, island.node
    for level in (CLUSTER, *levels[: levels.index(NODE) + 1]):
        region = partition(snapshot, (level,))
        _ = region.hold_count
        for island in islands:
            islands_by_region(island, region)
    _ = (snapshot.unit_lost_steps, snapshot.unit_priority, snapshot.model_of_slot, instance.pods_on)
    return snapshot


def islands_by_region(islands: Partition, regions: Partition) -> Ints:
    """Return the islands of every region; kept with the snapshot.

    Parameters
    ----------
    islands : Partition
        The islands.
    regions : Partition
        The regions.

    Returns
    -------
    ndarray of int64, shape (regions, most islands)
        Padded with the number of islands.
    """
    key = ("islands by region", islands.levels, regions.levels)
    return islands.snapshot.remembered(key, lambda: islands.groups_in(regions))
