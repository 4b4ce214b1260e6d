"""What the evictions cost, every term computed again from the instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..policy import WeightTable
from ..units import MICRO, micro
from .rules import Rule, Violation
from .state import State
from .sums import is_close, number, slack, slack_of
from .victims import over_budget


def weight_of(state: State, priority: int) -> int | None:
    """Return what work of a priority weighs.

    Parameters
    ----------
    state : State
        For the policy and the priorities of the jobs.
    priority : int
        A priority.

    Returns
    -------
    int or None
        Millionths; None if a table does not list the priority.
    """
    weights = state.instance.policy.weights
    if isinstance(weights, WeightTable):
        listed = weights.table.get(str(priority))
        return None if listed is None else micro(listed)
    if weights == "value":
        return max(priority, 1) * MICRO
    if weights == "rank":
        return (1 + len({job.priority for job in state.instance.jobs if job.priority < priority})) * MICRO
    return MICRO


def weighted_by_job(state: State) -> dict[str, int | None]:
    """Return the weighted cost of each job's evictions.

    Parameters
    ----------
    state : State
        The plan.

    Returns
    -------
    dict
        By job: millionths of a millionth of the unit of the cost; None where no weight is known.
    """
    weights: dict[int, int | None] = {}
    costs: dict[str, int | None] = {}
    for name, lost in state.lost.items():
        priority = state.job(name).priority
        if priority not in weights:
            weights[priority] = weight_of(state, priority)
        weight = weights[priority]
        costs[name] = None if weight is None else weight * lost
    return costs


def victims_state_their_numbers(state: State) -> Iterator[Violation]:
    """Each victim states its job's priority, work lost and weighted cost."""
    lost, weighted = state.lost, weighted_by_job(state)
    for victim in state.plan.victims:
        if victim.job not in lost:
            continue
        priority, slack_here = state.job(victim.job).priority, slack_of(len(victim.pods))
        if victim.priority != priority:
            yield Violation(Rule.VICTIM_NUMBERS, f"job {victim.job} has priority {priority}, not {victim.priority}")
        expected = number(lost[victim.job])
        if not is_close(victim.lost_gpu_seconds, expected, slack_here):
            text = f"job {victim.job} loses {expected} GPU-seconds, not {victim.lost_gpu_seconds}"
            yield Violation(Rule.VICTIM_NUMBERS, text)
        cost = weighted[victim.job]
        if cost is None:
            yield Violation(Rule.VICTIM_NUMBERS, f"the policy's table has no weight for priority {priority}")
        elif not is_close(victim.weighted_cost, number(cost) / MICRO, slack_here):
            text = f"job {victim.job} costs {number(cost) / MICRO}, not {victim.weighted_cost}"
            yield Violation(Rule.VICTIM_NUMBERS, text)


def evicted_pods_are_counted(state: State) -> Iterator[Violation]:
    """``evicted_pods`` is the number of evicted pods."""
    stated = state.plan.cost.evicted_pods
    if stated != state.evicted_pods:
        yield Violation(Rule.EVICTED_PODS, f"{state.evicted_pods} pods are evicted, the cost says {stated}")


def lost_work_is_summed(state: State) -> Iterator[Violation]:
    """``lost_gpu_seconds`` is the sum over the evicted pods."""
    stated, expected = state.plan.cost.lost_gpu_seconds, number(sum(state.lost.values()))
    if not is_close(stated, expected, slack(state)):
        yield Violation(Rule.LOST_WORK, f"the victims lose {expected} GPU-seconds, the cost says {stated}")


def weighted_work_is_summed(state: State) -> Iterator[Violation]:
    """``weighted_work`` is the sum of weight times work lost; plain work lost with tiered weights."""
    costs = [cost for cost in weighted_by_job(state).values() if cost is not None]
    stated, expected = state.plan.cost.weighted_work, number(sum(costs)) / MICRO
    if not is_close(stated, expected, slack(state)):
        yield Violation(Rule.WEIGHTED_WORK, f"the weighted work lost is {expected}, the cost says {stated}")


def budget_violations_are_counted(state: State) -> Iterator[Violation]:
    """``budget_violations`` is the number of evictions beyond all budgets."""
    stated, expected = state.plan.cost.budget_violations, sum(over_budget(state).values())
    if stated != expected:
        text = f"{expected} evictions exceed budgets, the cost says {stated}"
        yield Violation(Rule.BUDGET_VIOLATIONS, text)


def tiers_split_the_work(state: State) -> Iterator[Violation]:
    """With tiered weights the work lost is stated by priority, highest first, each bound not above it.

    A tier in which nobody loses work may stand there or not. With other weights there are no tiers.
    """
    tiers = state.plan.cost.tiers
    if state.instance.policy.weights != "tiered":
        if tiers:
            yield Violation(Rule.TIERS, f"{len(tiers)} tiers are stated, but the weights are not tiered")
        return
    priorities = [tier.priority for tier in tiers]
    if priorities != sorted(set(priorities), reverse=True):
        yield Violation(Rule.TIERS, f"tiers {priorities} do not stand once each, highest first")
    lost: Counter[int] = Counter()
    for name, amount in state.lost.items():
        lost[state.job(name).priority] += amount
    for priority in sorted(priority for priority, amount in lost.items() if amount and priority not in priorities):
        yield Violation(Rule.TIERS, f"priority {priority} loses work, but no tier states it")
    for tier in tiers:
        expected = number(lost[tier.priority])
        if not is_close(tier.lost_gpu_seconds, expected, slack(state)):
            text = f"priority {tier.priority} loses {expected} GPU-seconds, its tier says {tier.lost_gpu_seconds}"
            yield Violation(Rule.TIERS, text)
        elif tier.bound is not None:
            proved = state.plan.status == "optimal"
            if not tier.bound <= expected + slack(state) or (
                proved and not is_close(tier.bound, expected, slack(state))
            ):
                text = f"the tier of priority {tier.priority} loses {expected}, which its bound {tier.bound} denies"
                yield Violation(Rule.TIERS, text)
