"""Interchangeable empty nodes: of nodes that nothing tells apart, only as many are kept as a plan can use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

import numpy as np

from ...models.topology import NODE
from .decision import Decision
from .layout import Ints
from .rungs import Rungs


def representatives(decision: Decision, rungs: Rungs, nodes: Ints) -> Ints:
    """Leave out empty nodes, and wholly empty domains above node, that are copies of kept ones.

    Two domains of a level are copies if no pod runs and no reservation stands on their nodes, their nodes have the
    same shapes and usable slots in the same order of the tree, and they lie in the same domains that matter (of the
    slices' levels, and those wholly free, which a plan may break). Exchanging two copies in a plan changes no rule
    and no objective before the order of names. A plan of n pods uses at most n of the copies, so keeping the first n
    by name keeps a best plan, and of equal ones the first.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    nodes : ndarray of int64
        Nodes of one region, in name order.

    Returns
    -------
    ndarray of int64
        The nodes to keep, in name order.
    """
    snapshot = decision.snapshot
    touched = [snapshot.node_index[held.node] for held in decision.instance.reservations]
    touched += [snapshot.node_index[pod.node] for job in snapshot.jobs[~snapshot.job_running_state] for pod in job.pods]
    nobody = np.diff(snapshot.node_first_pod) == 0
    nobody[touched] = False
    empty = nobody[nodes]
    if empty.sum() <= decision.pods_most:
        return nodes
    above = snapshot.instance.cluster.levels_above
    signature: dict[int, Hashable] = {}
    for node in nodes[empty].tolist():
        slots = slice(int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1]))
        shape = snapshot.shapes[node]
        signature[node] = (id(shape), decision.slot_usable[slots].tobytes(), snapshot.online[slots].tobytes())
    kept = nodes
    for position, level in enumerate((*above, NODE)):
        kept = _first_copies(decision, rungs, kept, level, above[:position], signature)
    return kept


def _first_copies(
    decision: Decision,
    rungs: Rungs,
    nodes: Ints,
    level: str,
    broader: tuple[str, ...],
    signature: dict[int, Hashable],
) -> Ints:
    snapshot = decision.snapshot
    numbers = snapshot.domain_of_node(level)[0]
    members: dict[int, list[int]] = defaultdict(list)
    for node in nodes.tolist():
        members[int(numbers[node])].append(node)
    sizes = np.bincount(numbers)
    seen: dict[Hashable, int] = defaultdict(int)
    kept: list[int] = []
    finer = _finer(decision, level)
    for domain, inside in members.items():
        if len(inside) == sizes[domain] and all(node in signature for node in inside):
            first = inside[0]
            content = tuple((signature[node], tuple(int(f[node]) - int(f[first]) for f in finer)) for node in inside)
            key = (content, _context(decision, rungs, first, broader))
            seen[key] += 1
            if seen[key] > decision.pods_most:
                continue
        kept += inside
    return np.array(sorted(kept), dtype=np.int64)


def _finer(decision: Decision, level: str) -> list[Ints]:
    """Domain numbers of nodes at levels between a level and node: their differences show how a domain is divided."""
    above = decision.snapshot.instance.cluster.levels_above
    if level == NODE:
        return []
    return [decision.snapshot.domain_of_node(other)[0] for other in above[above.index(level) + 1 :]]


def _context(decision: Decision, rungs: Rungs, node: int, broader: tuple[str, ...]) -> tuple[int, ...]:
    """The domains above that matter to a plan: those that slices may ask for, and those that are wholly free."""
    snapshot = decision.snapshot
    numbers = []
    for level in broader:
        domain = int(snapshot.domain_of_node(level)[0][node])
        matters = level in rungs.slice or level == rungs.gang or snapshot.whole_by_node(level)[node]
        numbers.append(domain if matters else -1)
    return tuple(numbers)
