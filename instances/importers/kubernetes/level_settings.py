"""Names that say where nodes stand: labels and levels."""

from __future__ import annotations

from pydantic import Field

from ....models.base import Model, Name, Seq


class KnownLevel(Model):
    """A level above node that is recognised by a label of the nodes."""

    level: Name = Field(description="What it is called in the instance.")
    labels: Seq[Name] = Field(description="Labels that name a node's domain, the first that is there.")


def _levels(*pairs: tuple[str, tuple[str, ...]]) -> tuple[KnownLevel, ...]:
    return tuple(KnownLevel(level=level, labels=labels) for level, labels in pairs)


class LevelSettings(Model):
    """Where nodes stand, and what levels are called."""

    levels: dict[Name, Name] = Field(
        default_factory=dict,
        description="Level to node label, broadest first; hypernode:N is tier N of Volcano's HyperNodes. "
        "Empty: found in the data.",
    )
    hierarchy: Name | None = Field(
        None, description="The Topology object (Kueue, KAI) whose levels count, where there are several."
    )
    hostname_labels: Seq[Name] = Field(("kubernetes.io/hostname",), description="Labels that mean the node itself.")
    known_levels: Seq[KnownLevel] = Field(
        _levels(
            ("region", ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")),
            ("zone", ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")),
            ("datacenter", ("network.topology.nvidia.com/datacenter",)),
            ("layer-1", ("topology.k8s.aws/network-node-layer-1",)),
            ("layer-2", ("topology.k8s.aws/network-node-layer-2",)),
            ("layer-3", ("topology.k8s.aws/network-node-layer-3",)),
            ("tier-2", ("fabric.topograph.run/tier-2",)),
            ("tier-1", ("fabric.topograph.run/tier-1",)),
            ("tier-0", ("fabric.topograph.run/tier-0",)),
            ("spine", ("network.topology.nvidia.com/spine",)),
            (
                "block",
                (
                    "network.topology.nvidia.com/block",
                    "cloud.google.com/gce-topology-block",
                    "cloud.provider.com/topology-block",
                    "topology.kubernetes.io/block",
                ),
            ),
            ("subblock", ("cloud.google.com/gce-topology-subblock",)),
            ("rack", ("topology.kubernetes.io/rack", "cloud.provider.com/topology-rack", "rack")),
            (
                "nvlink-domain",
                (
                    "nvidia.com/gpu.clique",
                    "accelerator.topograph.run/domain",
                    "network.topology.nvidia.com/accelerator",
                ),
            ),
            ("sub-domain", ("accelerator.topograph.run/sub-domain",)),
        ),
        description="Levels that are recognised when none are given, broadest first.",
    )
    numa_level: Name = Field("numa", description="What the level of NUMA nodes is called.")
    pcie_level: Name = Field("pcie", description="What the level of PCIe root complexes is called.")
    socket_level: Name = Field("socket", description="What the level of sockets is called.")
    keep_labels: Seq[Name] = Field((), description="Node labels that are kept besides those a request selects on.")
    fit_label: Name = Field(
        "topreempt/fit", description="Label that says whether a node's taints and affinity let the request in."
    )
