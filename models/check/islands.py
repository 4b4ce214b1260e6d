"""Pod scope: the slots of every pod form an island of the kind that the plan grants it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from ..domains import label_of
from ..ladder import ladder_of
from ..plan import Placement
from ..request import ScopeAffinity
from ..shape import Shape
from ..topology import BLOCK, GPU, LINK_CLIQUE, LINK_CONNECTED, NODE
from .rules import Rule, Violation
from .site import Site, slots_named
from .state import State


def rungs_are_on_the_ladder(state: State) -> Iterator[Violation]:
    """Every pod is granted an island kind of the ladder of its scope."""
    ladder = ladder_of(state.instance, "pod")
    for placement in state.placements:
        if placement.level not in ladder:
            text = f"pod {placement.pod} is granted {placement.level}, the ladder is {list(ladder)}"
            yield Violation(Rule.RUNG, text)


def one_rung_holds_for_all(state: State) -> Iterator[Violation]:
    """With tightest-first relaxation all pods are granted the same rung."""
    if state.instance.policy.relaxation == "tightest-first":
        levels = sorted({placement.level for placement in state.placements})
        if len(levels) > 1:
            yield Violation(Rule.ONE_RUNG, f"tightest-first grants one rung to all pods, the plan grants {levels}")


def is_clique(shape: Shape, slots: Collection[int], affinity: ScopeAffinity) -> bool:
    """Return whether all pairs of some slots are directly linked.

    Parameters
    ----------
    shape : Shape
        Their machine.
    slots : collection of int
        Different slots.
    affinity : ScopeAffinity
        The kind and number of links that count.

    Returns
    -------
    bool
        True for fewer than two slots.
    """
    if shape.fully_linked:
        return True
    kind, least = affinity.link_kind, affinity.min_links
    return all(shape.is_linked(one, other, kind=kind, at_least=least) for one, other in combinations(slots, 2))


def is_connected(shape: Shape, slots: Collection[int], affinity: ScopeAffinity) -> bool:
    """Return whether the links among some slots connect them all.

    Parameters
    ----------
    shape : Shape
        Their machine.
    slots : collection of int
        Different slots.
    affinity : ScopeAffinity
        The kind and number of links that count.

    Returns
    -------
    bool
        True for fewer than two slots.
    """
    apart = set(slots)
    border = [apart.pop()] if apart else []
    while border:
        slot = border.pop()
        near = {
            other
            for other in apart
            if shape.is_linked(slot, other, kind=affinity.link_kind, at_least=affinity.min_links)
        }
        apart -= near
        border += near
    return not apart


def is_island(site: Site, kind: str, slots: Collection[int]) -> bool:
    """Return whether the slots of one pod form an island.

    Parameters
    ----------
    site : Site
        Their node.
    kind : str
        A rung of the ladder of the pod scope.
    slots : collection of int
        Different slots of the node, at least one.

    Returns
    -------
    bool
        Whether one pod may use them together on this rung.
    """
    affinity = site.instance.request.affinity.pod
    if kind == GPU or kind in site.instance.cluster.levels:
        return any(slots_ >= set(slots) for _, slots_ in site.domains(kind))
    if kind == LINK_CLIQUE:
        return is_clique(site.shape, slots, affinity)
    if kind == LINK_CONNECTED:
        return is_connected(site.shape, slots, affinity)
    return kind == BLOCK and frozenset(slots) in site.shape.blocks


def pods_lie_in_islands(state: State) -> Iterator[Violation]:
    """The slots of a pod share a domain of its level, are all linked, are connected or are one block."""
    ladder = ladder_of(state.instance, "pod")
    for site, placement in state.located:
        slots = placement.slots
        if slots and placement.level in ladder and not is_island(site, placement.level, slots):
            where = f"slots {list(slots)} of node {site.node.name}"
            yield Violation(Rule.POD_ISLAND, f"pod {placement.pod}: {where} are no island of kind {placement.level}")


def islands_are_named(state: State) -> Iterator[Violation]:
    """A placement calls its island by its name.

    That is the name of the domain that holds the slots; for a link or block island the node, alone or with slots
    that hold the pod's (``n1/0+1``). Only where slots are not certain, or none are asked for, may the name be left
    out; then any island of the kind on the node may be named, or a part of one by its slots.
    """
    ladder = ladder_of(state.instance, "pod")
    for site, placement in state.located:
        if placement.level not in ladder:
            continue
        if placement.slots and not is_island(site, placement.level, placement.slots):
            continue
        names = _names(site, placement)
        if placement.island not in names and not _names_slots(site, placement):
            shown = ", ".join(sorted(name for name in names if name)) or "by its slots"
            text = f"pod {placement.pod}: the island on node {site.node.name} is {shown}, not {placement.island}"
            yield Violation(Rule.ISLAND_NAME, text)


def _names(site: Site, placement: Placement) -> set[str | None]:
    kind = placement.level
    if kind != GPU and kind not in site.instance.cluster.levels:
        return {site.node.name} if placement.slots else {site.node.name, None}
    if not site.instance.request.gpus:
        level = NODE if kind == GPU else kind
        return {None, site.node.name, *(label_of(key) for key, _ in site.domains(level))}
    if placement.slots is None:
        return {None, *(label_of(key) for key, _ in site.domains(kind))}
    return {label_of(key) for key, slots in site.domains(kind) if slots >= set(placement.slots)}


def _names_slots(site: Site, placement: Placement) -> bool:
    named = slots_named(site, placement.island)
    if placement.level == GPU or placement.level in site.instance.cluster.levels:
        if placement.slots is not None or not named:
            return False
        return any(slots >= named for _, slots in site.domains(placement.level))
    return named is not None and named >= set(placement.slots or ())
