"""Every alternative that a plan lists would really serve the request, at the cost it states."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from oracle.brute import best_for_victims, weighted
from oracle.draw import instance_of_seed
from oracle.victims import victim_sets
from oracle.world import World
from strategies import seeds

from topreempt.models import Instance, Plan
from topreempt.solver import solve_preemption
from topreempt.solver.explain import Ask


def plan_for(seed: int) -> tuple[Instance, Plan]:
    instance = instance_of_seed(seed)
    return instance, solve_preemption(instance, time_limit=60.0, explain=Ask(alternatives=3))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(seeds())
def test_alternatives_serve_the_request(seed: int) -> None:
    instance, plan = plan_for(seed)
    for other in plan.alternatives:
        victims = pods_of(instance, other.victims)
        assert len(victims) == other.evicted_pods
        assert victims in set(victim_sets(instance))
        assert total(weighted(instance, victims)) == pytest.approx(other.weighted_work * 10**12, abs=10**6)
        assert serves_as_well(instance, plan, victims)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(seeds())
def test_alternatives_are_dearer_than_the_plan(seed: int) -> None:
    instance, plan = plan_for(seed)
    policy = instance.policy
    if policy.relaxation == "tightest-first" and policy.weights != "tiered" and policy.budgets == "hard":
        costs = [plan.cost.weighted_work, *(other.weighted_work for other in plan.alternatives)]
        if policy.extra_pods == "free-only":
            assert costs == sorted(costs)


def test_alternatives_are_common() -> None:
    assert sum(bool(plan_for(seed)[1].alternatives) for seed in range(100)) >= 20


def pods_of(instance: Instance, names: tuple[str, ...]) -> frozenset[str]:
    """Pods behind names of jobs and of pods."""
    return frozenset(pod.name for job in instance.jobs for pod in job.pods if job.name in names or pod.name in names)


def total(cost: int | tuple[int, ...]) -> int:
    return sum(cost) if isinstance(cost, tuple) else cost


def serves_as_well(instance: Instance, plan: Plan, victims: frozenset[str]) -> bool:
    """After these evictions alone the request fits, on no looser rungs than the plan grants."""
    answer, world = best_for_victims(instance, victims), World(instance)
    if answer.rungs is None:
        return answer.status == "optimal"
    return all(
        world.ladder(scope).index(answer.rungs[scope]) <= world.ladder(scope).index(granted.granted or "")
        for scope, granted in plan.affinity.items()
    )
