"""Seeded families of instances: the same scenario, seed and number always give the same instance."""

from __future__ import annotations

from collections.abc import Callable

from ...models.instance import Instance
from .fleet import fleet
from .fragmented import fragmented
from .gangs import gangs
from .nvl72 import nvl72
from .openb_family import openb
from .paper import paper
from .philly import philly_small
from .seren import seren
from .spot import spot

Scenario = Callable[..., Instance]

SCENARIOS: dict[str, Scenario] = {
    "paper": paper,
    "fragmented": fragmented,
    "gangs": gangs,
    "openb": openb,
    "spot": spot,
    "philly-small": philly_small,
    "nvl72": nvl72,
    "seren": seren,
    "fleet": fleet,
}

__all__ = [
    "SCENARIOS",
    "Scenario",
    "fleet",
    "fragmented",
    "gangs",
    "nvl72",
    "openb",
    "paper",
    "philly_small",
    "seren",
    "spot",
]
