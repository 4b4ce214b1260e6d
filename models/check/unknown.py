"""Pods of unknown placement: the plan holds wherever those that stay happen to sit (problem.md, Unknown placement)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..alignment import alignment
from ..plan import Placement
from ..topology import BLOCK, GPU, LINK_CONNECTED
from .doubt import Doubt, doubt_of
from .islands import is_clique, is_connected
from .rules import Rule, Violation
from .site import Site
from .state import State
from .unknown_islands import islands_are_left
from .unknown_numa import aligned_pods_fit


def slots_are_named_where_certain(state: State) -> Iterator[Violation]:
    """A plan names slots exactly where no kept pod of unknown placement shares the node."""
    if not state.instance.request.gpus:
        return
    for site, placement in state.located:
        if placement.slots is None and site.is_certain:
            text = f"pod {placement.pod}: nothing is unknown about node {site.node.name}, so its slots must be named"
            yield Violation(Rule.CERTAIN_SLOTS, text)
        elif placement.slots is not None and not site.is_certain:
            pod = site.strangers[0].name
            text = f"pod {placement.pod}: pod {pod} may sit on the slots named of node {site.node.name}"
            yield Violation(Rule.CERTAIN_SLOTS, text)


def room_is_certain(state: State) -> Iterator[Violation]:
    """Wherever the kept pods of unknown placement sit, the pods of the request find their islands.

    Named islands hold by themselves: ``a(d) - min(U, |R n d|) >= k * count(d)``. One pod alone may leave its island
    open if ``U < sum of (a(d) - k + 1)`` over disjoint islands with ``a(d) >= k``, or if some island holds by itself.
    """
    for site in state.sites:
        if not site.is_certain:
            problem = lack_of_room(doubt_of(site))
            if problem is not None:
                yield Violation(Rule.CERTAIN_ROOM, problem)


def lack_of_room(doubt: Doubt) -> str | None:
    """Return why the request's pods may not find their islands on a node.

    Parameters
    ----------
    doubt : Doubt
        The node, and which pods stay.

    Returns
    -------
    str or None
        One sentence; None if the room is certain.
    """
    site = doubt.site
    size, node = site.instance.request.gpus, site.node
    if any(_is_open(site, placement) for placement in site.placements):
        kinds, pods = {placement.level for placement in site.placements}, len(site.placements)
        if not all(_is_open(site, placement) for placement in site.placements) or len(kinds) > 1:
            return f"node {node.name}: {pods} pods share it, each must name its island, or none of one kind"
        if islands_are_left(doubt, kinds.pop(), pods):
            return None
        return (
            f"node {node.name}: {doubt.number} GPUs of unknown placement may leave too few islands "
            f"of {size} free slots for {pods} pods"
        )
    used: Counter[frozenset[int]] = Counter()
    for placement in site.placements:
        slots = site.named_slots(placement)
        if slots is None or not _any_slots_do(site, placement.level, slots):
            return f"pod {placement.pod}: {placement.island} is no island of kind {placement.level}"
        used[slots] += 1
    for slots in _with_unions(used):
        pods = sum(count for island, count in used.items() if island <= slots)
        certain = doubt.certain(slots)
        if certain < size * pods:
            where = f"slots {sorted(slots)} of node {node.name}"
            return f"{where}: only {max(certain, 0)} are certainly free, {pods} pods need {size * pods}"
    aligned = alignment(site.instance, node)
    if aligned is not None and not aligned_pods_fit(doubt, aligned, used):
        return f"node {node.name}: the {aligned.level} domains that would be left may not serve the pods"
    return None


def _is_open(site: Site, placement: Placement) -> bool:
    """Return whether a placement leaves its island open; a link or block island called by its node is."""
    of_level = placement.level == GPU or placement.level in site.instance.cluster.levels
    return placement.island is None or (not of_level and placement.island == site.node.name)


def _with_unions(used: Counter[frozenset[int]]) -> set[frozenset[int]]:
    """Return the islands used, and the unions of those that overlap, since their slots count once."""
    unions: list[frozenset[int]] = []
    for slots in used:
        near = [union for union in unions if union & slots]
        unions = [union for union in unions if not union & slots] + [slots.union(*near)]
    return set(used) | set(unions)


def _any_slots_do(site: Site, kind: str, slots: frozenset[int]) -> bool:
    """Return whether every choice of k slots of a named island is itself an island of its kind."""
    if kind == GPU or kind in site.instance.cluster.levels or (site.instance.request.gpus == 1 and kind != BLOCK):
        return True
    affinity = site.instance.request.affinity.pod
    if kind == BLOCK:
        return slots in site.shape.blocks and len(slots) == site.instance.request.gpus
    if kind == LINK_CONNECTED and len(slots) == site.instance.request.gpus:
        return is_connected(site.shape, slots, affinity)
    return is_clique(site.shape, slots, affinity)
