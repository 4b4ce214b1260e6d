"""topreempt: proved topology-aware preemption plans for GPU clusters."""

from topreempt.models import ConfigError, Instance, InstanceError, InternalError, Plan, TopreemptError

__all__ = ["ConfigError", "Instance", "InstanceError", "InternalError", "Plan", "TopreemptError"]
