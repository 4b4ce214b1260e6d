"""The review of a plan, whoever made it: whether the request starts, what it evicts needlessly, what was cheaper."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Model, Seq
from .explanation import BrokenRule, Needless
from .plan import Plan, Reason, Status, Victim


class Review(Model):
    """What an independent look at a plan finds."""

    format: Literal["topreempt/review/v1"] = Field("topreempt/review/v1", description="The format of the file.")
    request: str = Field(description="The request's name.")
    policy: str = Field(description="Who made the plan.")
    status: Status = Field(description="What the plan says of itself.")
    starts: bool | None = Field(
        description="Whether the request starts once exactly these pods are gone; null: not found out in time."
    )
    blocked_by: Seq[Reason] = Field((), description="Why it does not start after these evictions.")
    broken_rules: Seq[BrokenRule] = Field((), description="Rules that the plan breaks.")
    needless: Seq[Needless] = Field((), description="Evictions that the request starts without (proved).")
    enough: Seq[str] = Field((), description="Evicted pods of the plan that suffice.")
    victims: Seq[Victim] = Field((), description="The plan's victims, each with what is true of it.")
    cost: float = Field(description="Weighted work and price of the plan, as it states them.")
    least_cost: float | None = Field(None, description="What the cheapest plan costs; null: there is none, or no time.")
    excess: float | None = Field(None, description="What the plan costs more; null where the two cannot be compared.")
    findings: Seq[str] = Field(description="All of it in sentences.")
    best: Plan = Field(description="The plan of the exact engine, explained.")
