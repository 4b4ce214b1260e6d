"""Which rungs of the three ladders a search allows, and in which regions a plan on them can lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...models.topology import CLUSTER, NODE
from .decision import Decision
from .layout import Ints
from .partition import Partition, partition


@dataclass(frozen=True)
class Rungs:
    """The rungs that one search allows.

    Attributes
    ----------
    pod, slice : tuple of str
        Islands that each pod, each slice may use: one under tightest-first, the whole ladder when priced.
    gang : str
        The island of the gang.
    """

    pod: tuple[str, ...]
    slice: tuple[str, ...]
    gang: str

    def __str__(self) -> str:
        """Return the rungs as a log line shows them."""
        return f"pod {' or '.join(self.pod)}, slice {' or '.join(self.slice)}, gang {self.gang}"


def rungs_in_order(decision: Decision) -> Iterator[Rungs]:
    """Yield what to search, the preferred rungs first.

    Parameters
    ----------
    decision : Decision
        For the ladders.

    Yields
    ------
    Rungs
        Tightest-first: every combination, pod rung before slice rung before gang rung. Priced: one a gang rung;
        their results compete by cost and price.
    """
    pod, group, gang = (decision.ladder(scope) for scope in ("pod", "slice", "gang"))
    if decision.policy.relaxation == "priced":
        yield from (Rungs(pod, group, island) for island in gang)
    else:
        yield from (Rungs((p,), (s,), g) for p, s, g in product(pod, group, gang))


@dataclass(frozen=True)
class Regions:
    """The parts of the cluster that a plan can lie in; one plan lies in exactly one.

    Attributes
    ----------
    levels : tuple of str
        What all pods of a plan share.
    slots : Partition
        The slots by region.
    nodes : list of ndarray of int64
        The nodes of each region, in name order.
    """

    levels: tuple[str, ...]
    slots: Partition
    nodes: list[Ints]

    def __len__(self) -> int:
        """Return the number of regions."""
        return len(self.nodes)


def regions_of(decision: Decision, rungs: Rungs) -> Regions:
    """Return the regions of a search.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        What the search allows.

    Returns
    -------
    Regions
        The domains of the gang's island, cut by the slice's island where one slice is all: a plan cannot lie in
        two of them. One pod alone lies on one node, and its cells are cut by what gang and slice ask. A request
        without GPUs takes nodes as they are.
    """
    snapshot = decision.snapshot
    below = snapshot.instance.cluster.levels_below
    if decision.pods_most == 1:
        levels = [NODE]
    elif decision.pods_most <= decision.request.slice_size and len(rungs.slice) == 1:
        levels = [rungs.gang, rungs.slice[0]]
    else:
        levels = [rungs.gang]
    if not decision.gpus:
        levels = [NODE if level in below or level == "gpu" else level for level in levels]
    levels = _without_implied(levels, snapshot.instance.cluster.levels)
    by_slot = partition(snapshot.layout, tuple(levels))
    if decision.gpus:
        nodes = snapshot.layout.remembered(("nodes of", tuple(levels)), lambda: _nodes_by_slots(by_slot))
    else:
        nodes = snapshot.layout.remembered(("nodes by", tuple(levels)), lambda: _nodes_by_levels(decision, levels))
    return Regions(tuple(levels), by_slot, nodes)


def _without_implied(levels: list[str], order: tuple[str, ...]) -> list[str]:
    """Drop levels at or above node that a finer one at or above node implies (they nest)."""
    rank = {level: index for index, level in enumerate((CLUSTER, *order[: order.index(NODE) + 1]))}
    above = [level for level in levels if level in rank]
    finest = max(above, key=lambda level: rank[level], default=None)
    below = list(dict.fromkeys(level for level in levels if level not in rank))
    if finest is None or below:
        return below
    return [finest]


def _nodes_by_slots(by_slot: Partition) -> list[Ints]:
    nodes = by_slot.layout.node_of_slot[by_slot.order]
    return [np.unique(part) for part in np.split(nodes, by_slot.first[1:-1])] if by_slot.size else []


def _nodes_by_levels(decision: Decision, levels: list[str]) -> list[Ints]:
    numbers = [decision.snapshot.domain_of_node(level)[0] for level in levels]
    _, inverse = np.unique(np.stack(numbers), axis=1, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(inverse[order])) + 1)
