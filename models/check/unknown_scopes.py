"""Slices and gangs below node where pods of unknown placement stay: whether the pods may share a domain for certain."""

from __future__ import annotations

from dataclasses import replace

from ..domains import DomainKey
from .doubt import doubt_of
from .site import Site
from .unknown import lack_of_room
from .unknown_islands import islands_of, one_is_left


def settled_domains(site: Site, level: str, size: int) -> list[DomainKey | None]:
    """Return in which domain of a level each pod of the request on a node lies or can be sure to lie.

    Parameters
    ----------
    site : Site
        The node.
    level : str
        A level that a slice or the gang is granted.
    size : int
        How many pods have to share a domain.

    Returns
    -------
    list of (tuple of str or None)
        One a placement, None where nothing is sure. Where an island reaches over several domains, those count that
        are certain to serve a group of pods by themselves; for a request of one pod also the first of several that
        cannot all be broken.
    """
    found = [site.domain(level, placement) for placement in site.placements]
    open_pods = [index for index, key in enumerate(found) if key is None]
    if site.is_certain or not open_pods:
        return found
    alone = len(open_pods) == 1 == size and site.instance.request.pods == 1
    if alone and _one_of_them(site, level, open_pods[0]):
        found[open_pods[0]] = next(key for key, _ in site.domains(level))
        return found
    for key, slots in site.domains(level):
        for number in range(len(open_pods) - len(open_pods) % size, 0, -size):
            part = replace(site, placements=tuple(site.placements[index] for index in open_pods[:number]))
            if lack_of_room(doubt_of(part, inside=slots)) is None:
                for index in open_pods[:number]:
                    found[index] = key
                open_pods = open_pods[number:]
                break
    return found


def _one_of_them(site: Site, level: str, index: int) -> bool:
    placement = site.placements[index]
    named = site.named_slots(placement) if placement.island is not None else None
    islands = islands_of(site, placement.level) if named is None else [named]
    parts = [island & slots for island in islands for _, slots in site.domains(level)]
    return len(site.placements) == 1 and one_is_left(doubt_of(site), parts)
