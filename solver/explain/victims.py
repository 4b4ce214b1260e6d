"""Why each victim has to go: what is short without it, and what the cheapest plan that spares it costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...models.explanation import VictimCode, VictimFact
from ...models.plan import Placement, Plan, Victim
from ...models.request import SCOPES
from ...models.topology import BLOCK, LINK_ISLANDS
from ...models.units import MICRO, micro
from ..exact.decision import Decision
from .narrow import Narrowed
from .probe import Probe
from .texts import VICTIM_TEXTS, amount, counted, rungs_named


def with_needs(decision: Decision, plan: Plan) -> Plan:
    """Return a plan whose victims say what is short without them; nothing is solved.

    Parameters
    ----------
    decision : Decision
        The request.
    plan : Plan
        A plan of the exact engine.

    Returns
    -------
    Plan
        The same plan where it has no victims.
    """
    if not plan.victims:
        return plan
    needs = _Needs(decision, plan)
    return plan.model_copy(update={"victims": tuple(_with_facts(v, [needs.of(v)]) for v in plan.victims)})


def with_spared(decision: Decision, plan: Plan, probe: Probe) -> Plan:
    """Return a plan whose victims say what the cheapest plan costs that leaves them alone, each found by solving it.

    Parameters
    ----------
    decision : Decision
        The request.
    plan : Plan
        A plan of the exact engine, after `with_needs`.
    probe : Probe
        What may be spent; the dearest victims come first.

    Returns
    -------
    Plan
        Victims that were not reached in time say so.
    """
    numbers = {job.name: number for number, job in enumerate(decision.snapshot.jobs)}
    order = sorted(plan.victims, key=lambda victim: (-victim.weighted_cost, victim.job))
    facts: dict[str, VictimFact] = {}
    for victim in order:
        if probe.is_over:
            facts[victim.job] = VictimFact(code=VictimCode.UNCHECKED, text=VICTIM_TEXTS[VictimCode.UNCHECKED])
        else:
            spared = probe.plan(Narrowed(decision, jobs=[numbers[victim.job]]))
            facts[victim.job] = compared(decision, plan, spared)
    victims = tuple(_with_facts(victim, [*victim.facts, facts[victim.job]]) for victim in plan.victims)
    return plan.model_copy(update={"victims": victims})


def compared(decision: Decision, plan: Plan, spared: Plan) -> VictimFact:
    """Return what sparing a victim would change, by the first objective that differs.

    Parameters
    ----------
    decision : Decision
        For the order of the rungs.
    plan : Plan
        The plan.
    spared : Plan
        The best plan that leaves the victim alone.

    Returns
    -------
    VictimFact
        A claim that needs a proof is made only of a proved plan.
    """
    code, fields = _difference(decision, plan, spared)
    cost = spared.cost.weighted_work + spared.cost.price if spared.status in ("optimal", "feasible") else None
    return VictimFact(code=code, text=VICTIM_TEXTS[code].format(**fields), spared_cost=cost)


def _difference(decision: Decision, plan: Plan, spared: Plan) -> tuple[VictimCode, dict[str, object]]:
    if spared.status == "infeasible":
        return VictimCode.ONLY_WAY, {}
    if spared.status != "optimal":
        return VictimCode.UNCHECKED, {}
    own, other = plan.cost, spared.cost
    if other.budget_violations != own.budget_violations:
        return VictimCode.VIOLATES, {"new": counted(other.budget_violations, "pod"), "old": own.budget_violations}
    if decision.policy.extra_pods == "evict" and len(spared.placements) != len(plan.placements):
        return VictimCode.FEWER_PODS, {"new": counted(len(spared.placements), "pod"), "old": len(plan.placements)}
    cost, least = other.weighted_work + other.price, own.weighted_work + own.price
    if decision.policy.relaxation != "priced" and _rungs(decision, spared) != _rungs(decision, plan):
        fields: dict[str, object] = {"new": rungs_named(spared), "old": rungs_named(plan)}
        fields |= {"cost": amount(cost), "least": amount(least)}
        looser = _rungs(decision, spared) > _rungs(decision, plan)
        return (VictimCode.LOOSER_RUNG if looser else VictimCode.BETTER_WITHOUT), fields
    worse = _compare_work(plan, spared)
    if worse:
        code = VictimCode.COSTS_MORE if worse > 0 else VictimCode.BETTER_WITHOUT
        return code, {"cost": amount(cost), "least": amount(least)}
    if other.evicted_pods > own.evicted_pods:
        return VictimCode.MORE_EVICTIONS, {"new": counted(other.evicted_pods, "pod"), "old": own.evicted_pods}
    return VictimCode.TIE, {"cost": amount(cost)}


def _compare_work(plan: Plan, spared: Plan) -> int:
    """Return 1 if sparing costs more, -1 if less, 0 if the same; tier by tier where there are tiers."""
    tiers = [{tier.priority: micro(tier.lost_gpu_seconds) for tier in each.cost.tiers} for each in (plan, spared)]
    for priority in sorted(tiers[0] | tiers[1], reverse=True):
        own, other = tiers[0].get(priority, 0), tiers[1].get(priority, 0)
        if own != other:
            return 1 if other > own else -1
    own_cost = plan.cost.weighted_work + plan.cost.price
    other_cost = spared.cost.weighted_work + spared.cost.price
    if tiers[0] or tiers[1] or abs(own_cost - other_cost) <= 1e-9 * max(1.0, own_cost):
        return 0
    return 1 if other_cost > own_cost else -1


def _rungs(decision: Decision, plan: Plan) -> list[int]:
    granted = {scope: given.granted for scope, given in plan.affinity.items()}
    known = ((scope, granted.get(scope)) for scope in SCOPES)
    return [decision.ladder(scope).index(rung) for scope, rung in known if rung is not None]


def _with_facts(victim: Victim, facts: list[VictimFact]) -> Victim:
    why = "; ".join(fact.text for fact in facts)
    return victim.model_copy(update={"facts": tuple(facts), "why": why})


class _Needs:
    """What each part of a plan lacks without one of its victims."""

    def __init__(self, decision: Decision, plan: Plan) -> None:
        self.decision = decision
        self.snapshot = decision.snapshot
        self.plan = plan
        self.units = [unit for victim in plan.victims for unit in self._units(victim)]
        self.islands: dict[int, dict[tuple[int, ...], list[Placement]]] = {}
        self.pods: dict[int, int] = {}
        for placement in plan.placements:
            node = self.snapshot.node_index[placement.node]
            self.pods[node] = self.pods.get(node, 0) + 1
            slots = self._island(placement)
            if slots:
                self.islands.setdefault(node, {}).setdefault(slots, []).append(placement)

    def _units(self, victim: Victim) -> list[int]:
        snapshot = self.snapshot
        number = snapshot.job_number(victim.job)
        assert number is not None
        first, last = snapshot.job_first_unit[number : number + 2].tolist()
        pods = snapshot.unit_first_pod
        return [unit for unit in range(first, last) if snapshot.pods[int(pods[unit])].name in victim.pods]

    def of(self, victim: Victim) -> VictimFact:
        """Return what is short without a victim, all other victims gone."""
        snapshot = self.snapshot
        own = self._units(victim)
        others = set(self.units) - set(own)
        pods = snapshot.unit_first_pod
        nodes = {int(node) for unit in own for node in snapshot.pod_node[int(pods[unit]) : int(pods[unit + 1])]}
        touched = sorted(nodes & self.pods.keys())
        facts = [*self._short_islands(touched, others), *self._short_resources(touched, others)]
        if facts:
            return facts[0]
        placed = counted(len(self.plan.placements), "pod")
        return VictimFact(code=VictimCode.NEEDED, text=VICTIM_TEXTS[VictimCode.NEEDED].format(pods=placed))

    def _short_islands(self, nodes: list[int], gone: set[int]) -> Iterator[VictimFact]:
        decision, snapshot = self.decision, self.snapshot
        for slots, placed in (found for node in nodes for found in self.islands.get(node, {}).items()):
            free = 0
            for slot in slots:
                first, last = int(snapshot.slot_first_hold[slot]), int(snapshot.slot_first_hold[slot + 1])
                holders = zip(
                    snapshot.hold_unit[first:last].tolist(), snapshot.hold_share[first:last].tolist(), strict=True
                )
                held = sum(share for unit, share in holders if unit not in gone)
                if decision.slot_usable[slot]:
                    free += (MICRO - held) // decision.share
            short = len(placed) * decision.gpus - free
            if short > 0:
                label = placed[0].island or placed[0].node
                text = VICTIM_TEXTS[VictimCode.SLOTS].format(island=label, slots=counted(short, "slot"))
                yield VictimFact(code=VictimCode.SLOTS, text=text)

    def _island(self, placement: Placement) -> tuple[int, ...]:
        """The slots of the domain that a placed pod lies in; none where it is no domain or not certain."""
        snapshot = self.snapshot
        level = placement.level
        irregular = level in (*LINK_ISLANDS, BLOCK) and level not in snapshot.instance.cluster.levels
        if not placement.slots or irregular:
            return ()
        node = snapshot.node_index[placement.node]
        first, last = int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1])
        numbers = snapshot.domains(level)[0][first:last]
        own = numbers[placement.slots[0]]
        return tuple((first + np.flatnonzero(numbers == own)).tolist())

    def _short_resources(self, nodes: list[int], gone: set[int]) -> Iterator[VictimFact]:
        decision, snapshot = self.decision, self.snapshot
        for node in nodes:
            pods = self.pods[node]
            for asked in decision.asked:
                back = sum(
                    int(asked.held[pod]) for pod in snapshot.pods_on(node) if int(snapshot.pod_unit[pod]) in gone
                )
                short = asked.amount * pods - int(asked.free[node]) - back
                if short > 0 and asked.bounds[node]:
                    whole = MICRO if asked.name == "pods" else micro(decision.request.resources[asked.name])
                    missing = amount(short * (whole // asked.amount) / MICRO)
                    text = VICTIM_TEXTS[VictimCode.RESOURCE].format(
                        node=snapshot.nodes[node].name, amount=missing, resource=asked.name
                    )
                    yield VictimFact(code=VictimCode.RESOURCE, text=text)
