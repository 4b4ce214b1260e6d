"""What a plan says about itself: whose it is, how it ended, and what it proves."""

from __future__ import annotations

from collections.abc import Iterator

from .rules import Rule, Violation
from .state import EXACT, WITH_A_PLAN, State
from .sums import is_close, slack

BASELINE_STATUS = ("feasible", "unknown")


def plan_answers_this_request(state: State) -> Iterator[Violation]:
    """The plan carries the name of the instance's request."""
    if state.plan.request != state.instance.request.name:
        text = f"the plan is for request {state.plan.request}, the instance asks for {state.instance.request.name}"
        yield Violation(Rule.REQUEST_NAME, text)


def status_fits_the_rest(state: State) -> Iterator[Violation]:
    """Without a plan nobody is evicted, placed or admitted; the exact engine's plans always admit.

    A baseline proves nothing, so it is ``feasible``, or ``unknown`` when it gives up; it alone may have evicted
    in vain (feasible, but not admitted).
    """
    plan = state.plan
    if plan.policy != EXACT and plan.status not in BASELINE_STATUS:
        text = f"policy {plan.policy} proves nothing, but its status is {plan.status}, not one of {BASELINE_STATUS}"
        yield Violation(Rule.STATUS, text)
    if plan.status in WITH_A_PLAN:
        if plan.policy == EXACT and not plan.admitted:
            yield Violation(Rule.STATUS, f"status {plan.status} of the exact engine without admitting the request")
        return
    if plan.victims:
        yield Violation(Rule.STATUS, f"status {plan.status}, yet {len(plan.victims)} jobs lose pods")
    if plan.placements:
        yield Violation(Rule.STATUS, f"status {plan.status}, yet {len(plan.placements)} pods are placed")
    if plan.admitted:
        yield Violation(Rule.STATUS, f"status {plan.status}, yet the request is admitted")


def bound_is_not_above_cost(state: State) -> Iterator[Violation]:
    """``bound <= weighted work + price``, equal if optimal; a baseline has no bound."""
    plan = state.plan
    bound, cost = plan.cost.bound, plan.cost.weighted_work + plan.cost.price
    if plan.policy != EXACT:
        if bound is not None:
            yield Violation(Rule.BOUND, f"policy {plan.policy} proves nothing, but states a bound of {bound}")
    elif not state.has_plan:
        return
    elif plan.status == "optimal" and (bound is None or not is_close(bound, cost, slack(state))):
        yield Violation(Rule.BOUND, f"the plan is called optimal, but its bound is {bound} and its cost {cost}")
    elif bound is not None and not bound <= cost + slack(state) + 1e-12 * abs(cost):
        yield Violation(Rule.BOUND, f"the bound {bound} is above the cost {cost}")


def gap_follows_from_bound(state: State) -> Iterator[Violation]:
    """``gap = (cost - bound) / cost``, 0 if the cost is 0; no gap without a bound."""
    cost = state.plan.cost
    if not state.has_plan:
        return
    if cost.bound is None or cost.gap is None:
        if cost.bound is not None or cost.gap is not None:
            yield Violation(Rule.GAP, f"the bound is {cost.bound}, so the gap cannot be {cost.gap}")
        return
    total = cost.weighted_work + cost.price
    expected = (total - cost.bound) / total if total else 0.0
    if not is_close(cost.gap, expected, 1e-6):
        yield Violation(Rule.GAP, f"cost {total} and bound {cost.bound} make a gap of {expected}, not {cost.gap}")


def nothing_is_claimed_without_a_plan(state: State) -> Iterator[Violation]:
    """Without a plan there is no price, nobody waits, nobody is displaced and no rung is granted."""
    if state.has_plan:
        return
    plan = state.plan
    claims = {
        "a price": plan.cost.price,
        "displaced reservations": plan.cost.displaced_reservations,
        "broken islands": sum(plan.cost.broken_islands.values()),
        "pods to wait for": plan.waits_for,
        "seconds to wait": plan.waits_seconds,
        "displaced owners": plan.displaces,
        "granted islands": [scope for scope, granted in plan.affinity.items() if granted.granted is not None],
    }
    for what, value in claims.items():
        if value:
            yield Violation(Rule.NOTHING_CLAIMED, f"status {plan.status}, yet the plan names {what}: {value}")
