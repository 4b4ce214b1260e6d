"""What explains an answer: cores of rules, changes that would help, the trade-off of the ladder, needless victims."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, Strict

from .base import Model, Seq
from .reasons import ReasonCode


class ChangeCode(StrEnum):
    """What a change that would help changes."""

    PRIORITY = "priority"
    MAY_PREEMPT = "may-preempt"
    POD_RUNG = "pod-rung"
    SLICE_RUNG = "slice-rung"
    GANG_RUNG = "gang-rung"
    RESOURCE = "resource"
    PODS = "pods"
    GPUS = "gpus"
    GPU_MODELS = "gpu-models"
    NODE_LABELS = "node-labels"
    BUDGET = "budget"
    MAX_VICTIMS = "max-victims"
    MIN_RUNNING = "min-running"
    PROTECTED_LABELS = "protected-labels"
    PREEMPTIBLE = "preemptible"
    CORDON = "cordon"
    OFFLINE = "offline"
    RESERVATION = "reservation"
    TOGETHER = "together"


class VictimCode(StrEnum):
    """Why a pod goes, or need not go."""

    SLOTS = "slots-short"
    RESOURCE = "resource-short"
    NEEDED = "needed-with-the-others"
    ONLY_WAY = "only-way"
    LOOSER_RUNG = "looser-rung"
    VIOLATES = "more-budget-violations"
    FEWER_PODS = "fewer-pods"
    COSTS_MORE = "costs-more"
    MORE_EVICTIONS = "more-evictions"
    TIE = "tie"
    BETTER_WITHOUT = "better-without"
    UNCHECKED = "unchecked"
    NEEDLESS = "needless"


class VictimFact(Model):
    """One true sentence about a victim."""

    code: Annotated[VictimCode, Strict(False)] = Field(description="One of a closed list.")
    text: str = Field(description="In words, with numbers.")
    spared_cost: float | None = Field(
        None, description="Weighted work and price of the cheapest plan that leaves this job alone."
    )


class CoreRule(Model):
    """One rule of a core."""

    code: Annotated[ReasonCode, Strict(False)] = Field(description="The rule, as in reasons.")
    name: str = Field("", description="The resource or budget that it is about.")
    text: str = Field(description="The rule in words.")


class Core(Model):
    """Rules that together keep the request out of a place, all others left aside."""

    scope: str = Field(description="The place.")
    rung: str | None = Field(None, description="The tighter rung that was not reached; null: the request as a whole.")
    nodes: Seq[str] = Field(description="The nodes of the place; none: all of the cluster.")
    rules: Seq[CoreRule] = Field(description="The rules; none: the place is too small whatever the rules.")
    minimal: bool = Field(description="Whether dropping any one of them is proved to make room.")
    text: str = Field(description="In words.")


class Change(Model):
    """A change after which the request starts, found by solving it."""

    code: Annotated[ChangeCode, Strict(False)] = Field(description="One of a closed list.")
    settings: Seq[str] = Field(description="The change as PATH=VALUE, as solve --set takes it.")
    text: str = Field(description="In words, with numbers.")
    smallest: bool = Field(description="Whether no smaller change of this kind is enough (proved).")
    weighted_work: float | None = Field(None, description="What the cheapest plan after the change costs, if solved.")
    evicted_pods: int | None = Field(None, description="How many pods that plan evicts.")


class TradeOff(Model):
    """What the best plan on one combination of rungs costs."""

    pod: str = Field(description="Rung of the pods.")
    slice: str | None = Field(None, description="Rung of the slices; null: none asked.")
    gang: str | None = Field(None, description="Rung of the gang; null: none asked.")
    status: str = Field(description="optimal, feasible, infeasible or unknown.")
    weighted_work: float | None = Field(None, description="Least weighted work lost.")
    price: float | None = Field(None, description="Prices of the rungs.")
    bound: float | None = Field(None, description="No plan on these rungs costs less.")
    evicted_pods: int | None = Field(None, description="Pods evicted.")
    placed_pods: int | None = Field(None, description="Pods of the request that are placed.")
    budget_violations: int | None = Field(None, description="Evictions beyond soft budgets.")
    saves: float | None = Field(
        None, description="What this step down saves against the cheapest of the combinations one rung tighter."
    )
    pareto: bool = Field(False, description="No other combination is as tight and cheaper, or as cheap and tighter.")
    granted: bool = Field(False, description="The combination that the plan was granted.")


class Needless(Model):
    """A job that loses pods although the other victims suffice."""

    job: str = Field(description="The job.")
    pods: Seq[str] = Field(description="Its pods that need not go.")
    lost_gpu_seconds: float = Field(description="Work lost in vain.")
    weighted_cost: float = Field(description="That, weighted.")
    text: str = Field(description="In words.")


class BrokenRule(Model):
    """A rule that a plan breaks."""

    rule: str = Field(description="The rule.")
    text: str = Field(description="Where and by how much.")
