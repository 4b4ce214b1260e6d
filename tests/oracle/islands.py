"""Which sets of slots of a node are islands of a kind, and which islands a node has where positions are uncertain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from .world import Host, World

Slots = frozenset[int]


def holds_rung(world: World, host: Host, rung: str, slots: Slots) -> bool:
    """Whether one pod of the request may use exactly these slots together on this rung."""
    if not slots:
        return True
    if rung == "node" or rung in world.levels_below:
        return world.domain(host, rung, slots) is not None
    if rung == "gpu":
        return len(slots) == 1
    if rung == "block":
        return slots in {frozenset(block) for block in host.fields.blocks}
    if rung == "link-clique":
        return all(linked(world, host, a, b) for a, b in combinations(sorted(slots), 2))
    return len(_component(world, host, slots, min(slots))) == len(slots)


def linked(world: World, host: Host, first: int, second: int) -> bool:
    """Whether two slots are linked by enough links of the kind asked for."""
    asked = world.request.affinity.pod
    count = sum(
        link.count
        for link in host.fields.links
        if set(link.gpus) == {first, second} and asked.link_kind in (None, link.kind)
    )
    return bool(host.fields.fully_linked) or count >= asked.min_links


def named_islands(world: World, host: Host, rung: str) -> Iterator[Slots]:
    """Islands that a plan may name where it cannot name the slots.

    Domains, single slots and blocks of the size asked for. Of links: if every k slots of a linked group will do,
    the groups (for k = 1 the node is one), else every k slots that will do.
    """
    k = world.request.gpus
    if rung == "node" or rung in world.levels_below:
        yield from (slots for slots in host.domains(rung).values() if slots)
    elif rung == "gpu":
        yield from (frozenset({slot}) for slot in range(host.gpus))
    elif rung == "block":
        yield from {frozenset(block) for block in host.fields.blocks if len(block) == k}
    elif k == 1:
        yield frozenset(range(host.gpus))
    else:
        groups = list(_groups(world, host))
        if all(linked(world, host, a, b) for group in groups for a, b in combinations(sorted(group), 2)):
            yield from groups
        else:
            parts = (frozenset(part) for part in combinations(range(host.gpus), k))
            yield from (part for part in parts if holds_rung(world, host, rung, part))


def _groups(world: World, host: Host) -> Iterator[Slots]:
    left = set(range(host.gpus))
    while left:
        group = _component(world, host, left, min(left))
        left -= group
        yield group


def _component(world: World, host: Host, among: Iterable[int], start: int) -> Slots:
    reached, among = {start}, set(among)
    while True:
        more = {s for s in among - reached if any(linked(world, host, s, other) for other in reached)}
        if not more:
            return frozenset(reached)
        reached |= more
