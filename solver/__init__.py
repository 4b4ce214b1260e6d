"""Ways to answer a decision: the exact engine."""

from .exact.partition import prepare_snapshot
from .exact.snapshot import Snapshot
from .solve import solve_preemption

__all__ = ["Snapshot", "prepare_snapshot", "solve_preemption"]
