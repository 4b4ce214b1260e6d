"""NUMA alignment where pods of unknown placement stay: which masks serve the request for certain."""

from __future__ import annotations

from collections import Counter

from ..alignment import Alignment
from .doubt import Doubt
from .numa import Room


def serving_masks(doubt: Doubt, aligned: Alignment) -> list[frozenset[int]]:
    """Return the slots of every mask whose aligned resources serve a pod."""
    room = Room(doubt.site, aligned, (*doubt.known, *doubt.strangers))
    masks = [mask for mask in aligned.masks() if room.pods(mask)]
    return [frozenset(slot for domain in mask for slot in aligned.domains[domain]) for mask in masks]


def aligned_pods_fit(doubt: Doubt, aligned: Alignment, used: Counter[frozenset[int]]) -> bool:
    """Return whether pods in named islands also find masks with room, wherever strangers sit."""
    size = doubt.site.instance.request.gpus
    if aligned.width != 1:
        masks = serving_masks(doubt, aligned)
        return used.total() == 1 and all(any(doubt.certain(island & m) >= size for m in masks) for island in used)
    room = Room(doubt.site, aligned, (*doubt.known, *doubt.strangers))
    left = {domain: room.pods((domain,)) for domain in aligned.domains}
    wide: Counter[frozenset[int]] = Counter()
    for island, pods in used.items():
        home = next((domain for domain, slots in aligned.domains.items() if island <= set(slots)), None)
        if home is None:
            wide[island] += pods
        else:
            left[home] -= pods
    if min(left.values()) < 0:
        return False
    for island, pods in wide.items():
        for domain, slots in aligned.domains.items():
            placed = min(pods, left[domain], max(0, doubt.certain(island & set(slots))) // size)
            left[domain] -= placed
            pods -= placed
        if pods:
            return False
    return True
