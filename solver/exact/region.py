"""One region spelled out for a model: its nodes, and the cells that pods of the request may be put into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from ...models.alignment import Alignment, alignment
from ...models.topology import BLOCK, CLUSTER, LINK_ISLANDS, NODE
from ...models.units import MICRO
from .decision import Decision
from .layout import Ints
from .patterns import Patterns, patterns_of
from .rungs import Rungs


@dataclass(frozen=True)
class Cell:
    """A place that counts pods of the request: one island, or all irregular islands of one part of a node.

    Attributes
    ----------
    node : int
        Its node.
    rung : int
        Position of its island kind in the allowed pod rungs.
    slice_rung, slice_domain : int
        Position in the allowed slice rungs, and the number of the slice's domain there.
    mask : tuple of str or None
        On an aligned node: the NUMA nodes that a pod here is admitted to.
    slots : tuple of int
        Slots that may be taken (numbers of the snapshot); empty for a request without GPUs.
    patterns : tuple of tuple of int or None
        Where not every k slots of it are an island: those that are.
    certain : bool
        False: for a plan that leaves pods of unknown placement on the node; True: for one that does not.
    most : int
        No plan puts more pods here.
    """

    node: int
    rung: int
    slice_rung: int
    slice_domain: int
    mask: tuple[str, ...] | None
    slots: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...] | None
    certain: bool
    most: int


@dataclass(frozen=True)
class Region:
    """What one model is built from.

    Attributes
    ----------
    nodes : list of int
        Nodes with at least one cell, in name order.
    cells : list of Cell
        In the fixed order.
    alignments : dict
        Alignment of the aligned nodes.
    """

    nodes: list[int]
    cells: list[Cell]
    alignments: dict[int, Alignment]


def spell_out(decision: Decision, rungs: Rungs, nodes: Iterable[int], slots: Ints | None) -> Region:
    """Return a region's nodes and cells.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    nodes : iterable of int
        Its nodes, in name order.
    slots : ndarray of int64 or None
        Its slots where it cuts through nodes; None: all slots of its nodes.

    Returns
    -------
    Region
        Nodes that can serve no pod are left out.
    """
    only = None if slots is None else set(slots.tolist())
    kept: list[int] = []
    cells: list[Cell] = []
    alignments: dict[int, Alignment] = {}
    for node in nodes:
        if not decision.node_room[node]:
            continue
        aligned = alignment(decision.instance, decision.snapshot.nodes[node])
        if aligned is not None and aligned.width is None:
            continue
        found = list(_cells_of_node(decision, rungs, node, only, aligned))
        if found:
            kept.append(node)
            cells += found
            if aligned is not None:
                alignments[node] = aligned
    return Region(kept, cells, alignments)


def _cells_of_node(
    decision: Decision, rungs: Rungs, node: int, only: set[int] | None, aligned: Alignment | None
) -> Iterator[Cell]:
    snapshot = decision.snapshot
    start = int(snapshot.first_slot[node])
    room = int(decision.node_room[node])
    masks: list[tuple[tuple[str, ...] | None, frozenset[int] | None]] = [(None, None)]
    if aligned is not None:
        members_of = {name: [start + slot for slot in slots] for name, slots in aligned.domains.items()}
        masks = [(mask, frozenset(slot for name in mask for slot in members_of[name])) for mask in aligned.masks()]
        room = room if aligned.width == 1 else min(room, 1)
    if not decision.gpus:
        for slice_rung, island in enumerate(rungs.slice):
            level = island if island in snapshot.instance.cluster.levels_above or island == CLUSTER else NODE
            domain = int(snapshot.domain_of_node(level)[0][node])
            for (mask, _), rung in product(masks, range(len(rungs.pod))):
                yield Cell(node, rung, slice_rung, domain, mask, (), None, True, room)
        return
    free_for_sure = MICRO - decision.share
    usable = [
        slot
        for slot in range(start, int(snapshot.first_slot[node + 1]))
        if decision.slot_usable[slot] and decision.slot_fixed[slot] <= free_for_sure and (only is None or slot in only)
    ]
    unknown = snapshot.unknown_pods.get(node, [])
    uses = [(False, 1)] if unknown else []
    if all(decision.unit_evictable[snapshot.pod_unit[pod]] for pod in unknown):
        uses.append((True, MICRO // decision.share))
    for (slice_rung, domain, slots), (mask, inside) in product(list(_parts(decision, rungs, usable)), masks):
        part = slots if inside is None else [slot for slot in slots if slot in inside]
        for rung, kind in enumerate(rungs.pod):
            for (members, patterns), (certain, times) in product(list(_islands(decision, node, kind, part)), uses):
                most = min(room, len(members) * times // decision.gpus)
                if most > 0 and (patterns is None or patterns):
                    yield Cell(node, rung, slice_rung, domain, mask, tuple(members), patterns, certain, most)


def _parts(decision: Decision, rungs: Rungs, slots: list[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield slice rung, slice domain and slots of what one slice, and of a single pod one gang, may share."""
    snapshot = decision.snapshot
    gang = snapshot.domains(rungs.gang)[0] if decision.pods_most == 1 else None
    for slice_rung, island in enumerate(rungs.slice):
        numbers = snapshot.domains(island)[0]
        parts: dict[tuple[int, int], list[int]] = {}
        for slot in slots:
            parts.setdefault((int(numbers[slot]), 0 if gang is None else int(gang[slot])), []).append(slot)
        for (domain, _), members in parts.items():
            yield slice_rung, domain, members


def _islands(
    decision: Decision, node: int, kind: str, slots: list[int]
) -> Iterator[tuple[list[int], tuple[tuple[int, ...], ...] | None]]:
    """Yield the islands of a kind inside some slots of a node: members, and patterns where it is irregular."""
    snapshot = decision.snapshot
    if kind in (*LINK_ISLANDS, BLOCK) and kind not in snapshot.instance.cluster.levels:
        start = int(snapshot.first_slot[node])
        found = _patterns(decision, node, kind)
        inside = {slot - start for slot in slots}
        if found.groups is not None:
            for group in found.groups:
                yield [start + slot for slot in group if slot in inside], None
        else:
            sets = tuple(tuple(start + slot for slot in island) for island in found.sets if inside.issuperset(island))
            members = sorted({slot for island in sets for slot in island})
            if len(members) == sum(len(island) for island in sets):
                yield from ((list(island), None) for island in sets)
            else:
                yield members, sets
        return
    numbers = snapshot.domains(kind)[0]
    groups: dict[int, list[int]] = {}
    for slot in slots:
        groups.setdefault(int(numbers[slot]), []).append(slot)
    for group_slots in groups.values():
        yield group_slots, None


def _patterns(decision: Decision, node: int, kind: str) -> Patterns:
    snapshot = decision.snapshot
    shape = snapshot.shapes[node]
    affinity = decision.request.affinity.pod
    key = ("patterns", id(shape), kind, affinity.link_kind, affinity.min_links, decision.gpus)
    return snapshot.layout.remembered(key, lambda: patterns_of(shape, kind, affinity, decision.gpus))
