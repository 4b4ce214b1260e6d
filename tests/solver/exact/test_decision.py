"""The request's view of a snapshot against the plain rules of the models, one job, pod and node at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from builders import drawn
from oracle.draw import instance_of_seed
from unreduced import decision_of

from topreempt.models.eligibility import node_refusal, protection, slot_refusals
from topreempt.models.errors import InstanceError
from topreempt.models.loss import lost_work, priority_weights
from topreempt.models.units import MICRO, micro
from topreempt.solver import solve_preemption
from topreempt.solver.exact.decision import LIMIT, Decision

SEEDS = range(600)
COST = MICRO * MICRO


@pytest.fixture(scope="module")
def decisions() -> list[Decision]:
    return [decision_of(instance_of_seed(seed)) for seed in SEEDS]


def test_jobs_may_be_evicted_that_nothing_protects(decisions: list[Decision]) -> None:
    reasons = set()
    for decision in decisions:
        found = [protection(decision.instance, job) for job in decision.snapshot.jobs]
        assert decision.job_evictable.tolist() == [reason is None for reason in found]
        reasons |= set(found)
    assert len(reasons) == 7  # all six protections and none


def test_units_left_out_are_in_no_permitted_plan(decisions: list[Decision]) -> None:
    left_out = 0
    for decision in decisions:
        snapshot, policy = decision.snapshot, decision.policy
        budgets = {budget.name: budget.max_evictions for budget in decision.instance.budgets}
        for unit in range(len(snapshot.unit_job)):
            job = snapshot.jobs[int(snapshot.unit_job[unit])]
            pods = len(job.pods) if not job.is_elastic else 1
            permitted = protection(decision.instance, job) is None
            too_many = policy.max_victims is not None and pods > policy.max_victims
            spent = policy.budgets == "hard" and job.budget is not None and pods > budgets[job.budget]
            assert decision.unit_evictable[unit] == (permitted and not too_many and not spent)
            left_out += permitted and (too_many or spent)
    assert left_out >= 20


def test_costs_are_lost_work_times_weight(decisions: list[Decision]) -> None:
    positive = 0
    for decision in decisions:
        snapshot = decision.snapshot
        weights = priority_weights(decision.instance)
        for unit, pods in enumerate(pods_of_units(decision)):
            job = snapshot.jobs[int(snapshot.unit_job[unit])]
            expected = 0
            if decision.unit_evictable[unit]:
                lost = lost_work(decision.instance, job)
                expected = sum(lost[name] for name in pods) * weights[job.priority]
            by_tier = decision.unit_cost[:, unit]
            assert int(by_tier.sum()) * decision.cost_step == expected
            assert np.count_nonzero(by_tier) <= 1
            if decision.policy.weights == "tiered" and expected:
                assert decision.tiers[int(by_tier.argmax())] == job.priority
            positive += expected > 0
        assert decision.tiers == sorted(decision.tiers, reverse=True)
    assert positive >= 1_000


def pods_of_units(decision: Decision) -> list[list[str]]:
    snapshot = decision.snapshot
    named: list[list[str]] = [[] for _ in snapshot.unit_job]
    for pod, unit in zip(snapshot.pods, snapshot.pod_unit.tolist(), strict=True):
        named[unit].append(pod.name)
    return named


def test_prices_are_whole_steps(decisions: list[Decision]) -> None:
    priced = 0
    for decision in decisions:
        for scope in ("pod", "slice", "gang"):
            affinity = getattr(decision.request.affinity, scope)
            for rung in decision.ladder(scope):
                asked = micro(affinity.prices.get(rung, 0)) if affinity is not None else 0
                expected = asked * MICRO if decision.policy.relaxation == "priced" else 0
                assert decision.price(scope, rung) * decision.cost_step == expected
                priced += expected > 0
    assert priced >= 50


def test_slots_are_usable_that_nothing_refuses(decisions: list[Decision]) -> None:
    refused = 0
    for decision in decisions:
        snapshot = decision.snapshot
        for number, node in enumerate(snapshot.nodes):
            refusals = slot_refusals(decision.instance, node)
            usable = decision.slot_usable[snapshot.first_slot[number] : snapshot.first_slot[number + 1]]
            assert usable.tolist() == [slot not in refusals for slot in range(len(usable))]
            refused += len(refusals)
    assert refused >= 500


def test_room_is_what_the_node_holds_without_all_who_may_go(decisions: list[Decision]) -> None:
    scarce = 0
    for decision in decisions:
        instance, request = decision.instance, decision.request
        evictable = {
            name
            for unit, names in enumerate(pods_of_units(decision))
            if decision.unit_evictable[unit]
            for name in names
        }
        running = [pod for job in instance.jobs if job.state == "running" for pod in job.pods]
        for number, node in enumerate(decision.snapshot.nodes):
            kept = [pod for pod in running if pod.node == node.name and pod.name not in evictable]
            has = instance.shape(node.name).resources
            most = 0 if node_refusal(instance, node) else request.pods
            for name, amount in request.resources.items():
                if micro(amount) and name != "pods":
                    left = has.get(name, 0) - sum(micro(pod.resources.get(name, 0)) for pod in kept)
                    most = min(most, max(0, left // micro(amount)))
            if "pods" in has:
                most = min(most, max(0, has["pods"] - len(kept) * MICRO) // MICRO)
            assert decision.node_room[number] == most
            scarce += most < request.pods and node_refusal(instance, node) is None
    assert scarce >= 100


TINY = {"priority": 1, "lost_gpu_seconds": 0.000001}
"""A job whose loss makes the step of all costs one millionth."""


def test_a_cost_beyond_sixty_bits_is_counted() -> None:
    """99 x 1e12 GPU-seconds in steps of a millionth are 2**66 steps; the other job is too cheap to show beside it."""
    instance = drawn({"n1": "ab"}, {"a": TINY, "b": {"priority": 99, "lost_gpu_seconds": 1e12}}, 2)
    plan = solve_preemption(instance)
    assert (plan.status, plan.cost.weighted_work, len(plan.victims)) == ("optimal", 9.9e13, 2)


def test_what_nobody_can_afford_does_not_blur_what_is_cheap() -> None:
    """Two cheap jobs differ by one millionth beside one of 2**66 steps: the model counts without the dear one."""
    jobs = {
        "a": {"priority": 1, "lost_gpu_seconds": 10.000002},
        "b": {"priority": 1, "lost_gpu_seconds": 10.000001},
        "c": {"priority": 99, "lost_gpu_seconds": 1e12},
    }
    plan = solve_preemption(drawn({"n1": "abc"}, jobs, 1))
    assert [victim.job for victim in plan.victims] == ["b"]


def test_costs_whose_sum_is_beyond_sixty_bits_are_counted() -> None:
    dear = {name: {"priority": 99, "lost_gpu_seconds": 5e9} for name in "abcdef"}
    plan = solve_preemption(drawn({"n1": "abcdefz"}, dear | {"z": TINY}, 7))
    assert (plan.status, len(plan.victims)) == ("optimal", 7)
    assert plan.cost.weighted_work == plan.cost.bound == pytest.approx(6 * 99 * 5e9)


@pytest.mark.parametrize(("scope", "kinds"), [("pod", ["numa", "node"]), ("gang", ["node", "cluster"])])
@pytest.mark.parametrize("price", [1e11, 1e13])
def test_prices_beyond_sixty_bits_are_counted(scope: str, kinds: list[str], price: float) -> None:
    asked = {"island": kinds[0], "mode": "best-effort", "ladder": kinds, "prices": dict.fromkeys(kinds, price)}
    request = {"gpus": 1, "pods": 2, scope: asked}
    plan = solve_preemption(drawn({"n1": "a|b"}, {"a": TINY, "b": 1}, request, policy={"relaxation": "priced"}))
    assert plan.cost.price == (2 if scope == "pod" else 1) * price


def test_a_cost_of_just_under_sixty_bits_is_counted_exactly() -> None:
    seconds = Fraction((LIMIT - 1) // 99 - 10**6, 10**6)
    dear = {"priority": 99, "lost_gpu_seconds": float(seconds)}
    plan = solve_preemption(drawn({"n1": "ab"}, {"a": TINY, "b": dear}, 2))
    assert plan.status == "optimal"
    assert plan.cost.weighted_work == pytest.approx(99 * float(seconds))


def test_resources_that_cannot_be_counted_name_the_resource() -> None:
    nodes = {"n1": {"resources": {"bytes": 2**45 + 0.000001}}}
    instance = drawn({"n1": "a"}, request={"gpus": 1, "resources": {"bytes": 1.000001}}, node_fields=nodes)
    with pytest.raises(InstanceError, match=r"request\.resources\.bytes"):
        solve_preemption(instance)
