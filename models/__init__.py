"""What the problem and its answers are: instances, plans, the rules to check them by."""

from .errors import ConfigError, InstanceError, InternalError, Problem, TopreemptError
from .instance import Instance
from .plan import Plan

__all__ = ["ConfigError", "Instance", "InstanceError", "InternalError", "Plan", "Problem", "TopreemptError"]
