"""From a baseline's decision to a plan: what it costs, where the request lands, and whether it is admitted at all."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...models.check import Rule, Violation, violations
from ...models.check.fragmentation import broken_islands
from ...models.check.reservations import promises_on
from ...models.check.state import look
from ...models.instance import Instance
from ...models.jobs import Job
from ...models.ladder import price_of
from ...models.plan import Cost, Granted, Placement, Plan, Reason, Tier, Victim
from ...models.reasons import ReasonCode
from ...models.request import SCOPES
from ...models.topology import NODE
from ...models.units import MICRO, from_micro
from ..exact.waits import with_waits
from .decision import Decision
from .landing import Landing, landing
from .situation import Running, Situation

VICTIM_RULES = frozenset({Rule.PROTECTED_JOB, Rule.WHOLE_JOB, Rule.HARD_BUDGET, Rule.MAX_VICTIMS})
"""What a baseline may break and be counted for; the request starts all the same."""


def judged(situation: Situation, policy: str, decision: Decision) -> Plan:
    """Return the plan that a decision amounts to.

    Parameters
    ----------
    situation : Situation
        What was decided.
    policy : str
        The baseline's name.
    decision : Decision
        Its decision.

    Returns
    -------
    Plan
        ``feasible`` without a bound, or ``unknown`` where the rule gave up. Admitted if the kubelet's best
        alignment on the chosen nodes breaks no rule of the checker about where the request lands. A gang that
        loses a pod loses the work of all its pods; its victim lists only the pods evicted.
    """
    instance = situation.instance
    asked = _asked(instance)
    if decision.gave_up is not None:
        reason = Reason(code=ReasonCode.GAVE_UP, scope="cluster", text=decision.gave_up)
        return Plan(
            request=instance.request.name, policy=policy, status="unknown", admitted=False,
            affinity={scope: Granted(asked=island, granted=None) for scope, island in asked.items()},
            reasons=(reason,),
        )  # fmt: skip
    gone = set(decision.evicted)
    landed = landing(situation, gone, decision) if decision.nodes else None
    plan = Plan(
        request=instance.request.name, policy=policy, status="feasible", admitted=False,
        victims=_victims(situation, decision), cost=_cost(situation, gone),
        affinity={scope: Granted(asked=island, granted=None) for scope, island in asked.items()},
        placements=_sent(decision),
    )  # fmt: skip
    if landed is None:
        text = _lost_on_the_way(instance, decision)
        return plan.model_copy(update={"reasons": (Reason(code=ReasonCode.REFUSED, scope=NODE, text=text),)})
    admitted = _admitted(instance, plan, landed)
    faults = [found for found in violations(instance, admitted) if found.rule not in VICTIM_RULES]
    return admitted if not faults else plan.model_copy(update={"reasons": tuple(map(_refusal, faults))})


def _lost_on_the_way(instance: Instance, decision: Decision) -> str:
    sent, fewest = len(decision.nodes), instance.request.fewest_pods
    if sent < fewest:
        return f"only {sent} pods of the request find a node, {fewest} are needed"
    return f"the pods sent to {', '.join(sorted(set(decision.nodes)))} cannot start there as the request asks"


def _refusal(fault: Violation) -> Reason:
    return Reason(code=ReasonCode.REFUSED, scope=NODE, text=str(fault))


def _asked(instance: Instance) -> dict[str, str]:
    request = instance.request
    scopes = [scope for scope in SCOPES if scope == "pod" or getattr(request.affinity, scope) is not None]
    return {scope: request.scope(scope).island for scope in scopes}


def _sent(decision: Decision) -> tuple[Placement, ...]:
    """Return where pods were sent, whether or not they can start there."""
    return tuple(
        Placement(pod=number, node=node, island=None, level=NODE, slots=None)
        for number, node in enumerate(decision.nodes)
    )


def _admitted(instance: Instance, plan: Plan, landed: Landing) -> Plan:
    """Return the plan with its placements and all that follows from them."""
    rungs = {"pod": landed.pod, "slice": landed.slice, "gang": landed.gang}
    placed = plan.model_copy(
        update={
            "admitted": True,
            "placements": tuple(
                Placement(pod=number, node=node, island=spot.island, level=landed.pod, slots=spot.slots)
                for number, (node, spot) in enumerate(landed.spots)
            ),
            "affinity": {
                scope: Granted(asked=granted.asked, granted=rungs[scope]) for scope, granted in plan.affinity.items()
            },
        }
    )
    state = look(instance, placed)
    displaced = [promises_on(site) for site in state.sites if site.reservations]
    owners = {held.owner for promises in displaced for held in promises.taken}
    for promises in displaced:
        room = promises.room - promises.promised
        for held in promises.counted:
            room -= held.gpus or 0
            if room < 0:
                owners.add(held.owner)
    cost = placed.cost.model_copy(
        update={
            "price": from_micro(_price(instance, landed)),
            "displaced_reservations": sum(len(each.taken) + each.displaced_counts for each in displaced),
            "broken_islands": broken_islands(state),
        }
    )
    placed = placed.model_copy(update={"cost": cost, "displaces": tuple(sorted(owners))})
    return with_waits(instance, placed)


def _price(instance: Instance, landed: Landing) -> int:
    if instance.policy.relaxation != "priced":
        return 0
    pods, request = len(landed.spots), instance.request
    price = pods * price_of(instance, "pod", landed.pod)
    if request.affinity.slice is not None:
        price += pods // request.slice_size * price_of(instance, "slice", landed.slice)
    if request.affinity.gang is not None:
        price += price_of(instance, "gang", landed.gang)
    return price


def _by_job(situation: Situation, gone: set[str]) -> list[tuple[Job, list[Running], tuple[Running, ...]]]:
    """Return for each job that loses pods: those evicted, and those whose work is lost."""
    jobs = {situation.pods[name].job.name: situation.pods[name].job for name in gone}
    rows = []
    for name in sorted(jobs):
        members = situation.members(jobs[name])
        evicted = sorted((pod for pod in members if pod.name in gone), key=lambda pod: pod.name)
        rows.append((jobs[name], evicted, members if jobs[name].is_broken_by(len(evicted)) else tuple(evicted)))
    return rows


def _victims(situation: Situation, decision: Decision) -> tuple[Victim, ...]:
    victims = []
    for job, evicted, losing in _by_job(situation, set(decision.evicted)):
        lost, why = sum(map(situation.lost, losing)), _why(decision, evicted)
        if len(losing) > len(evicted):
            why += f"; breaks the gang: the work of its other {len(losing) - len(evicted)} pods is lost as well"
        victims.append(
            Victim(
                job=job.name,
                pods=tuple(pod.name for pod in evicted),
                priority=job.priority,
                lost_gpu_seconds=from_micro(lost),
                weighted_cost=_weighted(situation.cost(losing)),
                why=why,
            )
        )
    return tuple(victims)


def _why(decision: Decision, evicted: Sequence[Running]) -> str:
    return ", ".join(dict.fromkeys(decision.evicted[pod.name] for pod in evicted))


def _weighted(cost: int) -> float:
    return float(Fraction(cost, MICRO * MICRO))


def _cost(situation: Situation, gone: set[str]) -> Cost:
    rows = _by_job(situation, gone)
    losing = [pod for _, _, pods in rows for pod in pods]
    spent: dict[str, int] = {}
    for job, evicted, _ in rows:
        if job.budget is not None:
            spent[job.budget] = spent.get(job.budget, 0) + len(evicted)
    tiers: dict[int, int] = {}
    for pod in losing:
        tiers[pod.priority] = tiers.get(pod.priority, 0) + situation.lost(pod)
    return Cost(
        budget_violations=sum(max(0, gone - situation.budgets[name]) for name, gone in spent.items()),
        weighted_work=_weighted(situation.cost(losing)),
        evicted_pods=len(gone),
        lost_gpu_seconds=from_micro(sum(map(situation.lost, losing))),
        tiers=tuple(
            Tier(priority=priority, lost_gpu_seconds=from_micro(lost), bound=None)
            for priority, lost in sorted(tiers.items(), reverse=True)
            if situation.instance.policy.weights == "tiered"
        ),
    )
