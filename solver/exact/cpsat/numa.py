"""Rule: on an aligned node each pod of the request fits into its NUMA mask, as the kubelet will insist."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from ....models.alignment import domain_holdings
from .resources import post_room
from .variables import Variables


def add(v: Variables) -> None:
    """Post ``amount * pods(mask) <= capacity(mask) - holdings(mask)`` for every aligned resource.

    A running pod whose domains are not known burdens every mask in full. Where masks are several domains wide,
    a node takes one pod of the request, so overlapping masks never add up.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    for node, aligned in v.region.alignments.items():
        if aligned.width != 1:
            v.model.add(v.placed_on(node) <= 1)
        cells_by_mask: dict[tuple[str, ...], list[int]] = {}
        for number in v.cells_of_node[node]:
            mask = v.cell(number).mask
            if mask is not None:
                cells_by_mask.setdefault(mask, []).append(number)
        for mask, cells in cells_by_mask.items():
            pods = sum(v.count[cell] for cell in cells)
            most = min(sum(v.cell(cell).most for cell in cells), v.decision.pods_most)
            for amount, free, held in mask_rooms(v, node, mask):
                post_room(v, amount, [node], free, held, pods, most)


def mask_rooms(
    v: Variables, node: int, mask: tuple[str, ...] | None
) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Yield the room of a mask for each aligned resource, in integers.

    Parameters
    ----------
    v : Variables
        The region's variables.
    node : int
        Its node.
    mask : tuple of str or None
        Domains of the aligned level; None on a node that does not align.

    Yields
    ------
    tuple
        What one pod takes, what is free (below 0 if overcommitted), and what running pods would give back.
    """
    if mask is None:
        return
    aligned = v.region.alignments[node]
    snapshot = v.decision.snapshot
    given = snapshot.shapes[node].domain_resources.get(aligned.level, {})
    for resource, amount in aligned.amounts.items():
        capacity = sum(given.get(domain, {}).get(resource, 0) for domain in mask)
        holdings: list[tuple[int, Fraction]] = []
        for number in snapshot.pods_on(node):
            held = domain_holdings(snapshot.instance, snapshot.pods[number], aligned.level).in_mask(mask, resource)
            if held:
                holdings.append((number, held))
        scale = lcm(*(held.denominator for _, held in holdings), 1)
        free = capacity - sum(held for _, held in holdings)
        yield amount * scale, int(free * scale), [(number, int(held * scale)) for number, held in holdings]
