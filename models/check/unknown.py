"""Pods of unknown placement: the plan holds wherever those that stay happen to sit (problem.md, Unknown placement)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from ..alignment import Alignment, alignment
from ..jobs import Pod
from ..request import ScopeAffinity
from ..shape import Shape
from ..topology import BLOCK, GPU, LINK_CONNECTED
from ..units import MICRO, micro
from .islands import is_clique, is_connected
from .numa import Room
from .rules import Rule, Violation
from .state import Site, State, held_by


@dataclass(frozen=True)
class Doubt:
    """What may be free on a node where pods of unknown placement stay.

    Attributes
    ----------
    site : Site
        The node.
    strangers : tuple of Pod
        Pods of unknown placement that stay.
    known : tuple of Pod
        Pods of known placement that stay.
    """

    site: Site
    strangers: tuple[Pod, ...]
    known: tuple[Pod, ...]

    @cached_property
    def open(self) -> frozenset[int]:
        """Usable slots that no known pod keeps: the most that can be there."""
        return self.site.usable - set(held_by(self.known))

    @cached_property
    def lairs(self) -> tuple[tuple[int, frozenset[int]], ...]:
        """For each pod of unknown placement its number of slots and where they may be.

        Today it sits where pods of known placement, victims too, leave room for its share, and in the domains that
        its ``within`` names.
        """
        site = self.site
        now = held_by((*site.kept, *site.evicted, *site.leaving))
        found = []
        for pod in self.strangers:
            share = micro(pod.share)
            room = {slot for slot in range(site.shape.gpus) if now.get(slot, 0) + share <= MICRO}
            for level, domain in pod.within.items():
                room &= set(site.shape.domains.get(level, {}).get(domain, ()))
            found.append((pod.gpus or 0, frozenset(room)))
        return tuple(found)

    def certain(self, slots: frozenset[int]) -> int:
        """Return how many slots of a set are free wherever the pods of unknown placement sit.

        Parameters
        ----------
        slots : frozenset of int
            Slots of the node.

        Returns
        -------
        int
            ``a - min(U, |R|)``, both within the set, with U counted over pods that may sit there.
        """
        return self.certain_of(slots & self.open)

    def certain_of(self, there: frozenset[int]) -> int:
        """Return how many of some slots that no known pod keeps are free wherever the others sit.

        Parameters
        ----------
        there : frozenset of int
            Such slots, usable for the request or not.

        Returns
        -------
        int
            Their number less the most of them that pods of unknown placement may hold.
        """
        each = sum(min(number, len(room & there)) for number, room in self.lairs)
        reach = frozenset().union(*(room for _, room in self.lairs)) & there
        return len(there) - min(each, len(reach))

    @cached_property
    def number(self) -> int:
        """U: how many open slots the pods of unknown placement may hold at most."""
        reach = frozenset().union(*(room for _, room in self.lairs)) & self.open
        return min(sum(number for number, _ in self.lairs), len(reach))


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
            doubt = Doubt(site, site.strangers, tuple(pod for pod in site.kept if pod.gpus is None))
            problem = lack_of_room(doubt)
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
    if len(site.placements) == 1 and site.placements[0].island is None:
        return (
            None
            if _one_pod_fits(doubt, site.placements[0].level)
            else (
                f"node {node.name}: {doubt.number} GPUs of unknown placement may leave no island of kind "
                f"{site.placements[0].level} with {size} free slots"
            )
        )
    used: Counter[frozenset[int]] = Counter()
    for placement in site.placements:
        slots = site.named_slots(placement)
        if placement.island is None or slots is None:
            return f"pod {placement.pod}: of several pods on node {node.name} each must name its island"
        if not _any_slots_do(site, placement.level, slots):
            return f"pod {placement.pod}: {placement.island} is no island of kind {placement.level}"
        used[slots] += 1
    for slots in _with_unions(used):
        pods = sum(count for island, count in used.items() if island <= slots)
        certain = doubt.certain(slots)
        if certain < size * pods:
            where = f"slots {sorted(slots)} of node {node.name}"
            return f"{where}: only {max(certain, 0)} are certainly free, {pods} pods need {size * pods}"
    aligned = alignment(site.instance, node)
    if aligned is not None and not _aligned_pods_fit(doubt, aligned, used):
        return f"node {node.name}: the {aligned.level} domains that would be left may not serve the pods"
    return None


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


def _one_pod_fits(doubt: Doubt, kind: str) -> bool:
    """Return whether one pod finds an island of a kind, wherever the pods of unknown placement sit."""
    site = doubt.site
    size = site.instance.request.gpus
    islands = _islands(site, kind)
    aligned = alignment(site.instance, site.node)
    if aligned is not None:
        islands = [island & mask for island in islands for mask in _masks(doubt, aligned)]
    if any(doubt.certain(island) >= size for island in islands):
        return True
    if any(pod.within for pod in doubt.strangers) or any(one & other for one, other in combinations(islands, 2)):
        return False
    most = [len(island & doubt.open) for island in islands]
    return doubt.number < sum(number - size + 1 for number in most if number >= size)


def _masks(doubt: Doubt, aligned: Alignment) -> list[frozenset[int]]:
    """Return the slots of every mask whose aligned resources serve a pod."""
    room = Room(doubt.site, aligned, (*doubt.known, *doubt.strangers))
    masks = [mask for mask in aligned.masks() if room.pods(mask)]
    return [frozenset(slot for domain in mask for slot in aligned.domains[domain]) for mask in masks]


def _aligned_pods_fit(doubt: Doubt, aligned: Alignment, used: Counter[frozenset[int]]) -> bool:
    """Return whether pods in named islands also find masks with room, wherever strangers sit."""
    size = doubt.site.instance.request.gpus
    if aligned.width != 1:
        masks = _masks(doubt, aligned)
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


def _islands(site: Site, kind: str) -> list[frozenset[int]]:
    """Return the islands of a kind, those of which any k slots will do; none for an irregular link graph."""
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
