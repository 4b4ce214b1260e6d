"""Every way to place request pods on one node once certain pods are gone, reduced to what the objectives can see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from . import alignment
from .islands import Slots, holds_rung
from .world import ONE, Domain, Host, World


@dataclass(frozen=True)
class Pod:
    """What a placed pod looks like from outside its node."""

    rungs: frozenset[str]
    slice_domains: tuple[Domain | None, ...]
    gang_domains: tuple[Domain | None, ...]


@dataclass(frozen=True)
class Filling:
    """Request pods on one node: the pods, reservations displaced, whole domains broken at node and each level below."""

    pods: tuple[Pod, ...]
    displaced: int
    broken: tuple[int, ...]
    takes_slots: bool


@dataclass(frozen=True)
class Place:
    """Room for one pod: exactly these slots, and the NUMA mask that its other resources come from."""

    slots: Slots
    mask: alignment.Mask | None
    pod: Pod


def look(world: World, host: Host, slots: Slots, rungs: frozenset[str]) -> Pod:
    """What a pod on these slots (or somewhere in them) looks like from outside."""
    return Pod(
        rungs,
        tuple(world.domain(host, rung, slots) for rung in world.ladder("slice")),
        tuple(world.domain(host, rung, slots) for rung in world.ladder("gang")),
    )


def fillings(world: World, host: Host, gone: frozenset[str], most: int) -> set[Filling]:
    """All fillings of a node whose kept pods all have a known placement; the empty one is among them."""
    empty = Filling((), 0, nothing_broken(world), False)
    if not host.takes_pods:
        return {empty}
    found = {empty}
    places = list(_places(world, host, gone))
    rest = host.rest(gone)
    for chosen in _choices(world, places, rest, most):
        taken = frozenset(slot for place in chosen for slot in place.slots)
        if not resources_suffice(world, host, gone, [place.mask for place in chosen]):
            continue
        free = frozenset(slot for slot in host.online if rest[slot] == ONE)
        displaced = displaced_reservations(world, host, taken, free, len(taken & free))
        if displaced is not None:
            pods = tuple(sorted((place.pod for place in chosen), key=repr))
            found.add(Filling(pods, displaced, broken_domains(world, host, taken), bool(taken)))
    return found


def _places(world: World, host: Host, gone: frozenset[str]) -> Iterator[Place]:
    request, rest = world.request, host.rest(gone)
    room = sorted(slot for slot in host.usable if rest[slot] >= world.share)
    masks = alignment.masks(world, host)
    for part in combinations(room, request.gpus):
        slots = frozenset(part)
        rungs = frozenset(rung for rung in world.ladder("pod") if holds_rung(world, host, rung, slots))
        if not rungs:
            continue
        pod = look(world, host, slots, rungs)
        if masks is None:
            yield Place(slots, None, pod)
            continue
        level = alignment.aligned_level(world, host)
        yield from (Place(slots, m, pod) for m in masks if slots <= alignment.slots_of(host, level, m))


def _choices(world: World, places: list[Place], rest: dict[int, int], most: int) -> Iterator[list[Place]]:
    """Multisets of 1 to `most` places that share slots only as far as the slots have room."""

    def extend(chosen: list[Place], start: int, left: dict[int, int]) -> Iterator[list[Place]]:
        if chosen:
            yield chosen
        if len(chosen) == most:
            return
        for index in range(start, len(places)):
            place = places[index]
            if all(left[slot] >= world.share for slot in place.slots):
                less = {slot: amount - world.share * (slot in place.slots) for slot, amount in left.items()}
                yield from extend([*chosen, place], index, less)

    yield from extend([], 0, rest)


def resources_suffice(world: World, host: Host, gone: frozenset[str], masks: list[alignment.Mask | None]) -> bool:
    """Whether the node, and each NUMA mask, has what as many pods as there are masks ask for."""
    count = len(masks)
    for resource, amount in world.asked.items():
        if host.capacity(resource) - host.used(resource, gone) < amount * count:
            return False
    if "pods" in host.fields.resources and host.capacity("pods") - host.used("pods", gone) < ONE * count:
        return False
    aligned = [mask for mask in masks if mask is not None]
    if any(len(mask) > 1 for mask in aligned) and count > 1:
        return False
    level = alignment.aligned_level(world, host)
    for mask in set(aligned):
        for resource, amount in alignment.aligned_amounts(world, host, level).items():
            wanted = amount * aligned.count(mask)
            if resource != "gpus" and alignment.left_in_mask(world, host, mask, resource, gone) < wanted:
                return False
    return True


def displaced_reservations(world: World, host: Host, taken: Slots, free: Slots, number: int) -> int | None:
    """How many reservations of a node lose their room to its request pods; None if one that binds would.

    `taken`: slots that the request takes; `free`: online slots that no running pod holds after the plan;
    `number`: how many of those the request takes.
    """
    displaced = 0
    left = len(free) - number
    if not world.request.gpus:
        return 0
    for held in host.reservations:
        if held.slots is not None and taken & set(held.slots) and world.may_be_displaced(held):
            displaced += 1
    others = [held for held in host.reservations if held.owner != world.request.name]
    kept = [set(h.slots) for h in others if h.slots is not None and not taken & set(h.slots)]
    left -= len((free - taken) & set().union(*kept))
    counts = [held for held in host.reservations if held.gpus is not None]
    left -= sum(held.gpus for held in counts if world.binds(held))
    if left < 0:
        return None
    for gpus in sorted(held.gpus for held in counts if world.may_be_displaced(held)):
        if gpus <= left:
            left -= gpus
        else:
            displaced += 1
    return displaced


def broken_domains(world: World, host: Host, taken: Slots) -> tuple[int, ...]:
    """How many wholly free domains of node and of each level below it the request takes from."""
    return tuple(
        sum(bool(taken & slots) and is_whole(host, slots) for slots in host.domains(level).values())
        for level in ("node", *world.levels_below)
    )


def nothing_broken(world: World) -> tuple[int, ...]:
    """What `broken_domains` says of a request that takes nothing."""
    return (0,) * (1 + len(world.levels_below))


def is_whole(host: Host, slots: Slots) -> bool:
    """Whether some slots of a domain are online and nobody holds any of those before the plan, as far as is known."""
    busy = {slot for pod in host.kept(()) for slot in pod.slots}
    if any(pod.unknown_gpus for pod in host.kept(())):
        return False
    online = slots & host.online
    return bool(online) and not online & busy
