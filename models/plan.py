"""The answer to one decision (``topreempt/plan/v1``): who goes, where the request lands, at what cost, and how sure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, Strict

from .base import Model, Seq
from .document import load_document
from .explanation import Change, Core, TradeOff, VictimFact
from .reasons import ReasonCode

PLAN_FORMAT = "topreempt/plan/v1"

Status = Literal["optimal", "feasible", "infeasible", "unknown"]


class Placement(Model):
    """Where one pod of the request lands."""

    pod: int = Field(ge=0, description="Number of the pod, from 0.")
    node: str = Field(description="The node.")
    island: str | None = Field(description="The island; null where only its kind is certain.")
    level: str = Field(description="The kind of the island: the rung that this pod was granted.")
    slots: Seq[int] | None = Field(description="The slots; null where pods of unknown placement stay on the node.")


class Victim(Model):
    """The pods of one job that are evicted, and why."""

    job: str = Field(description="The job.")
    pods: Seq[str] = Field(description="The evicted pods; all of them for a rigid job.")
    priority: int = Field(description="The job's priority.")
    lost_gpu_seconds: float = Field(description="Work lost; all of the job's where a baseline breaks its gang.")
    weighted_cost: float = Field(description="Work lost times the weight of the priority.")
    why: str = Field(description="The reason, in words.")
    facts: Seq[VictimFact] = Field((), description="The reason in parts, as far as it was asked for.")


class Tier(Model):
    """Work lost in one priority tier (weights: tiered)."""

    priority: int = Field(description="The priority.")
    lost_gpu_seconds: float = Field(description="Work lost at this priority.")
    bound: float | None = Field(description="No plan loses less here, given the higher tiers.")


class Cost(Model):
    """What the plan costs, term by term, and what is proved."""

    budget_violations: int = Field(0, ge=0, description="Evictions beyond soft budgets.")
    weighted_work: float = Field(0.0, description="Sum of weight times work lost (tiered: plain GPU-seconds).")
    price: float = Field(0.0, description="Prices of the rungs paid.")
    bound: float | None = Field(None, description="No plan has a lower sum of weighted work and price.")
    gap: float | None = Field(None, description="(cost - bound) / cost; 0 when proved.")
    evicted_pods: int = Field(0, ge=0, description="Pods evicted.")
    lost_gpu_seconds: float = Field(0.0, description="Work lost, unweighted.")
    displaced_reservations: int = Field(0, ge=0, description="Reservations whose room is taken.")
    broken_islands: dict[str, int] = Field(
        default_factory=dict, description="By level: islands that were wholly free and that the plan uses."
    )
    tiers: Seq[Tier] = Field((), description="With weights tiered: the work lost by tier, highest first.")


class Granted(Model):
    """The rung of one scope."""

    asked: str = Field(description="The island asked for.")
    granted: str | None = Field(description="The loosest island granted; null without a plan.")


class Alternative(Model):
    """Another way to serve the request."""

    island: str = Field(description="Where: an island for one pod, the shared domain or the nodes for a gang.")
    level: str = Field("", description="What kind of place that is: a rung, a level, or nodes.")
    nodes: Seq[str] = Field((), description="The nodes that it uses.")
    weighted_work: float = Field(description="Its weighted work lost.")
    price: float = Field(0.0, description="The prices of its rungs.")
    budget_violations: int = Field(0, ge=0, description="Its evictions beyond soft budgets.")
    evicted_pods: int = Field(description="Its victims.")
    victims: Seq[str] = Field((), description="Jobs or pods that it evicts.")
    proved: bool = Field(True, description="Whether it is the cheapest plan of its place.")


class Reason(Model):
    """A fact that blocks the request, or a rung of its ladder."""

    code: Annotated[ReasonCode, Strict(False)] = Field(description="One of a closed list.")
    scope: str = Field(description="Where it holds.")
    text: str = Field(description="In words, with numbers.")
    rung: str | None = Field(None, description="The tighter rung that it kept from being granted, such as pod: numa.")
    places: int = Field(1, ge=1, description="How many such places the scope stands for.")
    missing_slots: int | None = Field(None, ge=0, description="Slots that the nearest of these places is short of.")
    missing_pods: int | None = Field(None, ge=0, description="Pods of a gang that find no room in the nearest place.")


class Stats(Model):
    """How the answer was found."""

    seconds: dict[str, float] = Field(default_factory=dict, description="Time by phase, where it was asked for.")
    regions: int = Field(0, description="Regions of the decision.")
    regions_solved: int = Field(0, description="Regions that a model was solved for.")


class Plan(Model):
    """The plan for one request."""

    format: Literal["topreempt/plan/v1"] = Field("topreempt/plan/v1", description="The format of the file.")
    request: str = Field(description="The request's name.")
    policy: str = Field("exact", description="exact, or the name of a baseline.")
    status: Status = Field(description="How it ended.")
    admitted: bool = Field(description="Whether the request can really start after the evictions.")
    placements: Seq[Placement] = Field((), description="One a placed pod.")
    victims: Seq[Victim] = Field((), description="One a job that loses pods.")
    cost: Cost = Field(default_factory=Cost, description="What it costs.")
    affinity: dict[str, Granted] = Field(default_factory=dict, description="By scope.")
    waits_for: Seq[str] = Field((), description="Terminating pods whose room the request needs.")
    waits_seconds: float = Field(0.0, description="The longest grace period among them.")
    displaces: Seq[str] = Field((), description="Owners of reservations whose room is taken.")
    alternatives: Seq[Alternative] = Field((), description="Other islands and what they would cost.")
    alternatives_up_to: float | None = Field(
        None, description="Every place with a plan below this cost is listed; null: every place, or none was asked for."
    )
    reasons: Seq[Reason] = Field((), description="What blocks the request or its tighter rungs.")
    cores: Seq[Core] = Field((), description="If asked for: the rules that block the nearest places together.")
    changes: Seq[Change] = Field((), description="If asked for: changes after which the request starts.")
    tradeoff: Seq[TradeOff] = Field((), description="If asked for: what each combination of rungs costs.")
    stats: Stats = Field(default_factory=Stats, description="How it was found.")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a plan from a JSON or YAML file.

        Parameters
        ----------
        path : str or Path
            The file; ``-`` is standard input.

        Returns
        -------
        Plan
            The validated plan.

        Raises
        ------
        InstanceError
            The file cannot be read or is no valid plan.
        """
        return cls.parse(load_document(path), source=str(path))

    @property
    def evicted(self) -> frozenset[str]:
        """Names of all evicted pods."""
        return frozenset(pod for victim in self.victims for pod in victim.pods)
