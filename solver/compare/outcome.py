"""What one policy did on one instance, measured the same way whoever it is."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ...models.base import Model
from ...models.eligibility import protection
from ...models.instance import Instance
from ...models.plan import Plan
from ...models.units import from_micro, micro

SOCKET = "socket"


class Outcome(Model):
    """One policy's plan for one instance, in numbers."""

    case: int = Field(ge=0, description="Number of the instance in the comparison.")
    instance: str = Field(description="Its name.")
    policy: str = Field(description="The policy.")
    status: str = Field(description="How it ended.")
    admitted: bool = Field(description="Whether the request could start.")
    hit: bool = Field(description="Whether every scope got the island that it asked for first.")
    granted: dict[str, str | None] = Field(description="The rung of each scope that asks something.")
    one_socket: bool | None = Field(
        description="Whether the victims held GPUs of one socket of one node; null without victims or sockets."
    )
    weighted_work: float = Field(description="Weighted work lost; a broken gang counts whole.")
    price: float = Field(description="Prices of the rungs paid.")
    lost_gpu_seconds: float = Field(description="Work lost.")
    evicted_pods: int = Field(description="Pods evicted.")
    budget_violations: int = Field(description="Evictions beyond budgets, hard or soft.")
    gangs_broken: int = Field(description="Jobs that keep some pods, but fewer than they need.")
    protected_evicted: int = Field(description="Jobs evicted that the rules protect.")
    idle_gpus: float = Field(description="GPUs that evictions freed and the request does not use.")
    seconds: float = Field(description="Time to decide.")
    plan: dict[str, Any] | None = Field(None, description="The plan itself, if it was asked for.")

    @property
    def found(self) -> bool:
        """Whether there is a plan at all."""
        return self.status in ("optimal", "feasible")

    @property
    def total(self) -> float:
        """Weighted work lost and prices paid."""
        return self.weighted_work + self.price

    def is_like(self, best: Outcome) -> bool:
        """Return whether it does what the best plan does, so that what they cost can be compared.

        Parameters
        ----------
        best : Outcome
            The exact engine's, of the same instance.

        Returns
        -------
        bool
            True if the request starts on the same rungs and no rule about victims is broken on the way.
        """
        keeps_rules = not self.protected_evicted and self.budget_violations <= best.budget_violations
        return self.admitted and best.admitted and self.granted == best.granted and keeps_rules

    @property
    def in_vain(self) -> bool:
        """Whether pods were evicted and the request cannot start all the same."""
        return self.found and not self.admitted and self.evicted_pods > 0


def outcome_of(case: int, name: str, instance: Instance, plan: Plan, seconds: float, *, keep_plan: bool) -> Outcome:
    """Measure a plan.

    Parameters
    ----------
    case : int
        Number of the instance in the comparison.
    name : str
        Its name.
    instance : Instance
        The decision.
    plan : Plan
        A policy's plan.
    seconds : float
        How long it took.
    keep_plan : bool
        Whether the outcome carries the plan.

    Returns
    -------
    Outcome
        The numbers.
    """
    asked = [scope.granted == scope.asked for scope in plan.affinity.values()]
    jobs = instance.jobs_by_name
    return Outcome(
        case=case,
        instance=name,
        policy=plan.policy,
        status=plan.status,
        admitted=plan.admitted,
        hit=plan.admitted and all(asked),
        granted={name: scope.granted for name, scope in plan.affinity.items()},
        one_socket=victims_on_one_socket(instance, plan),
        weighted_work=plan.cost.weighted_work,
        price=plan.cost.price,
        lost_gpu_seconds=plan.cost.lost_gpu_seconds,
        evicted_pods=plan.cost.evicted_pods,
        budget_violations=plan.cost.budget_violations,
        gangs_broken=sum(jobs[victim.job].is_broken_by(len(victim.pods)) for victim in plan.victims),
        protected_evicted=sum(protection(instance, jobs[victim.job]) is not None for victim in plan.victims),
        idle_gpus=idle_gpus(instance, plan),
        seconds=seconds,
        plan=plan.model_dump(mode="json") if keep_plan else None,
    )


def victims_on_one_socket(instance: Instance, plan: Plan) -> bool | None:
    """Return whether all victims held GPUs of one socket of one node (how arXiv 2411.11560 counts a hit).

    Parameters
    ----------
    instance : Instance
        The decision.
    plan : Plan
        A policy's plan.

    Returns
    -------
    bool or None
        None if the cluster has no level ``socket`` or no victim held a known GPU.
    """
    if SOCKET not in instance.cluster.levels_below:
        return None
    held = {
        (pod.node, instance.shape(pod.node).domain_of(SOCKET, slot))
        for name in plan.evicted
        for pod in (instance.pods_by_name[name][1],)
        for slot in pod.slots or ()
    }
    return len(held) == 1 if held else None


def idle_gpus(instance: Instance, plan: Plan) -> float:
    """Return how many GPUs the evictions freed that the request does not use.

    Parameters
    ----------
    instance : Instance
        The decision.
    plan : Plan
        A policy's plan.

    Returns
    -------
    float
        GPUs, shares counted; where the plan names no slots, by node.
    """
    freed: dict[tuple[str, int | None], int] = {}
    for name in plan.evicted:
        pod = instance.pods_by_name[name][1]
        for slot in pod.slots or (None,) * (pod.gpus or 0):
            freed[pod.node, slot] = freed.get((pod.node, slot), 0) + micro(pod.share)
    taken, blind = micro(instance.request.share), dict[str, int]()
    if plan.admitted:
        for placement in plan.placements:
            for slot in placement.slots or ():
                if (placement.node, slot) in freed:
                    freed[placement.node, slot] = max(0, freed[placement.node, slot] - taken)
            if placement.slots is None:
                blind[placement.node] = blind.get(placement.node, 0) + taken * instance.request.gpus
    left: dict[str, int] = {}
    for (node, _), amount in freed.items():
        left[node] = left.get(node, 0) + amount
    return from_micro(sum(max(0, amount - blind.get(node, 0)) for node, amount in left.items()))
