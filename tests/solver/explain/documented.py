"""The examples of the document: an instance, how it is run, and every line that an explanation of it says."""

from __future__ import annotations

from typing import Any

from topreempt.models import Instance
from topreempt.models.loss import lost_work, priority_weights
from topreempt.models.plan import Cost, Granted, Plan, Victim
from topreempt.models.request import SCOPES
from topreempt.solver import solve_preemption
from topreempt.solver.explain import Ask, review_plan
from topreempt.solver.greedy.registry import policies

MILLION = 10**6


def plan_evicting(instance: Instance, pods: set[str]) -> Plan:
    """A plan of somebody that evicts these pods and claims nothing else."""
    weights = priority_weights(instance)
    victims = []
    for job in instance.jobs:
        gone = [pod.name for pod in job.pods if pod.name in pods]
        if gone:
            lost = sum(lost_work(instance, job)[pod] for pod in gone) / MILLION
            weight = weights.get(job.priority, MILLION) / MILLION
            victims.append(
                Victim(job=job.name, pods=tuple(gone), priority=job.priority, lost_gpu_seconds=lost,
                       weighted_cost=lost * weight, why="somebody's choice")
            )  # fmt: skip
    cost = Cost(
        weighted_work=sum(victim.weighted_cost for victim in victims),
        lost_gpu_seconds=sum(victim.lost_gpu_seconds for victim in victims),
        evicted_pods=len(pods),
    )
    asked = {
        scope: instance.request.scope(scope).island for scope in SCOPES if getattr(instance.request.affinity, scope)
    }
    return Plan(
        request=instance.request.name,
        policy="by-hand",
        status="feasible",
        admitted=False,
        victims=tuple(victims),
        cost=cost,
        affinity={scope: Granted(asked=island, granted=None) for scope, island in asked.items()},
    )


def lines_of(data: dict[str, Any]) -> list[str]:
    """Every line that an explanation of an example says, each ending in the code it is about.

    ``run`` says how: ``policy``, or ``evicts`` and a review of that, or ``explain_limit`` in seconds.
    """
    run = data.pop("run", {})
    instance = Instance.parse({"format": "topreempt/v1", **data})
    if "evicts" in run:
        review = review_plan(instance, plan_evicting(instance, set(run["evicts"])), Ask())
        return [
            *(f"{reason.scope}: {reason.text} [{reason.code}]" for reason in review.blocked_by),
            *(f"{victim.job}: {fact.text} [{fact.code}]" for victim in review.victims for fact in victim.facts),
        ]
    if "policy" in run:
        plan = policies()[run["policy"]](instance)
    else:
        plan = solve_preemption(instance, explain=Ask(time_limit=run.get("explain_limit")))
    return [
        *(f"{reason.scope}: {reason.text} [{reason.code}]" for reason in plan.reasons),
        *(f"{core.scope}: {core.text} [{'] ['.join(rule.code for rule in core.rules)}]" for core in plan.cores),
        *(f"{victim.job}: {fact.text} [{fact.code}]" for victim in plan.victims for fact in victim.facts),
        *(f"{change.text}: --set '{' '.join(change.settings)}' [{change.code}]" for change in plan.changes),
    ]
