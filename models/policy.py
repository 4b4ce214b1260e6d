"""The policy: how losses are weighted, how affinity is relaxed and whom to protect."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Amount, Count, Model, Name

Weighting = Literal["value", "rank", "uniform", "tiered"]


class WeightTable(Model):
    """An explicit weight for each priority."""

    table: dict[Annotated[str, Field(pattern=r"^-?[0-9]{1,13}$")], Amount] = Field(
        description="Weight by priority, the priority written as a string."
    )


class Policy(Model):
    """The rules of one decision that are neither the cluster's nor the request's."""

    weights: Weighting | WeightTable = Field("value", description="How lost work is weighted by priority.")
    relaxation: Literal["tightest-first", "priced"] = Field("tightest-first", description="How ladders are used.")
    budgets: Literal["hard", "soft"] = Field("hard", description="Whether budgets may be violated at all.")
    min_running_seconds: Amount = Field(0.0, description="Jobs that ran less are protected.")
    max_victims: Count | None = Field(None, description="At most so many evicted pods.")
    extra_pods: Literal["free-only", "evict"] = Field("free-only", description="What serves pods above min_pods.")
    protected_labels: dict[Name, str] = Field(
        default_factory=dict, description="A job that carries one of these labels is never a victim."
    )
