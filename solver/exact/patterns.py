"""Islands of the link graph and aligned blocks: which slot sets of a machine one pod may use together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from ...models.errors import ConfigError
from ...models.request import ScopeAffinity
from ...models.shape import Shape
from ...models.topology import BLOCK, LINK_CLIQUE

MOST_PATTERNS = 200_000


@dataclass(frozen=True)
class Patterns:
    """The islands of one kind and size on a machine.

    Attributes
    ----------
    groups : tuple of tuple of int or None
        Where every k slots of a group are an island: the groups (disjoint). A pattern model is not needed then.
    sets : tuple of tuple of int
        Else every island, in ascending order of its slots.
    """

    groups: tuple[tuple[int, ...], ...] | None
    sets: tuple[tuple[int, ...], ...]


def patterns_of(shape: Shape, kind: str, affinity: ScopeAffinity, size: int) -> Patterns:
    """Return the link or block islands of a machine.

    Parameters
    ----------
    shape : Shape
        The machine.
    kind : str
        ``link-clique``, ``link-connected`` or ``block``.
    affinity : ScopeAffinity
        For the kind and number of links that count.
    size : int
        Slots a pod, at least 1.

    Returns
    -------
    Patterns
        Fully linked groups collapse: if every component of the link graph is complete, any k slots of a component
        are both a clique and connected, so the components serve as the domains of a level.

    Raises
    ------
    ConfigError
        More islands than a model should hold.
    """
    if kind == BLOCK:
        return Patterns(None, tuple(sorted(tuple(sorted(block)) for block in shape.blocks if len(block) == size)))
    if size == 1 or shape.fully_linked:
        return Patterns((tuple(range(shape.gpus)),), ())
    graph = nx.Graph()
    graph.add_nodes_from(range(shape.gpus))
    graph.add_edges_from(
        pair for pair in shape.links if shape.is_linked(*pair, kind=affinity.link_kind, at_least=affinity.min_links)
    )
    components = [tuple(sorted(component)) for component in nx.connected_components(graph)]
    if all(graph.subgraph(c).number_of_edges() == len(c) * (len(c) - 1) // 2 for c in components):
        return Patterns(tuple(sorted(components)), ())
    found = _cliques(graph, size) if kind == LINK_CLIQUE else _connected(graph, size)
    sets: list[tuple[int, ...]] = []
    for island in found:
        sets.append(island)
        if len(sets) > MOST_PATTERNS:
            raise ConfigError(f"more than {MOST_PATTERNS} {kind} islands of {size} slots on one machine")
    return Patterns(None, tuple(sorted(sets)))


def _cliques(graph: nx.Graph[int], size: int) -> Iterator[tuple[int, ...]]:
    def grow(chosen: tuple[int, ...], candidates: list[int]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        for index, slot in enumerate(candidates):
            if len(chosen) + len(candidates) - index < size:
                return
            yield from grow(
                (*chosen, slot), [other for other in candidates[index + 1 :] if graph.has_edge(slot, other)]
            )

    yield from grow((), sorted(graph))


def _connected(graph: nx.Graph[int], size: int) -> Iterator[tuple[int, ...]]:
    def grow(chosen: frozenset[int], border: list[int], seen: frozenset[int], root: int) -> Iterator[tuple[int, ...]]:
        if len(chosen) == size:
            yield tuple(sorted(chosen))
            return
        while border:
            slot = border.pop()
            fresh = [other for other in graph[slot] if other > root and other not in seen]
            yield from grow(chosen | {slot}, border + fresh, seen | set(fresh), root)

    for root in sorted(graph):
        near = [other for other in graph[root] if other > root]
        yield from grow(frozenset({root}), near, frozenset({root, *near}), root)
