"""Slots grouped by the domains of one or more levels: the islands of a level and the regions of a search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...models.instance import Instance
from ...models.topology import CLUSTER, NODE
from .layout import Ints, Layout
from .snapshot import Snapshot, compile_snapshot


@dataclass(frozen=True)
class Partition:
    """The slots of a cluster in groups; two slots share a group if they share the domain of every level.

    Attributes
    ----------
    layout : Layout
        The cluster.
    levels : tuple of str
        What the groups have in common.
    of_slot : ndarray of int64, shape (slots,)
        The group of each slot; groups are numbered in the order of names.
    size : int
        Number of groups.
    """

    layout: Layout
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
        return self.layout.node_of_slot[self.order[self.first[:-1]]]

    def hold_count(self, snapshot: Snapshot) -> Ints:
        """Return for every hold of a snapshot how many holds its unit has in the same group.

        Parameters
        ----------
        snapshot : Snapshot
            A state of the same cluster.

        Returns
        -------
        ndarray of int64, shape (holds,)
            At least 1.
        """
        return snapshot.hold_count(self.levels, self.of_slot, self.size)

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


def partition(layout: Layout, levels: tuple[str, ...]) -> Partition:
    """Return the slots grouped by the domains of some levels; kept with the layout.

    Parameters
    ----------
    layout : Layout
        The cluster.
    levels : tuple of str
        Levels, ``cluster`` or ``gpu``; the first ones lead in the order of groups.

    Returns
    -------
    Partition
        Groups in the order of names.
    """

    def build() -> Partition:
        columns = [layout.domains(level)[0] for level in levels]
        if len(columns) == 1:
            present, numbers = np.unique(columns[0], return_inverse=True)
        else:
            present, numbers = np.unique(np.stack(columns), axis=1, return_inverse=True)
        return Partition(layout, levels, numbers.reshape(-1).astype(np.int64), present.shape[-1])

    return layout.remembered(("partition", levels), build)


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
    islands = [partition(snapshot.layout, (level,)) for level in levels[levels.index(NODE) :]]
    for island in islands:
        _ = island.table, island.node
    for level in (CLUSTER, *levels[: levels.index(NODE) + 1]):
        region = partition(snapshot.layout, (level,))
        region.hold_count(snapshot)
        for island in islands:
            islands_by_region(island, region)
    _ = (snapshot.unit_lost_steps, snapshot.unit_priority, snapshot.layout.model_of_slot, instance.pods_on)
    _ = (snapshot.slot_first_hold, snapshot.node_first_pod, snapshot.unknown_pods)
    return snapshot


def islands_by_region(islands: Partition, regions: Partition) -> Ints:
    """Return the islands of every region; kept with the layout.

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
    return islands.layout.remembered(key, lambda: islands.groups_in(regions))
