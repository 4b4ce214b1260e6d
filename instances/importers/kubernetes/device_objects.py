"""Dynamic resource allocation: which devices a node offers, what a claim asks for and what it was given."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from ....models.base import Seq
from .objects import KubeName, KubeObject, Part, Word


class Attribute(Part):
    """A typed attribute of a device."""

    int_: int | None = Field(None, alias="int")
    ints: Seq[int] = ()
    string: Word | None = None
    strings: Seq[Word] = ()
    version: Word | None = None
    bool_: bool | None = Field(None, alias="bool")

    @property
    def texts(self) -> tuple[str, ...]:
        """Its value or values, as text."""
        single = next((v for v in (self.string, self.int_, self.version, self.bool_) if v is not None), None)
        return (str(single),) if single is not None else tuple(map(str, (*self.ints, *self.strings)))


class DeviceTaint(Part):
    """What keeps claims off a device."""

    key: str = ""
    effect: str = ""


class OfferedDevice(Part):
    """A device of a slice."""

    name: KubeName
    attributes: dict[KubeName, Attribute] = Field(default_factory=dict)
    taints: Seq[DeviceTaint] = ()


class Pool(Part):
    """The pool that a slice belongs to."""

    name: KubeName
    generation: int = 0
    resource_slice_count: int = 1


class SliceSpec(Part):
    """What a slice offers."""

    driver: KubeName
    node_name: KubeName | None = None
    pool: Pool
    devices: Seq[OfferedDevice] = ()

    @field_validator("devices", mode="before")
    @classmethod
    def _open_basic(cls, devices: Any) -> Any:
        # Beta versions keep the fields of a device one level deeper.
        if not isinstance(devices, list):
            return devices
        return [
            {**device, **device["basic"]}
            if isinstance(device, dict) and isinstance(device.get("basic"), dict)
            else device
            for device in devices
        ]


def _flat(device: dict[str, Any]) -> dict[str, Any]:
    basic = device.get("basic")
    return {**device, **basic} if isinstance(basic, dict) else device


class ResourceSlice(KubeObject):
    """Devices of a node."""

    namespaced: ClassVar[bool] = False
    spec: SliceSpec


class Exactly(Part):
    """How many devices of a class."""

    device_class_name: Word = ""
    allocation_mode: str = "ExactCount"
    count: Annotated[int, Field(ge=1, le=4096)] = 1
    selectors: Seq[dict[str, Any]] = ()
    admin_access: bool = False


class DeviceRequest(Exactly):
    """A request of a claim; in beta versions its fields stand beside the name."""

    name: KubeName
    exactly: Exactly | None = None
    first_available: Seq[Exactly] = ()

    @property
    def asked(self) -> Exactly:
        """What is asked for, the first choice of several."""
        return self.exactly or (self.first_available[0] if self.first_available else self)


class Constraint(Part):
    """What the devices of a claim must have in common."""

    requests: Seq[str] = ()
    match_attribute: str = ""


class ClaimDevices(Part):
    """Requests and constraints of a claim."""

    requests: Seq[DeviceRequest] = ()
    constraints: Seq[Constraint] = ()


class ClaimSpec(Part):
    """What a claim asks for."""

    devices: ClaimDevices = Field(default_factory=ClaimDevices)


class AllocatedDevice(Part):
    """A device that a claim was given."""

    driver: KubeName
    pool: KubeName
    device: KubeName
    admin_access: bool = False


class AllocatedDevices(Part):
    """All devices that a claim was given."""

    results: Seq[AllocatedDevice] = ()


class Allocation(Part):
    """What a claim was given."""

    devices: AllocatedDevices = Field(default_factory=AllocatedDevices)


class ClaimState(Part):
    """How a claim is."""

    allocation: Allocation | None = None


class ResourceClaim(KubeObject):
    """Devices that a pod, or several, may use."""

    spec: ClaimSpec = Field(default_factory=ClaimSpec)
    status: ClaimState = Field(default_factory=ClaimState)


class TemplateSpec(Part):
    """The claim that a template makes."""

    spec: ClaimSpec = Field(default_factory=ClaimSpec)


class ResourceClaimTemplate(KubeObject):
    """What the claims of pods are made from."""

    spec: TemplateSpec = Field(default_factory=TemplateSpec)
