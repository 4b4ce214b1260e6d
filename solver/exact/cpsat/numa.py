"""Rule: on an aligned node each pod of the request fits into its NUMA mask, as the kubelet will insist."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ....models.alignment import domain_holdings
from ....models.units import micro
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
            for resource, amount in aligned.amounts.items():
                _post(v, node, aligned.level, mask, resource, amount, cells)


def _post(
    v: Variables, node: int, level: str, mask: tuple[str, ...], resource: str, amount: int, cells: list[int]
) -> None:
    snapshot = v.decision.snapshot
    given = snapshot.shapes[node].domain_resources.get(level, {})
    capacity = sum(given.get(domain, {}).get(resource, 0) for domain in mask)
    holdings: list[tuple[int, Fraction]] = []
    for number in snapshot.node_pods[node]:
        pod = snapshot.pods[number]
        known = domain_holdings(snapshot.instance, pod, level)
        if known is None:
            held = Fraction(micro(pod.resources.get(resource, 0.0)))
        else:
            held = sum((Fraction(known.get(domain, {}).get(resource, 0)) for domain in mask), Fraction(0))
        if held:
            holdings.append((number, held))
    free = capacity - sum(held for _, held in holdings)
    scale = lcm(*(held.denominator for _, held in holdings), 1)
    scaled = [(number, int(held * scale)) for number, held in holdings]
    pods = sum(v.count[cell] for cell in cells)
    most = min(sum(v.cell(cell).most for cell in cells), v.decision.pods_most)
    post_room(v, amount * scale, [node], int(free * scale), scaled, pods, most)
