"""Turn a verdict into a plan with names, costs in their units and reasons."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from ...models.domains import label_of
from ...models.plan import Cost, Granted, Placement, Plan, Stats, Status, Tier, Victim
from ...models.request import SCOPES
from ...models.topology import BLOCK, GPU, LINK_ISLANDS, NODE
from ...models.units import MICRO, from_micro
from .cpsat.read import Placed, Solution
from .decision import Decision
from .relax import Verdict
from .search import Tally
from .waits import with_waits

COST = MICRO * MICRO
"""Costs are counted in 10**-12 of their unit before division by the common step."""


def plan_of(decision: Decision, verdict: Verdict, tally: Tally, *, timings: bool = False) -> Plan:
    """Return the plan that a verdict stands for.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        How the decision ended.
    tally : Tally
        What was done.
    timings : bool
        Whether the plan tells the seconds of each phase.

    Returns
    -------
    Plan
        Without reasons and alternatives, which are explanations.
    """
    stats = Stats(seconds=tally.seconds if timings else {}, regions=tally.regions, regions_solved=tally.solved)
    request = decision.request
    scopes = [scope for scope in SCOPES if getattr(request.affinity, scope) is not None]
    asked = {scope: request.scope(scope).island for scope in scopes}
    if verdict.found is None or verdict.found.solution is None:
        status: Status = "infeasible" if verdict.proved else "unknown"
        bound = _in_units(decision, verdict.bound[0]) if verdict.bound and len(decision.tiers) == 1 else None
        return Plan(
            request=request.name,
            status=status,
            admitted=False,
            cost=Cost(bound=bound),
            affinity={scope: Granted(asked=island, granted=None) for scope, island in asked.items()},
            stats=stats,
        )
    solution = verdict.found.solution
    granted = _granted(decision, solution, verdict.found.rungs.gang)
    plan = Plan(
        request=request.name,
        status="optimal" if verdict.proved else "feasible",
        admitted=True,
        placements=tuple(_placement(decision, number, placed) for number, placed in enumerate(solution.placed)),
        victims=_victims(decision, solution),
        cost=_cost(decision, verdict, solution),
        affinity={scope: Granted(asked=asked[scope], granted=granted[scope]) for scope in scopes},
        displaces=_displaced(decision, solution),
        stats=stats,
    )
    return plan if decision.snapshot.job_running_state.all() else with_waits(decision.instance, plan)


def _in_units(decision: Decision, steps: int) -> float:
    return float(Fraction(steps * decision.cost_step, COST))


def _granted(decision: Decision, solution: Solution, gang: str) -> dict[str, str]:
    pod, group = decision.ladder("pod"), decision.ladder("slice")
    return {
        "pod": pod[max(pod.index(placed.kind) for placed in solution.placed)],
        "slice": group[max(group.index(placed.slice_kind) for placed in solution.placed)],
        "gang": gang,
    }


def _placement(decision: Decision, number: int, placed: Placed) -> Placement:
    snapshot = decision.snapshot
    node = snapshot.nodes[placed.node].name
    start = int(snapshot.first_slot[placed.node])
    slots = None if placed.slots is None else tuple(slot - start for slot in placed.slots)
    return Placement(pod=number, node=node, island=_island(decision, placed), level=placed.kind, slots=slots)


def _island(decision: Decision, placed: Placed) -> str | None:
    snapshot = decision.snapshot
    node = snapshot.nodes[placed.node].name
    if placed.cell_slots is None:
        return None
    irregular = placed.kind in (*LINK_ISLANDS, BLOCK) and placed.kind not in snapshot.instance.cluster.levels
    if placed.slots is None and (irregular or _is_cut(decision)):
        start = int(snapshot.first_slot[placed.node])
        return f"{node}/{'+'.join(str(slot - start) for slot in placed.cell_slots)}"
    if irregular or placed.kind == NODE or not placed.cell_slots:
        return node
    numbers, keys = snapshot.domains(placed.kind)
    return label_of(keys[int(numbers[placed.cell_slots[0]])])


def _is_cut(decision: Decision) -> bool:
    """Whether slices or the gang leave only a part of the island to a pod whose slots are not certain."""
    below = decision.snapshot.instance.cluster.levels_below
    return any(rung in below or rung == GPU for scope in SCOPES[1:] for rung in decision.ladder(scope))


def _victims(decision: Decision, solution: Solution) -> tuple[Victim, ...]:
    snapshot = decision.snapshot
    weights = decision.weights
    pods: dict[int, list[int]] = defaultdict(list)
    for unit in solution.units:
        first, last = snapshot.unit_first_pod[unit : unit + 2].tolist()
        pods[int(snapshot.unit_job[unit])] += range(first, last)
    used = {snapshot.nodes[placed.node].name for placed in solution.placed}
    victims = []
    for number in sorted(pods):
        job = snapshot.jobs[number]
        lost = sum(snapshot.pod_lost[pod] for pod in pods[number])
        names = tuple(sorted(snapshot.pods[pod].name for pod in pods[number]))
        nodes = sorted({snapshot.pods[pod].node for pod in pods[number]} & used)
        victims.append(
            Victim(
                job=job.name,
                pods=names,
                priority=job.priority,
                lost_gpu_seconds=from_micro(lost),
                weighted_cost=float(Fraction(lost * weights[job.priority], COST)),
                why=_why(decision, job.is_elastic, len(names), len(job.pods), nodes),
            )
        )
    return tuple(victims)


def _why(decision: Decision, elastic: bool, gone: int, pods: int, nodes: list[str]) -> str:
    shown = ", ".join(nodes[:3]) + (f" and {len(nodes) - 3} more nodes" if len(nodes) > 3 else "")
    where = f"holds room on {shown} that {decision.request.name} needs"
    if elastic:
        return f"{where}; gives up {gone} of its {pods} pods"
    return f"{where}; rigid, so all {pods} pods go" if pods > 1 else where


def _cost(decision: Decision, verdict: Verdict, solution: Solution) -> Cost:
    snapshot, instance = decision.snapshot, decision.instance
    tiers = len(decision.tiers)
    weights = decision.weights
    lost = {unit: snapshot.unit_lost[unit] for unit in solution.units}
    weighted = sum(
        amount * weights[int(snapshot.job_priority[snapshot.unit_job[unit]])] for unit, amount in lost.items()
    )
    total = sum(solution.value(f"work{tier}") for tier in range(tiers)) * decision.cost_step
    levels = instance.cluster.levels
    broken = {level: solution.value(f"broken {level}") for level in levels}
    bound = None
    if verdict.bound is not None and (tiers == 1 or verdict.proved):
        bound = _in_units(decision, min(sum(verdict.bound), total // decision.cost_step))
    price = total - weighted
    whole = float(Fraction(total, COST))
    tier_rows: tuple[Tier, ...] = ()
    if decision.policy.weights == "tiered":
        tier_rows = _tiers(decision, verdict, solution)
    return Cost(
        budget_violations=solution.value("violations"),
        weighted_work=float(Fraction(weighted, COST)),
        price=float(Fraction(price, COST)),
        bound=bound,
        gap=None if bound is None else (0.0 if verdict.proved or not whole else max(0.0, (whole - bound) / whole)),
        evicted_pods=sum(int(snapshot.unit_pods[unit]) for unit in solution.units),
        lost_gpu_seconds=from_micro(sum(lost.values())),
        displaced_reservations=solution.value("displaced"),
        broken_islands={level: number for level, number in broken.items() if number},
        tiers=tier_rows,
    )


def _tiers(decision: Decision, verdict: Verdict, solution: Solution) -> tuple[Tier, ...]:
    rows = []
    snapshot = decision.snapshot
    priorities = {int(snapshot.job_priority[snapshot.unit_job[unit]]) for unit in solution.units}
    for number, priority in enumerate(decision.tiers):
        value = solution.value(f"work{number}")
        bound = _in_units(decision, value) if verdict.proved else None
        if priority in priorities:
            rows.append(Tier(priority=priority, lost_gpu_seconds=_in_units(decision, value), bound=bound))
    return tuple(rows)


def _displaced(decision: Decision, solution: Solution) -> tuple[str, ...]:
    return tuple(sorted({decision.instance.reservations[number].owner for number in solution.displaced}))
