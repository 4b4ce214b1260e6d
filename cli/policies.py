"""The policies that ``--policy`` can name: the exact engine and every baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..models.errors import ConfigError
from ..models.instance import Instance
from ..models.plan import Plan

if TYPE_CHECKING:
    from ..solver.explain import Ask

EXACT = "exact"


def plan_by(
    policy: str, instance: Instance, *, time_limit: float, workers: int, seed: int, explain: Ask | None = None
) -> Plan:
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
    explain : Ask, optional
        What shall be explained; of the exact engine's plans only.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    ConfigError
        No policy has this name, or it cannot explain itself.
    """
    if policy == EXACT:
        from ..solver import solve_preemption

        return solve_preemption(instance, time_limit=time_limit, workers=workers, seed=seed, explain=explain)
    from ..solver.greedy.registry import policies

    known = policies()
    if policy not in known:
        raise ConfigError(f"--policy: found {policy!r}, expected one of {', '.join((EXACT, *sorted(known)))}")
    if explain is not None:
        raise ConfigError(f"--policy {policy}: only exact explains its plans; `explain INSTANCE PLAN` reviews any plan")
    return known[policy](instance)
