"""The cheapest plans of a gang: in other domains that it could share, or without all of the same nodes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from ...models.domains import label_of
from ...models.topology import CLUSTER, NODE
from ..exact.cpsat.read import Solution
from ..exact.decision import Decision
from ..exact.rungs import Regions, Rungs
from ..exact.search import Found, Key, key_of
from .candidates import Candidate, costs_of, leading
from .narrow import Narrowed
from .probe import Probe
from .texts import listed


def other_regions(
    decision: Decision, rungs: Rungs, regions: Regions, own: Solution, probe: Probe
) -> Iterator[Candidate | Key]:
    """Find the cheapest plan of every other domain that a gang could share, the cheapest first.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The granted rungs.
    regions : Regions
        The domains.
    own : Solution
        The plan whose domain is left out.
    probe : Probe
        What may be spent.

    Yields
    ------
    Candidate or tuple of int
        Each found by a search without the domains before; last, if time ran out, costs that no further one
        undercuts.
    """
    closed = [_region_of(decision, regions, own)]
    whole = all(level in (CLUSTER, NODE, *decision.snapshot.instance.cluster.levels_above) for level in regions.levels)
    last: Key | None = None
    while True:
        if whole:
            narrowed = Narrowed(decision, nodes=[node for region in closed for node in regions.nodes[region].tolist()])
        else:
            narrowed = Narrowed(
                decision, slots=[slot for region in closed for slot in regions.slots.slots(region).tolist()]
            )
        found = probe.best_on(narrowed, rungs)
        if found.solution is None:
            if not found.proved:
                yield last or (0,) * (1 + len(decision.tiers))
            return
        key = key_of(decision, found.solution)
        last = costs_of(decision, key)
        closed.append(_region_of(decision, regions, found.solution))
        yield Candidate(
            key, found.solution, rungs, _region_label(decision, regions, closed[-1]), rungs.gang, found.proved
        )


def _region_of(decision: Decision, regions: Regions, solution: Solution) -> int:
    placed = solution.placed[0]
    slots = placed.slots or placed.cell_slots
    if slots:
        return int(regions.slots.of_slot[slots[0]])
    return next(number for number, nodes in enumerate(regions.nodes) if placed.node in nodes)


def _region_label(decision: Decision, regions: Regions, number: int) -> str:
    names = []
    for level in regions.levels:
        if decision.gpus:
            numbers, keys = decision.snapshot.domains(level)
            names.append(label_of(keys[int(numbers[regions.slots.slots(number)[0]])]))
        else:
            by_node, keys = decision.snapshot.domain_of_node(level)
            names.append(label_of(keys[int(by_node[regions.nodes[number][0]])]))
    return ", ".join(names)


def other_node_sets(decision: Decision, rungs: Rungs, own: Solution, probe: Probe) -> Iterator[Candidate | Key]:
    """Find the cheapest plans that each leave out a node of every plan before: a best-first hitting-set tree.

    A plan leaves out some node of a set S exactly if, for some node of S, it is a plan of the cluster without that
    node. So the children of a plan close one of its nodes each; what a child costs is at least what its parent
    costs, and is found out only when no other could be cheaper.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The granted rungs.
    own : Solution
        The plan that comes before all others.
    probe : Probe
        What may be spent.

    Yields
    ------
    Candidate or tuple of int
        The cheapest first; last, if time ran out, costs that no further plan undercuts.
    """
    listed_sets = [_nodes_of(own)]
    order = count()
    start = leading(decision, key_of(decision, own))
    waiting: list[tuple[Key, bool, int, frozenset[int], Found | None]] = [
        (start, True, next(order), frozenset({node}), None) for node in sorted(listed_sets[0])
    ]
    seen = {closed for _, _, _, closed, _ in waiting}
    while waiting:
        costs, _, _, closed, found = heapq.heappop(waiting)
        if found is None:
            if probe.is_over:
                yield costs_of(decision, costs)
                return
            found = probe.best_on(Narrowed(decision, nodes=closed), rungs)
            if found.solution is not None:
                costs = leading(decision, key_of(decision, found.solution))
                heapq.heappush(waiting, (costs, False, next(order), closed, found))
            elif not found.proved:
                yield costs_of(decision, costs)
                return
            continue
        assert found.solution is not None
        nodes = _nodes_of(found.solution)
        inside = next((known for known in listed_sets if known <= nodes), None)
        if inside is None:
            listed_sets.append(nodes)
            names = [decision.snapshot.nodes[node].name for node in sorted(nodes)]
            key = key_of(decision, found.solution)
            yield Candidate(key, found.solution, rungs, listed(names, 8), "nodes", found.proved)
        for node in sorted(inside or nodes):
            further = closed | {node}
            if further not in seen:
                seen.add(further)
                heapq.heappush(waiting, (costs, True, next(order), further, None))


def _nodes_of(solution: Solution) -> frozenset[int]:
    return frozenset(placed.node for placed in solution.placed)
