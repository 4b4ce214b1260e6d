"""topreempt: proved topology-aware preemption plans for GPU clusters."""

from typing import TYPE_CHECKING, Any

from topreempt.models import ConfigError, Instance, InstanceError, InternalError, Plan, TopreemptError

if TYPE_CHECKING:
    from topreempt.solver import Snapshot, prepare_snapshot, solve_preemption

__all__ = [
    "ConfigError",
    "Instance",
    "InstanceError",
    "InternalError",
    "Plan",
    "Snapshot",
    "TopreemptError",
    "prepare_snapshot",
    "solve_preemption",
]


def __getattr__(name: str) -> Any:
    """Import the engine only when it is asked for: OR-Tools takes longer than all the rest."""
    if name in ("Snapshot", "prepare_snapshot", "solve_preemption"):
        from topreempt import solver

        return getattr(solver, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
