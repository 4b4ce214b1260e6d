"""Machines and islands: the shape of a node below its own level, its links, and the names of island kinds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Amount, Model, Name, Seq, Slot

NODE = "node"
CLUSTER = "cluster"
GPU = "gpu"
LINK_CLIQUE = "link-clique"
LINK_CONNECTED = "link-connected"
BLOCK = "block"

LINK_ISLANDS = (LINK_CLIQUE, LINK_CONNECTED)
RESERVED_LEVELS = (CLUSTER, GPU)

TopologyPolicy = Literal["none", "best-effort", "restricted", "single-numa-node"]
ALIGNING_POLICIES = ("restricted", "single-numa-node")


class Link(Model):
    """A direct connection between two GPUs of a machine."""

    gpus: Annotated[Seq[Slot], Field(min_length=2, max_length=2)] = Field(description="The two slots it joins.")
    kind: Name = Field(description="Its class, such as nvlink, xgmi or pix.")
    count: Annotated[int, Field(ge=1, le=10**6)] = Field(1, description="How many such links run side by side.")


class ShapeFields(Model):
    """The fields of a machine's shape; a node may carry them itself instead of naming a machine."""

    gpus: Annotated[int, Field(ge=0, le=4096)] | None = Field(None, description="Number of slots, 0..gpus-1.")
    gpu_model: Name | Seq[Name] | None = Field(None, description="Model of all slots, or a list with one a slot.")
    domains: dict[Name, dict[Name, Seq[Slot]]] = Field(
        default_factory=dict, description="For each level below node a partition of the slots into named domains."
    )
    links: Seq[Link] = Field((), description="Links between the slots.")
    fully_linked: bool = Field(False, description="Every pair of slots is linked (a switch), no list needed.")
    blocks: Seq[Annotated[Seq[Slot], Field(min_length=1)]] = Field((), description="Aligned blocks of slots.")
    resources: dict[Name, Amount] = Field(
        default_factory=dict, description="Counted resources of the node; one that is not named is 0."
    )
    domain_resources: dict[Name, dict[Name, dict[Name, Amount]]] = Field(
        default_factory=dict, description="Resources by level and domain, finer than the node."
    )
    topology_policy: TopologyPolicy = Field("none", description="The kubelet's topology manager policy.")


class Machine(ShapeFields):
    """A named shape that many nodes share."""
