"""The cheapest plans that lie elsewhere: in other islands, other regions, or without all of the same nodes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from ...models.domains import label_of
from ...models.plan import Alternative
from ...models.topology import CLUSTER, NODE
from ..exact.answer import plan_of
from ..exact.bound import SAFE, Floats, cells_of, island_portions, level_of
from ..exact.cpsat import solve_region
from ..exact.cpsat.read import Placed, Solution
from ..exact.decision import Decision
from ..exact.region import spell_out
from ..exact.relax import Verdict
from ..exact.rungs import Regions, Rungs, regions_of
from ..exact.search import Found, Key, Tally, key_of
from .narrow import Narrowed
from .probe import Probe
from .texts import listed


@dataclass(frozen=True)
class Elsewhere:
    """Other places for the request.

    Attributes
    ----------
    found : tuple of Alternative
        The cheapest first.
    up_to : float or None
        Every place with a plan below this cost is listed; None: all places are.
    """

    found: tuple[Alternative, ...]
    up_to: float | None


@dataclass(frozen=True)
class _Candidate:
    key: Key
    solution: Solution
    rungs: Rungs
    label: str
    level: str
    proved: bool


def alternatives_of(decision: Decision, verdict: Verdict, probe: Probe, most: int) -> Elsewhere:
    """Return the cheapest plans in other places, on the granted rungs.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        With a plan.
    probe : Probe
        What may be spent.
    most : int
        At most so many.

    Returns
    -------
    Elsewhere
        For a single pod the places are its islands, named as plans name them. For a gang with several domains that
        it could share they are these domains. Otherwise they are sets of nodes: each alternative leaves out at least
        one node of the plan and of every alternative before it.
    """
    assert verdict.found is not None and verdict.found.solution is not None
    rungs = verdict.found.rungs
    regions = regions_of(decision, rungs)
    if decision.pods_most == 1 and decision.gpus:
        finder: Iterator[_Candidate | Key] = _islands(decision, rungs, verdict.found.solution, probe)
    elif len(regions) > 1:
        finder = _regions(decision, rungs, regions, verdict.found.solution, probe)
    else:
        finder = _node_sets(decision, rungs, verdict.found.solution, probe)
    found: list[_Candidate] = []
    up_to: float | None = None
    for each in finder:
        if not isinstance(each, _Candidate):
            up_to = _cost(decision, each)
            break
        if len(found) == most:
            up_to = _cost(decision, _costs(decision, each.key))
            break
        found.append(each)
    return Elsewhere(tuple(_told(decision, each) for each in found), up_to)


def _islands(decision: Decision, rungs: Rungs, own: Solution, probe: Probe) -> Iterator[_Candidate | Key]:
    """Yield islands of a single pod by cost; last, if some are left, a cost that none of them undercuts."""
    waiting: list[tuple[Key, int, tuple[Rungs, Regions, int]]] = []
    number = count()
    for kind in rungs.pod:
        alone = Rungs((kind,), rungs.slice, rungs.gang)
        regions = regions_of(decision, alone)
        bounds = _island_bounds(decision, alone, regions)
        for cell in np.flatnonzero(np.isfinite(bounds).all(axis=0)).tolist():
            if not _is_own(decision, alone, regions, cell, own.placed[0]):
                bound = tuple(int(value) for value in bounds[:, cell])
                waiting.append((bound, next(number), (alone, regions, cell)))
    heapq.heapify(waiting)
    solved: list[tuple[Key, int, _Candidate]] = []
    while waiting or solved:
        while solved and (not waiting or _costs(decision, solved[0][0]) <= waiting[0][0]):
            yield heapq.heappop(solved)[2]
        if not waiting:
            return
        if probe.is_over:
            yield min([waiting[0][0], *(_costs(decision, key) for key, _, _ in solved)])
            return
        bound, order, (alone, regions, cell) = heapq.heappop(waiting)
        candidate = _island(decision, alone, regions, cell, probe)
        if candidate is not None:
            heapq.heappush(solved, (candidate.key, order, candidate))


def _island_bounds(
    decision: Decision, rungs: Rungs, regions: Regions
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    level = level_of(decision, rungs.pod[0])
    rows = [decision.unit_violations.astype(np.float64), *decision.unit_cost.astype(np.float64)]
    found = [island_portions(decision, regions, level, cost)[:, 0] for cost in rows]
    found[-1] = found[-1] + decision.price("pod", rungs.pod[0]) + decision.price("gang", rungs.gang)
    bounds: Floats = np.ceil(np.stack(found) * SAFE)
    return bounds


def _is_own(decision: Decision, rungs: Rungs, regions: Regions, cell: int, placed: Placed) -> bool:
    if placed.kind != rungs.pod[0]:
        return False
    cells = cells_of(decision, regions, level_of(decision, rungs.pod[0]))
    if int(cells.node[cell]) != placed.node:
        return False
    slots = placed.slots or placed.cell_slots
    return slots is None or int(cells.of_slot[slots[0]]) == cell


def _island(decision: Decision, rungs: Rungs, regions: Regions, cell: int, probe: Probe) -> _Candidate | None:
    level = level_of(decision, rungs.pod[0])
    cells = cells_of(decision, regions, level)
    slots = cells.slots(cell)
    probe.tally.solved += 1
    outcome = solve_region(
        decision, rungs, spell_out(decision, rungs, [int(cells.node[cell])], slots), probe.effort, {}
    )
    if outcome.solution is None:
        return None
    numbers, keys = decision.snapshot.domains(level)
    label = label_of(keys[int(numbers[slots[0]])])
    key = key_of(decision, outcome.solution)
    return _Candidate(key, outcome.solution, rungs, label, rungs.pod[0], outcome.proved)


def _regions(
    decision: Decision, rungs: Rungs, regions: Regions, own: Solution, probe: Probe
) -> Iterator[_Candidate | Key]:
    """Yield regions of a gang by cost: each search leaves out the regions found before."""
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
        last = _costs(decision, key)
        closed.append(_region_of(decision, regions, found.solution))
        yield _Candidate(
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


def _node_sets(decision: Decision, rungs: Rungs, own: Solution, probe: Probe) -> Iterator[_Candidate | Key]:
    """Yield plans by cost that each leave out a node of every plan before: a best-first hitting-set tree.

    A plan leaves out some node of a set S exactly if, for some node of S, it is a plan of the cluster without that
    node. So the children of a plan close one of its nodes each; what a child costs is at least what its parent
    costs, and is found out only when no other could be cheaper.
    """
    listed_sets = [_nodes_of(own)]
    order = count()
    start = _leading(decision, key_of(decision, own))
    waiting: list[tuple[Key, bool, int, frozenset[int], Found | None]] = [
        (start, True, next(order), frozenset({node}), None) for node in sorted(listed_sets[0])
    ]
    seen = {closed for _, _, _, closed, _ in waiting}
    while waiting:
        costs, _, _, closed, found = heapq.heappop(waiting)
        if found is None:
            if probe.is_over:
                yield _costs(decision, costs)
                return
            found = probe.best_on(Narrowed(decision, nodes=closed), rungs)
            if found.solution is not None:
                costs = _leading(decision, key_of(decision, found.solution))
                heapq.heappush(waiting, (costs, False, next(order), closed, found))
            elif not found.proved:
                yield _costs(decision, costs)
                return
            continue
        assert found.solution is not None
        nodes = _nodes_of(found.solution)
        inside = next((known for known in listed_sets if known <= nodes), None)
        if inside is None:
            listed_sets.append(nodes)
            names = [decision.snapshot.nodes[node].name for node in sorted(nodes)]
            key = key_of(decision, found.solution)
            yield _Candidate(key, found.solution, rungs, listed(names, 8), "nodes", found.proved)
        for node in sorted(inside or nodes):
            further = closed | {node}
            if further not in seen:
                seen.add(further)
                heapq.heappush(waiting, (costs, True, next(order), further, None))


def _nodes_of(solution: Solution) -> frozenset[int]:
    return frozenset(placed.node for placed in solution.placed)


def _leading(decision: Decision, key: Key) -> Key:
    """Violations, pods not placed, and costs of a key: what a plan of fewer nodes can only worsen."""
    return key[: 2 + len(decision.tiers)]


def _costs(decision: Decision, key: Key) -> Key:
    """Violations and costs of a key, as bounds have them."""
    return (key[0], *key[2 : 2 + len(decision.tiers)])


def _cost(decision: Decision, costs: Key) -> float:
    return sum(costs[1:]) * decision.cost_step / 10**12


def _told(decision: Decision, found: _Candidate) -> Alternative:
    verdict = Verdict(Found(found.rungs, found.solution, True, ()), True, None, ())
    plan = plan_of(decision, verdict, Tally())
    jobs = {job.name: job for job in decision.snapshot.jobs if job.is_elastic}
    victims = [name for victim in plan.victims for name in (victim.pods if victim.job in jobs else (victim.job,))]
    return Alternative(
        island=found.label,
        level=found.level,
        nodes=tuple(sorted({placement.node for placement in plan.placements})),
        weighted_work=plan.cost.weighted_work,
        price=plan.cost.price,
        budget_violations=plan.cost.budget_violations,
        evicted_pods=plan.cost.evicted_pods,
        victims=tuple(victims),
        proved=found.proved,
    )
