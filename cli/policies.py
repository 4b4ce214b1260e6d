"""The policies that ``--policy`` can name: the exact engine and every baseline."""

from __future__ import annotations

from ..models.errors import ConfigError
from ..models.instance import Instance
from ..models.plan import Plan

EXACT = "exact"


def plan_by(policy: str, instance: Instance, *, time_limit: float, workers: int, seed: int) -> Plan:
    """Return the plan of a policy.

    Parameters
    ----------
    policy : str
        ``exact`` or a baseline's name.
    instance : Instance
        The decision.
    time_limit : float
        Seconds; for the exact engine.
    workers : int
        Threads; for the exact engine.
    seed : int
        For the exact engine.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    ConfigError
        No policy has this name.
    """
    if policy == EXACT:
        from ..solver import solve_preemption

        return solve_preemption(instance, time_limit=time_limit, workers=workers, seed=seed)
    from ..solver.greedy.registry import policies

    known = policies()
    if policy not in known:
        raise ConfigError(f"--policy: found {policy!r}, expected one of {', '.join((EXACT, *sorted(known)))}")
    return known[policy](instance)
