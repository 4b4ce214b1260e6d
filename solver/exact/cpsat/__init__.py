"""The exact model of one region on CP-SAT: variables, one file a rule, the objectives, and the run."""

from .run import Effort, Outcome, solve_region

__all__ = ["Effort", "Outcome", "solve_region"]
