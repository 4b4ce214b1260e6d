"""What NodeResourceTopology says of a node: its NUMA nodes with their GPUs and resources, and the kubelet's policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ....models.topology import TopologyPolicy
from ..notes import Notes
from .device_settings import DeviceSettings
from .names import json_of, numa_name, trailing_number
from .quantities import whole
from .settings import first_of
from .topology_objects import NodeResourceTopology, Zone, ZoneResource

NUMA_ZONE: Final = "Node"
_POLICIES: Final[dict[str, TopologyPolicy]] = {
    "none": "none",
    "best-effort": "best-effort",
    "restricted": "restricted",
    "single-numa-node": "single-numa-node",
}
_OLD_POLICIES: Final[tuple[tuple[str, TopologyPolicy], ...]] = (
    ("none", "none"),
    ("besteffort", "best-effort"),
    ("restricted", "restricted"),
    ("singlenumanode", "single-numa-node"),
)


@dataclass(frozen=True)
class NumaNode:
    """A NUMA node.

    Attributes
    ----------
    gpus, usable : int
        How many GPUs it has, and how many of them are healthy.
    free : int or None
        How many its agent says are free; None: it does not say.
    amounts, available : mapping
        Every other resource that pods may use, in all and what is free of it.
    """

    gpus: int
    usable: int
    free: int | None
    amounts: Mapping[str, Decimal]
    available: Mapping[str, Decimal]


@dataclass(frozen=True)
class NumaFacts:
    """What the agent of a node says.

    Attributes
    ----------
    policy : str
        The kubelet's topology manager policy.
    by_container : bool
        Whether the kubelet aligns each container for itself.
    nodes : mapping
        NUMA nodes by domain name; empty if the agent lists none.
    knows_gpus : bool
        Whether the zones say where the GPUs are.
    """

    policy: TopologyPolicy
    by_container: bool
    nodes: Mapping[str, NumaNode]
    knows_gpus: bool


def numa_facts(topology: NodeResourceTopology, settings: DeviceSettings, notes: Notes) -> NumaFacts:
    """Read a NodeResourceTopology.

    Parameters
    ----------
    topology : NodeResourceTopology
        The object.
    settings : DeviceSettings
        GPU resources, names of attributes and annotations.
    notes : Notes
        Told what it does not say.

    Returns
    -------
    NumaFacts
        Its zones of type ``Node``, in the order of their numbers.

    Raises
    ------
    InstanceError
        A policy that the kubelet does not have, a zone or resource twice, numbers that contradict each other.
    """
    zones = [zone for zone in topology.zones if zone.type == NUMA_ZONE]
    names = _zone_names(topology, zones)
    nodes = {name: _numa_node(topology, zone, settings) for name, zone in zip(names, zones, strict=True)}
    if not zones:
        notes.of(topology.key, "NodeResourceTopology without zones: GPU locality unknown.")
        nodes = {name: NumaNode(0, 0, None, {}, {}) for name in _pools(topology, settings)}
    elif any(zone.resources for zone in zones) and any(
        resource.available is None for zone in zones for resource in zone.resources
    ):
        notes.of(topology.key, "NodeResourceTopology with available missing: usage is taken from the pods.")
    scope = next((a.value for a in topology.attributes if a.name in settings.scope_attributes), "")
    old_scope = any(policy.lower().endswith("containerlevel") for policy in topology.topology_policies)
    ordered = dict(sorted(nodes.items(), key=lambda item: (trailing_number(item[0]) or 0, item[0])))
    return NumaFacts(
        policy=_policy(topology, settings),
        by_container=scope == "container" or (not scope and old_scope),
        nodes=ordered,
        knows_gpus=any(node.gpus for node in ordered.values()),
    )


def _zone_names(topology: NodeResourceTopology, zones: list[Zone]) -> list[str]:
    names = [zone.name for zone in zones]
    if len(set(names)) < len(names):
        raise topology.mistake("zones", names, "each zone once")
    ours = [numa_name(name) for name in names]
    return ours if len(set(ours)) == len(ours) else names


def _numa_node(topology: NodeResourceTopology, zone: Zone, settings: DeviceSettings) -> NumaNode:
    where = f"zones[{topology.zones.index(zone)}].resources"
    names = [resource.name for resource in zone.resources]
    if len(set(names)) < len(names):
        raise topology.mistake(where, names, "each resource once")
    gpus = usable = 0
    free: int | None = 0
    amounts: dict[str, Decimal] = {}
    available: dict[str, Decimal] = {}
    for index, resource in enumerate(zone.resources):
        if resource.name in settings.gpu_resources:
            total, healthy, unused = _counts(topology, f"{where}[{index}]", resource)
            gpus, usable = gpus + total, usable + healthy
            free = None if free is None or unused is None else free + unused
        elif resource.usable is not None:
            amounts[resource.name] = resource.usable
            if resource.available is not None:
                available[resource.name] = resource.available
    return NumaNode(gpus, usable, free if gpus else None, amounts, available)


def _counts(topology: NodeResourceTopology, where: str, resource: ZoneResource) -> tuple[int, int, int | None]:
    numbers: list[int | None] = []
    for field, amount in (
        ("capacity", resource.total),
        ("allocatable", resource.usable),
        ("available", resource.available),
    ):
        number = None if amount is None else whole(amount)
        if (number is None and amount is not None) or (number is not None and number > 4096):
            raise topology.mistake(f"{where}.{field}", str(amount), "a number of GPUs")
        numbers.append(number)
    total, usable, free = numbers
    if total is None or usable is None:
        raise topology.mistake(where, resource.name, "a capacity or an allocatable amount")
    if usable > total:
        raise topology.mistake(f"{where}.allocatable", usable, f"at most the capacity {total}")
    if free is not None and free > usable:
        raise topology.mistake(f"{where}.available", free, f"at most the allocatable {usable}")
    return total, usable, free


def _pools(topology: NodeResourceTopology, settings: DeviceSettings) -> list[str]:
    """Return the NUMA nodes that an annotation of CPU pools names, where there are no zones."""
    found = first_of(settings.cpu_pool_annotations, topology.metadata.annotations)
    if found is None:
        return []
    pools = json_of(found[1])
    numbers = (
        [pool.get("node") if isinstance(pool, dict) else None for pool in pools] if isinstance(pools, list) else [""]
    )
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise topology.mistake(f"metadata.annotations[{found[0]!r}]", found[1], 'JSON such as [{"node": 0}]')
    return sorted({f"n{number}" for number in numbers})


def _policy(topology: NodeResourceTopology, settings: DeviceSettings) -> TopologyPolicy:
    for index, attribute in enumerate(topology.attributes):
        if attribute.name in settings.policy_attributes and attribute.value:
            if attribute.value not in _POLICIES:
                expected = f"a policy of the kubelet: {', '.join(_POLICIES)}"
                raise topology.mistake(f"attributes[{index}].value", attribute.value, expected)
            return _POLICIES[attribute.value]
    for index, word in enumerate(topology.topology_policies):
        for beginning, policy in _OLD_POLICIES:
            if word.lower().startswith(beginning):
                return policy
        raise topology.mistake(f"topologyPolicies[{index}]", word, "a policy such as SingleNUMANodeContainerLevel")
    return "none"
