"""The cluster: its levels, its machines and its nodes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .base import Model, Name, Seq, Slot
from .topology import NODE, Machine, ShapeFields


class Node(ShapeFields):
    """One host: where it stands, its shape (named or inline) and what is wrong with it."""

    name: Name = Field(description="Unique name.")
    machine: Name | None = Field(None, description="A machine of the cluster or of the catalogue.")
    within: dict[Name, Name] = Field(default_factory=dict, description="Its domain at each level above node.")
    labels: dict[Name, str] = Field(default_factory=dict, description="Labels that a request may select on.")
    offline_slots: Seq[Slot] = Field((), description="Slots that serve nobody.")
    cordoned: bool = Field(False, description="Takes no new pods.")


class Cluster(Model):
    """Levels, broadest first, machine shapes and nodes."""

    levels: Annotated[Seq[Name], Field(min_length=1, max_length=32)] = Field(
        description="Names of the levels, broadest first; must contain node; cluster and gpu are implied."
    )
    machines: dict[Name, Machine] = Field(default_factory=dict, description="Named machine shapes.")
    nodes: Annotated[Seq[Node], Field(min_length=1)] = Field(description="All nodes.")

    @property
    def levels_above(self) -> tuple[str, ...]:
        """Levels broader than the node, broadest first."""
        return self.levels[: self.levels.index(NODE)]

    @property
    def levels_below(self) -> tuple[str, ...]:
        """Levels finer than the node, broadest first."""
        return self.levels[self.levels.index(NODE) + 1 :]
