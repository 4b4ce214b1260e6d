"""Islands that are left for certain where pods of unknown placement stay, without naming them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..alignment import alignment
from ..request import ScopeAffinity
from ..shape import Shape
from ..topology import BLOCK, GPU, LINK_CLIQUE
from .doubt import Doubt
from .islands import is_clique
from .numa import Room
from .site import Site
from .unknown_numa import serving_masks


def islands_are_left(doubt: Doubt, kind: str, pods: int) -> bool:
    """Return whether pods find islands of a kind, wherever the pods of unknown placement sit.

    Parameters
    ----------
    doubt : Doubt
        The node.
    kind : str
        A rung of the ladder of the pod scope.
    pods : int
        How many pods of the request the node gets.

    Returns
    -------
    bool
        For several pods each island holds by itself, which the islands of a level cannot without their names.
    """
    if pods == 1 and one_is_left(doubt, islands_of(doubt.site, kind)):
        return True
    of_level = kind == GPU or kind in doubt.site.instance.cluster.levels
    return not of_level and (_groups_fit(doubt, kind, pods) or _patterns_fit(doubt, kind, pods))


def one_is_left(doubt: Doubt, islands: list[frozenset[int]]) -> bool:
    """Return whether one pod finds one of some islands, wherever the pods of unknown placement sit.

    Parameters
    ----------
    doubt : Doubt
        The node.
    islands : list of frozenset of int
        Any k slots of one of them will do.

    Returns
    -------
    bool
        Whether one holds by itself, or they are disjoint and too many to be broken.
    """
    size = doubt.site.instance.request.gpus
    aligned = alignment(doubt.site.instance, doubt.site.node)
    if aligned is not None:
        islands = [island & mask for island in islands for mask in serving_masks(doubt, aligned)]
    if any(doubt.certain(island) >= size for island in islands):
        return True
    if any(pod.within for pod in doubt.strangers) or any(one & other for one, other in combinations(islands, 2)):
        return False
    most = [len(island & doubt.open) for island in islands]
    return doubt.number < sum(number - size + 1 for number in most if number >= size)


def _groups_fit(doubt: Doubt, kind: str, pods: int) -> bool:
    """Return whether pods fit into disjoint groups of which any k slots will do, each group by itself."""
    site, size = doubt.site, doubt.site.instance.request.gpus
    groups = islands_of(site, kind)
    if any(one & other for one, other in combinations(groups, 2)):
        return False
    aligned = alignment(site.instance, site.node)
    if aligned is None:
        return sum(max(0, doubt.certain(group)) // size for group in groups) >= pods
    room = Room(site, aligned, (*doubt.known, *doubt.strangers))
    if aligned.width != 1:
        return False
    most = 0
    for domain, slots in aligned.domains.items():
        fit = sum(max(0, doubt.certain(group & set(slots))) // size for group in groups)
        most += min(fit, room.pods((domain,)))
    return most >= pods


def _patterns_fit(doubt: Doubt, kind: str, pods: int) -> bool:
    """Return whether pods find link or block islands of their own on slots that no stranger can hold."""
    site = doubt.site
    free = doubt.open.difference(*(room for _, room in doubt.lairs))
    aligned = alignment(site.instance, site.node)
    if aligned is None:
        return _pack(site, kind, pods, free)
    parts = [free & mask for mask in serving_masks(doubt, aligned)]
    if pods == 1 or aligned.width != 1:
        return pods == 1 and any(_pack(site, kind, 1, part) for part in parts)
    room = Room(site, aligned, (*doubt.known, *doubt.strangers))
    for domain, slots in aligned.domains.items():
        fit = range(min(pods, room.pods((domain,))), 0, -1)
        pods -= next((number for number in fit if _pack(site, kind, number, free & set(slots))), 0)
    return pods == 0


def _pack(site: Site, kind: str, pods: int, free: frozenset[int]) -> bool:
    """Return whether so many pods find disjoint islands among some slots; islands are tried by their first slot."""
    failed: set[tuple[int, frozenset[int]]] = set()

    def fits(number: int, left: frozenset[int]) -> bool:
        if number * site.instance.request.gpus > len(left) or (number, left) in failed:
            return False
        if not number:
            return True
        for island in _patterns(site, kind, left):
            if fits(number - 1, frozenset(slot for slot in left if slot > min(island)) - island):
                return True
        failed.add((number, left))
        return False

    return fits(pods, free)


def _patterns(site: Site, kind: str, free: frozenset[int]) -> Iterator[frozenset[int]]:
    """Yield the link or block islands among some slots, by their first slot."""
    size, affinity = site.instance.request.gpus, site.instance.request.affinity.pod
    if kind == BLOCK:
        yield from sorted((b for b in site.shape.blocks if len(b) == size and b <= free), key=min)
        return
    all_pairs = kind == LINK_CLIQUE

    def grow(island: frozenset[int], border: list[int], seen: frozenset[int]) -> Iterator[frozenset[int]]:
        if len(island) == size:
            yield island
            return
        for index, slot in enumerate(border):
            if all_pairs and not is_clique(site.shape, island | {slot}, affinity):
                continue
            later = border[index + 1 :]
            near = [s for s in sorted(free - seen) if s > min(island) and is_clique(site.shape, (slot, s), affinity)]
            yield from grow(island | {slot}, later + near, seen | set(near))

    for first in sorted(free):
        near = [s for s in sorted(free) if s > first and is_clique(site.shape, (first, s), affinity)]
        yield from grow(frozenset({first}), near, frozenset({first, *near}))


def islands_of(site: Site, kind: str) -> list[frozenset[int]]:
    """Return the islands of a kind of which any k slots will do.

    Parameters
    ----------
    site : Site
        The node.
    kind : str
        A rung of the ladder of the pod scope.

    Returns
    -------
    list of frozenset of int
        None for an irregular link graph.
    """
    size = site.instance.request.gpus
    if kind == GPU or kind in site.instance.cluster.levels:
        return [slots for _, slots in site.domains(kind)]
    if kind == BLOCK:
        return [block for block in site.shape.blocks if len(block) == size]
    everything = frozenset(range(site.shape.gpus))
    if size == 1:
        return [everything]
    affinity = site.instance.request.affinity.pod
    groups = _components(site.shape, affinity)
    return groups if all(is_clique(site.shape, group, affinity) for group in groups) else []


def _components(shape: Shape, affinity: ScopeAffinity) -> list[frozenset[int]]:
    if shape.fully_linked:
        return [frozenset(range(shape.gpus))]
    groups = [frozenset({slot}) for slot in range(shape.gpus)]
    for one, other in shape.links:
        if shape.is_linked(one, other, kind=affinity.link_kind, at_least=affinity.min_links):
            joined = frozenset().union(*(group for group in groups if one in group or other in group))
            groups = [group for group in groups if not group <= joined] + [joined]
    return groups
