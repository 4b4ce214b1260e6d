"""Names that say what a GPU is and who holds it: resources, labels, attributes, annotations."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ....models.base import Model, Name, Seq


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
