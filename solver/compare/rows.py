"""One row a policy: its outcomes on all instances added up, beside those of the exact engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import ratio
from .outcome import Outcome

EXACT = "exact"


@dataclass(frozen=True)
class Row:
    """What one policy did on all instances.

    Attributes
    ----------
    policy : str
        Its name.
    instances, plans, admitted, in_vain, refused : int
        Instances; plans found; requests that could start; evictions for nothing; requests sent to a node that
        refuses them (with or without an eviction).
    hits : int
        Requests that got the island they asked for first.
    one_socket, with_victims : int
        Plans whose victims held GPUs of one socket; plans for which that can be said.
    weighted_work, lost_gpu_seconds : float
        Sums over all plans.
    like : int
        Plans that reach the rungs of the exact engine's plan and break no rule about victims.
    ratio, ratio_low, ratio_high : float or None
        Weighted work (and prices) over that of the exact engine, on the instances with such a plan, with the limits
        of the 95 % bootstrap interval; None without such instances or where the engine loses nothing there.
    victims, budget_violations, gangs_broken, protected_evicted : int
        Sums over all plans.
    idle_gpus : float
        GPUs freed for nothing.
    seconds_p50, seconds_p95 : float
        Time to decide.
    """

    policy: str
    instances: int
    plans: int
    admitted: int
    in_vain: int
    refused: int
    hits: int
    one_socket: int
    with_victims: int
    weighted_work: float
    lost_gpu_seconds: float
    like: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    victims: int
    budget_violations: int
    gangs_broken: int
    protected_evicted: int
    idle_gpus: float
    seconds_p50: float
    seconds_p95: float


def rows_of(outcomes: Iterable[Outcome], policies: Sequence[str]) -> list[Row]:
    """Add outcomes up.

    Parameters
    ----------
    outcomes : iterable of Outcome
        In any order.
    policies : sequence of str
        The policies, in the order of the rows.

    Returns
    -------
    list of Row
        One a policy.
    """
    by_policy: dict[str, list[Outcome]] = {policy: [] for policy in policies}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.case):
        by_policy[outcome.policy].append(outcome)
    optimum = {outcome.case: outcome for outcome in by_policy.get(EXACT, []) if outcome.found}
    return [_row(policy, by_policy[policy], optimum) for policy in policies]


def _row(policy: str, outcomes: Sequence[Outcome], optimum: dict[int, Outcome]) -> Row:
    found = [outcome for outcome in outcomes if outcome.found]
    pairs = [(outcome, optimum[outcome.case]) for outcome in found if outcome.case in optimum]
    pairs = [(outcome, best) for outcome, best in pairs if outcome.is_like(best)]
    against = ratio([outcome.total for outcome, _ in pairs], [best.total for _, best in pairs])
    seconds = [outcome.seconds for outcome in outcomes] or [0.0]
    p50, p95 = np.quantile(seconds, [0.5, 0.95])
    return Row(
        policy=policy,
        instances=len(outcomes),
        plans=len(found),
        admitted=sum(outcome.admitted for outcome in found),
        in_vain=sum(outcome.in_vain for outcome in found),
        refused=sum(not outcome.admitted for outcome in found),
        hits=sum(outcome.hit for outcome in found),
        one_socket=sum(outcome.one_socket is True for outcome in found),
        with_victims=sum(outcome.one_socket is not None for outcome in found),
        weighted_work=sum(outcome.weighted_work for outcome in found),
        lost_gpu_seconds=sum(outcome.lost_gpu_seconds for outcome in found),
        like=len(pairs),
        ratio=None if against is None else against[0],
        ratio_low=None if against is None else against[1],
        ratio_high=None if against is None else against[2],
        victims=sum(outcome.evicted_pods for outcome in found),
        budget_violations=sum(outcome.budget_violations for outcome in found),
        gangs_broken=sum(outcome.gangs_broken for outcome in found),
        protected_evicted=sum(outcome.protected_evicted for outcome in found),
        idle_gpus=sum(outcome.idle_gpus for outcome in found),
        seconds_p50=float(p50),
        seconds_p95=float(p95),
    )
