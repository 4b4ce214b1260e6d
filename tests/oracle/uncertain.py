"""Every way to place request pods on a node where kept pods sit on GPUs that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

from . import alignment
from .fillings import Filling, Pod, displaced_reservations, look, nothing_broken, resources_suffice
from .islands import Slots, named_islands
from .world import ONE, Host, World


@dataclass(frozen=True)
class Island:
    """An island that the plan names: its kind, its slots and the NUMA mask that the pod's resources come from."""

    rung: str
    slots: Slots
    mask: alignment.Mask | None


@dataclass(frozen=True)
class Certainty:
    """What is known about the slots of a node once certain pods are gone.

    `available`: usable slots that no kept pod of known placement holds; `positions`: the sets of slots that the
    kept pods of unknown placement may sit on.
    """

    available: Slots
    positions: tuple[Slots, ...]


def has_unknown(host: Host, gone: frozenset[str]) -> bool:
    """Whether a pod of unknown placement stays on the node."""
    return any(pod.unknown_gpus for pod in host.kept(gone))


def uncertain_fillings(world: World, host: Host, gone: frozenset[str], most: int) -> set[Filling]:
    """All fillings that hold whatever GPUs the kept pods of unknown placement sit on; the empty one is among them.

    One pod on the node, where the islands are disjoint and no kept pod names a domain: in every position some
    island of the rung is left. Otherwise every pod has an island of its own, which must hold in every position.
    """
    found = {Filling((), 0, nothing_broken(world), False)}
    if not host.takes_pods:
        return found
    rest = host.rest(gone)
    available = frozenset(slot for slot in host.usable if rest[slot] == ONE)
    known = Certainty(available, tuple(set(_positions(host, gone))))
    names_domain = any(pod.within for pod in host.kept(gone))
    every: set[Island] = set()
    for rung in world.ladder("pod"):
        for cuts in _cuts(world):
            islands = _islands(world, host, rung, cuts)
            every |= islands
            if not names_domain and (not cuts or world.request.pods == 1):
                found |= set(_one_is_left(world, host, gone, known, cuts, islands))
    return found | set(_each_holds(world, host, gone, known, sorted(every, key=repr), most))


def _positions(host: Host, gone: frozenset[str]) -> Iterator[Slots]:
    """Every set of slots that the kept pods of unknown placement may sit on."""
    kept = [pod for pod in host.kept(gone) if pod.unknown_gpus]
    held = host.held_by_known()
    least = min(pod.share for pod in host.pods if pod.unknown_gpus)
    room = frozenset(slot for slot in range(host.gpus) if held[slot] == 0 or held[slot] + least <= ONE)

    def sit(index: int, left: Slots) -> Iterator[Slots]:
        if index == len(kept):
            yield frozenset()
            return
        own = left
        for level, domain in kept[index].within.items():
            own &= host.domains(level)[domain]
        for part in combinations(sorted(own), min(kept[index].unknown_gpus, len(own))):
            for others in sit(index + 1, left - frozenset(part)):
                yield frozenset(part) | others

    return sit(0, room)


def _cuts(world: World) -> Iterator[tuple[str, ...]]:
    """Sets of levels below node that slices or the gang may need the pod's slots to share a domain of."""
    below = {rung for scope in ("slice", "gang") for rung in world.ladder(scope) if rung in world.levels_below}
    for size in range(len(below) + 1):
        yield from combinations(sorted(below), size)


def _islands(world: World, host: Host, rung: str, cuts: tuple[str, ...]) -> set[Island]:
    """Islands of a rung, each cut down to one domain of every level of `cuts` and to one NUMA mask."""
    masks = alignment.masks(world, host)
    level = alignment.aligned_level(world, host)
    parts = set(named_islands(world, host, rung))
    for cut in cuts:
        parts = {part & domain for part in parts for domain in host.domains(cut).values()}
    if masks is None:
        islands = {Island(rung, part, None) for part in parts}
    else:
        islands = {Island(rung, part & alignment.slots_of(host, level, mask), mask) for part in parts for mask in masks}
    return {island for island in islands if len(island.slots) >= world.request.gpus}


def _one_is_left(
    world: World, host: Host, gone: frozenset[str], known: Certainty, cuts: tuple[str, ...], islands: set[Island]
) -> Iterator[Filling]:
    k = world.request.gpus
    fit = [
        island
        for island in sorted(islands, key=repr)
        if len(island.slots & known.available) >= k and resources_suffice(world, host, gone, [island.mask])
    ]
    if not fit or any(a.slots & b.slots for a, b in combinations(fit, 2)):
        return
    if all(any(len((i.slots & known.available) - taken) >= k for i in fit) for taken in known.positions):
        pod = look(world, host, frozenset().union(*(i.slots for i in fit)), frozenset({fit[0].rung}))
        somewhere = {cut: ("node", host.name, "in one of", cut) for cut in cuts}
        pod = replace(
            pod,
            slice_domains=_or_else(pod.slice_domains, world.ladder("slice"), somewhere),
            gang_domains=_or_else(pod.gang_domains, world.ladder("gang"), somewhere),
        )
        yield from _filling(world, host, gone, known, [pod], [i.slots for i in fit])


def _or_else(domains: tuple, rungs: tuple[str, ...], somewhere: dict[str, tuple[str, ...]]) -> tuple:
    return tuple(somewhere.get(rung) if domain is None else domain for domain, rung in zip(domains, rungs, strict=True))


def _each_holds(
    world: World, host: Host, gone: frozenset[str], known: Certainty, islands: list[Island], most: int
) -> Iterator[Filling]:
    for count in range(1, most + 1):
        for chosen in combinations_with_replacement(islands, count):
            if not resources_suffice(world, host, gone, [island.mask for island in chosen]):
                continue
            slots = [island.slots for island in chosen]
            if all(_fit(slots, known.available - taken, world.request.gpus) for taken in known.positions):
                pods = [look(world, host, island.slots, frozenset({island.rung})) for island in chosen]
                yield from _filling(world, host, gone, known, pods, slots)


def _fit(islands: list[Slots], free: Slots, k: int) -> bool:
    if not islands:
        return True
    return any(_fit(islands[1:], free - set(part), k) for part in combinations(sorted(islands[0] & free), k))


def _filling(
    world: World, host: Host, gone: frozenset[str], known: Certainty, pods: list[Pod], islands: list[Slots]
) -> Iterator[Filling]:
    """The filling, with the worst that the islands and positions allow for reservations.

    Which domains it takes from is not known, so none counts as broken.
    """
    may_take = frozenset().union(*islands) & known.available
    rest = host.rest(gone)
    free = frozenset(slot for slot in host.online if rest[slot] == ONE)
    taken = world.request.gpus * len(pods)
    left = [displaced_reservations(world, host, may_take, free - sat_on, taken) for sat_on in known.positions]
    if all(displaced is not None for displaced in left):
        yield Filling(tuple(sorted(pods, key=repr)), max(left), nothing_broken(world), True)
