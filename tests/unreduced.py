"""The optimum by the engine's models alone: every region solved, without limits, bounds, orders or reductions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from time import monotonic

from topreempt.models import Instance
from topreempt.models.topology import CLUSTER, GPU, NODE
from topreempt.solver.exact.cpsat import Effort, Outcome, solve_region
from topreempt.solver.exact.decision import Decision
from topreempt.solver.exact.layout import Ints
from topreempt.solver.exact.region import spell_out
from topreempt.solver.exact.relax import Verdict, decide
from topreempt.solver.exact.rungs import Regions, Rungs, regions_of, rungs_in_order
from topreempt.solver.exact.search import Tally, key_of, work_names
from topreempt.solver.exact.snapshot import compile_snapshot

LONG_ENOUGH = 600.0


def decision_of(instance: Instance) -> Decision:
    return Decision(compile_snapshot(instance), instance)


def effort() -> Effort:
    return Effort(deadline=monotonic() + LONG_ENOUGH, workers=1, seed=0)


def decided(decision: Decision) -> Verdict:
    """What the engine itself answers, with time enough."""
    return decide(decision, effort(), Tally())


def searches(decision: Decision) -> Iterator[tuple[Rungs, Regions]]:
    """Every choice of rungs with the regions that the engine searches on it."""
    for rungs in rungs_in_order(decision):
        yield rungs, regions_of(decision, rungs)


def solved(decision: Decision, rungs: Rungs, nodes: Ints, slots: Ints | None, only: Collection[str] = ()) -> Outcome:
    """One model over some nodes; the objectives that are asked for, or all but the order of names."""
    wanted = only or every_objective(decision)
    outcome = solve_region(
        decision, rungs, spell_out(decision, rungs, nodes.tolist(), slots), effort(), limits={}, only=wanted
    )
    assert outcome.proved
    return outcome


def solved_region(
    decision: Decision, rungs: Rungs, regions: Regions, number: int, only: Collection[str] = ()
) -> Outcome:
    """One model over one region of a search."""
    slots = regions.slots.slots(number) if decision.gpus and cuts_nodes(decision, regions.levels) else None
    return solved(decision, rungs, regions.nodes[number], slots, only)


def cuts_nodes(decision: Decision, levels: Collection[str]) -> bool:
    return any(level == GPU or level in decision.snapshot.instance.cluster.levels_below for level in levels)


def every_objective(decision: Decision) -> list[str]:
    broken = [f"broken {level}" for level in decision.snapshot.instance.cluster.levels]
    return ["violations", "missing", *work_names(decision), "evicted", "displaced", "extra", *broken]


def best_key(decision: Decision) -> tuple[int, ...] | None:
    """The best key of all plans with the number of its rungs after the fixed objectives; None: infeasible.

    A gang without a common domain, and a single pod, are one model over all nodes.
    """
    found: list[tuple[int, ...]] = []
    priced = decision.policy.relaxation == "priced"
    most_first = decision.policy.extra_pods == "evict"
    for position, rungs in enumerate(rungs_in_order(decision)):
        for nodes, slots in _parts(decision, rungs):
            solution = solved(decision, rungs, nodes, slots).solution
            if solution is not None:
                key = key_of(decision, solution)
                fixed = key[:2] if most_first else (key[0], 0)
                found.append((*fixed, 0 if priced else position, *key))
    return min(found, default=None)


def _parts(decision: Decision, rungs: Rungs) -> Iterator[tuple[Ints, Ints | None]]:
    """The domains of the gang's island; all nodes at once where it is the cluster or one pod is all."""
    level = CLUSTER if decision.pods_most == 1 else rungs.gang
    below = cuts_nodes(decision, [level])
    numbers, keys = decision.snapshot.domain_of_node(NODE if below else level)
    if below and decision.gpus:
        of_slot, keys = decision.snapshot.domains(level)
        for number in range(len(keys)):
            slots = (of_slot == number).nonzero()[0]
            yield decision.snapshot.node_of_slot[slots[:1]], slots
        return
    for number in range(len(keys)):
        yield (numbers == number).nonzero()[0], None
