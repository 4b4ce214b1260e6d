"""Laws between the exact engine and the baselines: never worse, never refused; every rule answers everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from oracle.draw import RULES, random_instance

from topreempt import Instance, Plan, solve_preemption
from topreempt.instances.generators import SCENARIOS
from topreempt.models.check import violations
from topreempt.models.ladder import ladder_of
from topreempt.models.request import SCOPES
from topreempt.solver.greedy.judge import VICTIM_RULES
from topreempt.solver.greedy.registry import policies

SIZES = {"paper": 12, "openb": 20, "spot": 16, "nvl72": 36, "seren": 16, "gangs": 16, "philly-small": 9, "fleet": 16}
"""Nodes of each family here: small, so that many instances can be looked at."""


def objective(instance: Instance, plan: Plan) -> tuple[Any, ...]:
    """What plans are compared by, in order, less is better; the checker has made sure of every number.

    Up to the number of victims: what comes after it, baselines do not try to be good at.
    """
    if plan.status == "infeasible":
        return (1,)
    granted = {scope: plan.affinity[scope].granted for scope in SCOPES if scope in plan.affinity}
    rungs = [ladder_of(instance, scope).index(rung) for scope, rung in granted.items()]
    work = {tier.priority: tier.lost_gpu_seconds for tier in plan.cost.tiers}
    tiers = [work.get(priority, 0.0) for priority in sorted({job.priority for job in instance.jobs}, reverse=True)]
    tiered = instance.policy.weights == "tiered"
    return (
        0,
        plan.cost.budget_violations,
        -len(plan.placements) if instance.policy.extra_pods == "evict" else 0,
        rungs if instance.policy.relaxation == "tightest-first" else [],
        [round(lost, 3) for lost in tiers] if tiered else round(plan.cost.weighted_work + plan.cost.price, 3),
        plan.cost.evicted_pods,
    )


def mixed(count: int) -> Iterator[tuple[str, Instance]]:
    """Every other instance of a family, in turn, the rest random ones of a few rules or of all."""
    names = list(SCENARIOS)
    for number in range(count):
        if number % 2:
            rng = Random(number)
            rules = frozenset(rng.sample(RULES, rng.choice((1, 2, 3, 5, len(RULES)))))
            yield f"random {number}", random_instance(rng, rules)
        else:
            name, seed = names[number // 2 % len(names)], number // 2 // len(names)
            sizes = {"nodes": SIZES[name]} if name in SIZES else {}
            yield f"{name} {seed}", SCENARIOS[name](seed, seed, **sizes)


def the_laws_hold(count: int) -> None:
    seen: Counter[str] = Counter()
    for name, instance in mixed(count):
        best = solve_preemption(instance, time_limit=60.0)
        assert best.status in ("optimal", "infeasible"), name
        assert best.admitted == (best.status == "optimal"), name
        for policy, baseline in policies().items():
            plan = baseline(instance)
            broken = {found.rule for found in violations(instance, plan)}
            assert broken <= VICTIM_RULES, (name, policy, broken)
            if plan.status == "unknown":
                assert plan.reasons, (name, policy)
                seen["gave up"] += 1
            elif plan.admitted and not broken:
                assert objective(instance, best) <= objective(instance, plan), (name, policy)
                seen["compared"] += 1
                seen["beaten"] += objective(instance, best) < objective(instance, plan)
            elif plan.admitted:
                seen["broke a rule"] += 1
            else:
                assert plan.reasons, (name, policy)
                seen["refused"] += 1
        seen[best.status] += 1
    assert min(seen[what] for what in ("compared", "beaten", "refused", "gave up", "broke a rule")) > count / 4, seen
    assert min(seen["optimal"], seen["infeasible"]) > count / 20, seen


def test_our_plan_is_never_worse_than_any_baselines_and_never_refused() -> None:
    the_laws_hold(150)


@pytest.mark.long
def test_the_same_on_a_thousand() -> None:
    the_laws_hold(1000)


@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_every_baseline_answers_on_every_family_at_its_own_size(scenario: str) -> None:
    for index in range(2):
        instance = SCENARIOS[scenario](11, index, **({"nodes": 64} if scenario == "fleet" else {}))
        for policy, baseline in policies().items():
            plan = baseline(instance)
            assert plan.policy == policy
            assert plan.status in ("feasible", "unknown")
            assert plan.admitted or plan.reasons


def test_a_baseline_decides_the_same_whatever_the_order_of_the_file() -> None:
    for _, instance in mixed(40):
        data = instance.model_dump(mode="json", exclude_defaults=True)
        Random(5).shuffle(data["cluster"]["nodes"])
        Random(6).shuffle(data.get("jobs", []))
        other = Instance.parse(data)
        for policy, baseline in policies().items():
            assert baseline.decide(instance) == baseline.decide(other), policy


def test_every_baseline_says_where_it_is_from_and_what_it_does_not_see() -> None:
    known = policies()
    assert len(known) == 19
    for name, baseline in known.items():
        assert baseline.name == name
        assert baseline.source and baseline.blind_to
