"""Objects that say where nodes stand and how they look inside: NodeResourceTopology, HyperNode, Topology, Device."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ....models.base import Seq
from .core_objects import Condition, LabelSelector
from .objects import KubeName, KubeObject, Part
from .quantities import Quantity


class ZoneResource(Part):
    """An amount in a zone."""

    name: KubeName
    capacity: Quantity | None = None
    allocatable: Quantity | None = None
    available: Quantity | None = None

    @property
    def total(self) -> Quantity | None:
        """The capacity; where only the allocatable part is given, that."""
        return self.capacity if self.capacity is not None else self.allocatable

    @property
    def usable(self) -> Quantity | None:
        """The allocatable part; where only the capacity is given, that."""
        return self.allocatable if self.allocatable is not None else self.capacity


class Zone(Part):
    """A zone of a node, such as a NUMA node."""

    name: KubeName
    type: str = "Node"
    resources: Seq[ZoneResource] = ()


class ZoneAttribute(Part):
    """A named attribute of the whole node."""

    name: str
    value: str = ""


class NodeResourceTopology(KubeObject):
    """What a node's agent says about its NUMA nodes; named after the node."""

    namespaced: ClassVar[bool] = False
    topology_policies: Seq[str] = ()
    attributes: Seq[ZoneAttribute] = ()
    zones: Seq[Zone] = ()


class NamedMember(Part):
    """A member by its exact name."""

    name: KubeName


class PatternMember(Part):
    """Members by a regular expression."""

    pattern: Annotated[str, Field(max_length=1024)]


class MemberSelector(Part):
    """Who belongs to a HyperNode: exactly one of the three."""

    exact_match: NamedMember | None = None
    regex_match: PatternMember | None = None
    label_match: LabelSelector | None = None


class Member(Part):
    """Members of a HyperNode."""

    type: str
    selector: MemberSelector


class HyperNodeSpec(Part):
    """The tier (1 is the tightest) and the members of a HyperNode."""

    tier: Annotated[int, Field(ge=0, le=1000)]
    tier_name: str = ""
    members: Seq[Member] = ()


class HyperNode(KubeObject):
    """A domain of Volcano's network topology."""

    namespaced: ClassVar[bool] = False
    spec: HyperNodeSpec


class TopologyLevel(Part):
    """A level of a Topology, known by a label of nodes."""

    node_label: KubeName
    alias: str = ""


class TopologySpec(Part):
    """Levels, broadest first."""

    levels: Annotated[Seq[TopologyLevel], Field(min_length=1, max_length=16)]


class Topology(KubeObject):
    """The levels that Kueue or KAI schedules by."""

    namespaced: ClassVar[bool] = False
    spec: TopologySpec


class DeviceTopology(Part):
    """Where a device sits; -1 where the machine does not say."""

    node_id: int = Field(-1, alias="nodeID")
    socket_id: int = Field(-1, alias="socketID")
    pcie_id: str = Field("", alias="pcieID")
    bus_id: str = Field("", alias="busID")


class DeviceInfo(Part):
    """A device of a node."""

    type: str
    minor: Annotated[int, Field(ge=0, le=4095)] | None = None
    id: str = ""
    health: bool = False
    topology: DeviceTopology | None = None
    conditions: Seq[Condition] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether neither its health nor a condition speaks against it."""
        return self.health and not any(c.type == "Healthy" and c.status == "False" for c in self.conditions)


class DeviceSpec(Part):
    """The devices of a node."""

    devices: Seq[DeviceInfo] = ()


class Device(KubeObject):
    """Koordinator's inventory of a node, named after it."""

    namespaced: ClassVar[bool] = False
    spec: DeviceSpec = Field(default_factory=DeviceSpec)
