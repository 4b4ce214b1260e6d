"""The rules again, without a solver: what is wrong with a plan, judged from the instance alone."""

from .rules import Rule, Violation
from .verdict import violations

__all__ = ["Rule", "Violation", "violations"]
