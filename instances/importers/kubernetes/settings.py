"""Every name that an import looks for: labels, annotations, resources and kinds; a site overrides what it renamed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from ....models.base import Model, Name, Priority, Seq
from ....models.document import load_document


class KnownLevel(Model):
    """A level above node that is recognised by a label of the nodes."""

    level: Name = Field(description="What it is called in the instance.")
    labels: Seq[Name] = Field(description="Labels that name a node's domain, the first that is there.")


class Tolerated(Model):
    """A taint that a request given in our own format stands."""

    key: str = Field("", description="Its key; empty: every key.")
    value: str | None = Field(None, description="Its value; none: every value.")
    effect: Literal["NoSchedule", "NoExecute", ""] = Field("", description="Its effect; empty: every effect.")


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


class DeviceSettings(Model):
    """What a GPU is called: resources, labels, attributes of devices, annotations of pods."""

    gpu_resources: Seq[Name] = Field(
        ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/xe", "gpu.intel.com/i915", "habana.ai/gaudi"),
        description="Resources of which one piece is one GPU.",
    )
    shared_resources: dict[Name, Annotated[int, Field(ge=1, le=10**9)]] = Field(
        default_factory=lambda: {"koordinator.sh/gpu-core": 100},
        description="Resources that count parts of GPUs, with the number of parts of a whole one.",
    )
    mig_resources: Seq[Name] = Field(("nvidia.com/mig-",), description="Beginnings of names of MIG resources.")
    share_annotations: Seq[Name] = Field(
        ("gpu-fraction",), description="Pod annotations with the share of each GPU, such as 0.5."
    )
    share_count_annotations: Seq[Name] = Field(
        ("gpu-fraction-num-devices",), description="Pod annotations with the number of GPUs that are shared; else 1."
    )
    model_labels: Seq[Name] = Field(
        (
            "nvidia.com/gpu.product",
            "amd.com/gpu.product-name",
            "gpu.intel.com/product",
            "node.koordinator.sh/gpu-model",
            "cloud.google.com/gke-accelerator",
        ),
        description="Node (or Device) labels with the GPU model.",
    )
    count_labels: Seq[Name] = Field(("nvidia.com/gpu.count",), description="Node labels with the number of GPUs.")
    replica_labels: Seq[Name] = Field(
        ("nvidia.com/gpu.replicas",), description="Node labels with the number of pieces that share one GPU in time."
    )
    gpu_drivers: Seq[Name] = Field(
        ("gpu.nvidia.com", "gpu.amd.com", "gpu.intel.com"), description="Drivers whose devices are GPUs."
    )
    gpu_classes: Seq[Name] = Field((), description="Device classes of whole GPUs, besides those named like a driver.")
    type_attributes: Seq[Name] = Field(("type",), description="Device attributes with the kind of a device.")
    gpu_types: Seq[Name] = Field(("gpu", "amdgpu"), description="Kinds of devices that are whole GPUs.")
    model_attributes: Seq[Name] = Field(("productName", "model"), description="Device attributes with the GPU model.")
    uuid_attributes: Seq[Name] = Field(("uuid",), description="Device attributes with the GPU's UUID.")
    bus_attributes: Seq[Name] = Field(
        ("resource.kubernetes.io/pciBusID", "pciBusID", "pciAddr"),
        description="Device attributes with the PCI address.",
    )
    pcie_attributes: Seq[Name] = Field(
        ("resource.kubernetes.io/pcieRoot", "pcieRoot"), description="Device attributes with the PCIe root complex."
    )
    numa_attributes: Seq[Name] = Field(
        ("resource.kubernetes.io/numaNode", "dra.net/numaNode", "numaNode", "numa"),
        description="Device attributes with the NUMA node.",
    )
    partition_attributes: Seq[Name] = Field(
        ("partition",),
        description="Beginnings of names of device attributes with the partition of the size that follows.",
    )
    slot_annotations: Seq[Name] = Field(
        ("topreempt/gpus", "hivedscheduler.microsoft.com/pod-leaf-cell-isolation", "volcano.sh/gpu-index"),
        description="Pod annotations with the GPUs that a pod holds: indices or UUIDs.",
    )
    allocation_annotations: Seq[Name] = Field(
        ("scheduling.koordinator.sh/device-allocated",),
        description='Pod annotations with the GPUs that a pod holds: {"gpu": [{"minor": 0}]}.',
    )
    partition_annotations: Seq[Name] = Field(
        ("scheduling.koordinator.sh/gpu-partitions",),
        description='Device annotations with aligned blocks: {"2": [{"minors": [0, 1]}]}.',
    )
    numa_annotations: Seq[Name] = Field(
        ("topreempt/numa",), description="Pod annotations with the NUMA node that a pod is aligned to."
    )
    cpu_pool_annotations: Seq[Name] = Field(
        ("node.koordinator.sh/cpu-shared-pools",),
        description='NodeResourceTopology annotations with the CPU pools of NUMA nodes: [{"node": 0}].',
    )
    policy_attributes: Seq[Name] = Field(
        ("topologyManagerPolicy",), description="NodeResourceTopology attributes with the kubelet's policy."
    )
    scope_attributes: Seq[Name] = Field(
        ("topologyManagerScope",), description="NodeResourceTopology attributes with the kubelet's scope."
    )


class JobSettings(Model):
    """What makes pods a job, and what an eviction of it costs."""

    group_keys: Seq[Name] = Field(
        (
            "scheduling.x-k8s.io/pod-group",
            "pod-group.scheduling.sigs.k8s.io",
            "pod-group.scheduling.sigs.k8s.io/name",
            "scheduling.k8s.io/group-name",
            "scheduling.volcano.sh/group-name",
            "pod-group-name",
            "gang.scheduling.koordinator.sh/name",
            "kueue.x-k8s.io/pod-group-name",
        ),
        description="Pod labels or annotations with the name of the gang.",
    )
    group_size_keys: Seq[Name] = Field(
        (
            "gang.scheduling.koordinator.sh/min-available",
            "pod-group.scheduling.sigs.k8s.io/min-available",
            "kueue.x-k8s.io/pod-group-total-count",
        ),
        description="Pod labels or annotations with the fewest pods of the gang.",
    )
    leader_set_keys: Seq[Name] = Field(
        ("leaderworkerset.sigs.k8s.io/name",), description="Pod labels with the LeaderWorkerSet's name."
    )
    leader_group_keys: Seq[Name] = Field(
        ("leaderworkerset.sigs.k8s.io/group-index",), description="Pod labels with the number of the group in it."
    )
    job_set_keys: Seq[Name] = Field(
        ("jobset.sigs.k8s.io/jobset-name",), description="Pod labels with the JobSet's name."
    )
    job_kinds: Seq[Name] = Field(
        (
            "Job",
            "JobSet",
            "AppWrapper",
            "JAXJob",
            "MPIJob",
            "MXJob",
            "PaddleJob",
            "PyTorchJob",
            "TFJob",
            "TrainJob",
            "XGBoostJob",
        ),
        description="Owners whose pods live and die together.",
    )
    protected_kinds: Seq[Name] = Field(("Node",), description="Owners whose pods are never evicted (static pods).")
    ignored_namespaces: Seq[Name] = Field(
        ("kai-resource-reservation", "runai-reservation"),
        description="Namespaces whose pods only stand for what other pods hold.",
    )
    preemptible_keys: Seq[Name] = Field(
        ("volcano.sh/preemptable", "scheduling.koordinator.sh/preemptible", "kai.scheduler/preemptibility"),
        description="Pod labels or annotations that say whether a pod may be evicted: true or false.",
    )
    priority_classes: dict[Name, Priority] = Field(
        default_factory=lambda: {
            "system-cluster-critical": 2_000_000_000,
            "system-node-critical": 2_000_001_000,
            "train": 50,
            "build-preemptible": 75,
            "build": 100,
            "inference": 125,
        },
        description="Priorities of classes that are not among the objects.",
    )
    priority_order: Seq[Literal["number", "class", "label"]] = Field(
        ("number", "class", "label"),
        description="Where a pod's priority is looked for: its number, its class, a label with a class. "
        "KAI goes by its label: [label, number, class].",
    )
    priority_class_labels: Seq[Name] = Field(("priorityClassName",), description="Pod labels with a priority class.")
    unsaved_annotations: Seq[Name] = Field(
        ("topreempt/unsaved-seconds",), description="Pod annotations with the work since the last checkpoint."
    )
    saved_at_annotations: Seq[Name] = Field(
        ("topreempt/saved-at",), description="Pod annotations with the moment of the last checkpoint."
    )
    restart_annotations: Seq[Name] = Field(
        ("topreempt/restart-seconds",), description="Pod annotations with the time to be where it was."
    )
    checkpoint_annotations: Seq[Name] = Field(
        ("topreempt/checkpoint-seconds",), description="Pod annotations with how long a checkpoint takes."
    )
    lost_annotations: Seq[Name] = Field(
        ("topreempt/lost-gpu-seconds",), description="Pod annotations with the loss outright."
    )
    min_available_annotations: Seq[Name] = Field(
        ("topreempt/min-available",), description="Pod annotations with the fewest pods its job goes on with."
    )


class RequestSettings(Model):
    """What a waiting workload says about how close its pods must be."""

    required_keys: Seq[Name] = Field(
        (
            "kueue.x-k8s.io/podset-required-topology",
            "kai.scheduler/topology-required-placement",
            "leaderworkerset.sigs.k8s.io/exclusive-topology",
            "alpha.jobset.sigs.k8s.io/exclusive-topology",
        ),
        description="Annotations with the label whose value all pods must share.",
    )
    preferred_keys: Seq[Name] = Field(
        ("kueue.x-k8s.io/podset-preferred-topology", "kai.scheduler/topology-preferred-placement"),
        description="Annotations with the label whose value all pods should share.",
    )
    slice_size_keys: Seq[Name] = Field(
        ("kueue.x-k8s.io/podset-slice-size", "kai.scheduler/segment-size"),
        description="Annotations with the number of pods of a slice.",
    )
    slice_required_keys: Seq[Name] = Field(
        (
            "kueue.x-k8s.io/podset-slice-required-topology",
            "kai.scheduler/segment-topology-required-placement",
        ),
        description="Annotations with the label whose value the pods of a slice must share.",
    )
    slice_preferred_keys: Seq[Name] = Field(
        ("kai.scheduler/segment-topology-preferred-placement",),
        description="Annotations with the label whose value the pods of a slice should share.",
    )
    hierarchy_keys: Seq[Name] = Field(
        ("kai.scheduler/topology",), description="Annotations with the Topology object that counts."
    )
    island_keys: Seq[Name] = Field(
        ("topreempt/island",), description="Annotations with the island of one pod, such as numa or numa:best-effort."
    )
    tolerated: Seq[Tolerated] = Field(
        (), description="Taints that a request in our own format stands, besides those named like a GPU resource."
    )


class Settings(Model):
    """All names of an import in four parts."""

    levels: LevelSettings = Field(default_factory=LevelSettings, description="Where nodes stand.")
    devices: DeviceSettings = Field(default_factory=DeviceSettings, description="What a GPU is called.")
    jobs: JobSettings = Field(default_factory=JobSettings, description="What makes pods a job.")
    request: RequestSettings = Field(default_factory=RequestSettings, description="How close a request's pods must be.")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read settings from a JSON or YAML file; what it does not name keeps its default.

        Parameters
        ----------
        path : str or Path
            The file; ``-`` is standard input.

        Returns
        -------
        Settings
            The validated settings.

        Raises
        ------
        InstanceError
            The file cannot be read or names what is no setting.
        """
        return cls.parse(load_document(path), source=str(path))

    def with_options(self, **parts: dict[str, Any]) -> Self:
        """Return settings with some names replaced.

        Parameters
        ----------
        **parts : dict
            For each part (``levels``, ``devices``, ``jobs``, ``request``) the fields to replace.

        Returns
        -------
        Settings
            Validated anew.

        Raises
        ------
        InstanceError
            A value that the field does not take.
        """
        plain = self.model_dump()
        for part, fields in parts.items():
            plain[part] |= fields
        return self.parse(plain, source="options")


def first_of(keys: tuple[str, ...], *maps: dict[str, str]) -> tuple[str, str] | None:
    """Return the first of several keys that one of several mappings has.

    Parameters
    ----------
    keys : tuple of str
        Labels or annotations, the most trusted first.
    *maps : dict
        Labels and annotations.

    Returns
    -------
    tuple of (str, str) or None
        Key and value; an empty value counts as absent.
    """
    for key in keys:
        for names in maps:
            if names.get(key):
                return key, names[key]
    return None
