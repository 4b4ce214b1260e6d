"""Ways to answer a decision: the exact engine."""

from .solve import solve_preemption

__all__ = ["solve_preemption"]
