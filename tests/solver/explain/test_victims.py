"""What is said of victims, against the brute force: what is short without them, what sparing them costs."""

from __future__ import annotations

from collections import Counter

import pytest
from builders import drawn
from oracle.brute import Answer, best_for_victims, solve
from probing import MILLIONTHS, SECONDS, answer_of, chunks, decision_of, name, probe_of, solvable

from topreempt.models import Instance, Plan
from topreempt.models.explanation import VictimCode, VictimFact
from topreempt.models.plan import Victim
from topreempt.solver import solve_preemption
from topreempt.solver.explain import Ask
from topreempt.solver.explain.edits import edited
from topreempt.solver.explain.victims import with_spared

NORMAL, LONG = 500, 4_000


def explained(instance: Instance) -> Plan:
    return solve_preemption(instance, time_limit=SECONDS, explain=Ask(alternatives=0, causes=False, time_limit=SECONDS))


def spared(instance: Instance, name: str) -> Answer:
    jobs = tuple(job.model_copy(update={"preemptible": False}) if job.name == name else job for job in instance.jobs)
    return solve(edited(instance, jobs=jobs))


def rungs(instance: Instance, answer: Answer) -> list[int]:
    from topreempt.models.ladder import ladder_of

    assert answer.rungs is not None
    return [ladder_of(instance, scope).index(answer.rungs[scope]) for scope in ("pod", "slice", "gang")]


def code_of(instance: Instance, own: Answer, other: Answer) -> VictimCode:
    """The first objective that sparing worsens, by the brute force's answers."""
    if other.status == "infeasible":
        return VictimCode.ONLY_WAY
    if other.budget_violations != own.budget_violations:
        return VictimCode.VIOLATES
    if instance.policy.extra_pods == "evict" and other.placed != own.placed:
        return VictimCode.FEWER_PODS
    if own.rungs is not None and rungs(instance, other) != rungs(instance, own):
        return VictimCode.LOOSER_RUNG
    if other.cost != own.cost:
        return VictimCode.COSTS_MORE
    return VictimCode.MORE_EVICTIONS if other.evicted_pods != own.evicted_pods else VictimCode.TIE


def fault(instance: Instance, own: Answer, victim: Victim, plan: Plan) -> str | None:
    need, spare = victim.facts
    other = spared(instance, victim.job)
    if spare.code != code_of(instance, own, other):
        return f"{victim.job}: {spare.text}; brute force: {other}"
    if isinstance(other.cost, int) and other.status == "optimal":
        cost = other.cost / MILLIONTHS
        if spare.spared_cost != pytest.approx(cost, rel=1e-9, abs=1e-9):
            return f"{victim.job}: {spare.text}, not {cost}"
    rest = best_for_victims(instance, plan.evicted - set(victim.pods))
    reaches = rest.status == "optimal" and (own.rungs is None or rungs(instance, rest) <= rungs(instance, own))
    if reaches and rest.placed >= len(plan.placements) and instance.policy.relaxation != "priced":
        return f"{victim.job}: {need.text}, yet the other victims are enough"
    return None


def faults(seeds: range) -> dict[int, list[str]]:
    found = {}
    for seed, instance in solvable(seeds):
        plan = explained(instance)
        wrong = [text for victim in plan.victims if (text := fault(instance, answer_of(seed), victim, plan))]
        if wrong:
            found[seed] = wrong
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_claims_about_victims_are_true(seeds: range) -> None:
    assert faults(seeds) == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_claims_about_many_more_victims_are_true(seeds: range) -> None:
    assert faults(seeds) == {}


def test_all_kinds_of_claims_occur() -> None:
    kinds: Counter[VictimCode] = Counter()
    for _, instance in solvable(range(NORMAL)):
        kinds.update(fact.code for victim in explained(instance).victims for fact in victim.facts)
    assert {
        VictimCode.SLOTS, VictimCode.RESOURCE, VictimCode.NEEDED, VictimCode.ONLY_WAY, VictimCode.COSTS_MORE,
        VictimCode.LOOSER_RUNG, VictimCode.TIE, VictimCode.FEWER_PODS,
    } <= set(kinds)  # fmt: skip
    assert VictimCode.UNCHECKED not in kinds
    assert VictimCode.BETTER_WITHOUT not in kinds


def facts_of(instance: Instance, job: str) -> tuple[VictimFact, ...]:
    (found,) = (victim.facts for victim in explained(instance).victims if victim.job == job)
    return found


def test_two_slots_short_and_what_sparing_costs() -> None:
    # numa 0: a (2 slots, 378); numa 1: b (2 slots, 520). Two more slots are free in each.
    jobs = {"a": {"priority": 100, "lost_gpu_seconds": 378}, "b": {"priority": 100, "lost_gpu_seconds": 520}}
    instance = drawn({"n1": "aa..|bb.."}, jobs, request={"gpus": 4, "priority": 500, "pod": "numa"})
    need, spare = facts_of(instance, "a")
    assert (need.code, need.text) == (VictimCode.SLOTS, "without it island n1/0 is 2 slots short")
    assert spare.text == "the cheapest plan that spares it costs 52,000 instead of 37,800"
    assert spare.spared_cost == 52_000


def test_cpus_short() -> None:
    pod = {"name": "a-0", "node": "n", "resources": {"cpus": 3}}
    instance = drawn(
        {"n": ".."}, {"a": {"pods": [pod]}}, request={"gpus": 1, "resources": {"cpus": 7.5}},
        node_fields={"n": {"resources": {"cpus": 8}}},
    )  # fmt: skip
    need, spare = facts_of(instance, "a")
    assert need.text == "without it node n is 2.5 cpus short"
    assert (spare.code, spare.text) == (VictimCode.ONLY_WAY, "no plan spares it")


def test_shares_are_counted_in_places() -> None:
    held = {"pods": [{"name": "a-0", "node": "n", "slots": [0], "share": 0.6}]}
    instance = drawn({"n": "."}, {"a": held}, request={"gpus": 1, "share": 0.5})
    assert facts_of(instance, "a")[0].text == "without it island n is 1 slot short"


def test_a_looser_rung_without_it() -> None:
    instance = drawn(
        {"n": "a.|.b"}, {"a": 1, "b": 50}, request={"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    )
    assert facts_of(instance, "a")[1].code == VictimCode.COSTS_MORE
    instance = drawn(
        {"n": "a.|.b"}, {"a": 1, "b": 200}, request={"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    )
    assert facts_of(instance, "a")[1].text == (
        "every plan that spares it gives only pod node instead of pod numa; the cheapest costs 0"
    )


def test_what_time_does_not_allow_is_not_claimed() -> None:
    instance = drawn({"n": "ab"}, {"a": 1, "b": 2}, request=2)
    decision = decision_of(instance)
    plan = solve_preemption(instance)
    told = with_spared(decision, plan, probe_of(decision).part(0.0))
    assert {victim.facts[-1].code for victim in told.victims} == {VictimCode.UNCHECKED}
