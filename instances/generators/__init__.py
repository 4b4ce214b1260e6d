"""Seeded families of instances: the same scenario, seed and number always give the same instance."""

from __future__ import annotations

from collections.abc import Callable

from ...models.instance import Instance
from .fragmented import fragmented
from .gangs import gangs
from .paper import paper

Scenario = Callable[..., Instance]

SCENARIOS: dict[str, Scenario] = {"paper": paper, "fragmented": fragmented, "gangs": gangs}

__all__ = ["SCENARIOS", "Scenario", "fragmented", "gangs", "paper"]
