"""Running work: jobs and their pods, disruption budgets and reservations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Amount, Count, Model, Name, Priority, Seq, Share, Slot

JobState = Literal["running", "terminating"]


class Pod(Model):
    """One pod of a job: where it runs and what it holds."""

    name: Name = Field(description="Unique in the instance.")
    node: Name = Field(description="The node it runs on.")
    slots: Annotated[Seq[Slot], Field(min_length=1)] | None = Field(None, description="The slots it holds.")
    gpus: Annotated[int, Field(ge=1, le=4096)] | None = Field(
        None, description="How many slots it holds where it is not known which."
    )
    within: dict[Name, Name] = Field(
        default_factory=dict,
        description="With gpus: the domain of a level below node that holds all of them, if that much is known.",
    )
    share: Share = Field(1.0, description="The share of each of its slots.")
    resources: dict[Name, Amount] = Field(default_factory=dict, description="Counted resources it holds.")
    domain_resources: dict[Name, dict[Name, dict[Name, Amount]]] = Field(
        default_factory=dict, description="Where its aligned resources sit; default: the domains of its slots."
    )
    lost_gpu_seconds: Amount | None = Field(None, description="Its loss outright, in GPU-seconds.")


class Job(Model):
    """Pods that live and die together, unless the job is elastic."""

    name: Name = Field(description="Unique name.")
    priority: Priority = Field(description="Higher is more important.")
    preemptible: bool = Field(True, description="False: never a victim.")
    labels: dict[Name, str] = Field(default_factory=dict, description="Labels that a policy may protect.")
    min_available: Count | None = Field(None, description="Pods it needs to go on; default all (rigid).")
    running_seconds: Amount | None = Field(None, description="Since its start.")
    unsaved_seconds: Amount | None = Field(
        None, description="Since the last durable checkpoint; default running_seconds, else 0."
    )
    restart_seconds: Amount = Field(0.0, description="To be where it was once it has room again.")
    checkpoint_seconds: Amount | None = Field(None, description="How long a checkpoint on eviction takes.")
    grace_seconds: Amount | None = Field(None, description="Between the eviction and the kill.")
    lost_gpu_seconds: Amount | None = Field(None, description="The job's loss outright, in GPU-seconds.")
    budget: Name | None = Field(None, description="The disruption budget it belongs to.")
    state: JobState = Field("running", description="terminating: going already, at no cost.")
    pods: Annotated[Seq[Pod], Field(min_length=1)] = Field(description="Its pods.")

    @property
    def is_elastic(self) -> bool:
        """Whether single pods may go."""
        return self.min_available is not None and self.min_available < len(self.pods)

    def is_broken_by(self, evictions: int) -> bool:
        """Return whether the job cannot go on though some of its pods would.

        Parameters
        ----------
        evictions : int
            How many of its pods go.

        Returns
        -------
        bool
            True if it keeps pods, but fewer than it needs: then the work of all of them is lost.
        """
        least = len(self.pods) if self.min_available is None else self.min_available
        return 0 < len(self.pods) - evictions < least


class Budget(Model):
    """A disruption budget: at most so many pod evictions among its members."""

    name: Name = Field(description="Unique name.")
    max_evictions: Count = Field(description="Pods that may still be evicted.")


class Reservation(Model):
    """Room promised to a request that is not running yet."""

    owner: Name = Field(description="Name of the request it is promised to.")
    priority: Priority = Field(description="Binds requests of this priority or less.")
    node: Name = Field(description="The node.")
    slots: Annotated[Seq[Slot], Field(min_length=1)] | None = Field(None, description="The slots.")
    gpus: Annotated[int, Field(ge=1, le=4096)] | None = Field(None, description="Or how many, whichever they are.")
