"""Devices by claim: which GPUs a pod was given, and what a waiting pod asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..notes import Notes
from .core_objects import Pod
from .device_objects import ClaimSpec, DeviceRequest, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from .device_settings import DeviceSettings
from .names import device_id
from .state import State


@dataclass(frozen=True)
class Claimed:
    """The GPUs that a pod was given by claims.

    Attributes
    ----------
    gpus : int
        How many.
    ids : tuple of str
        Their names, ``driver/pool/device``.
    """

    gpus: int = 0
    ids: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether every one has a name."""
        return bool(self.ids) and len(self.ids) == self.gpus


@dataclass(frozen=True)
class PodClaims:
    """Claims of pods.

    Attributes
    ----------
    claims, templates : mapping
        By ``namespace/name``.
    partial : frozenset of str
        Devices of GPU drivers that are no whole GPUs.
    has_slices : bool
        Whether the data says which devices nodes offer.
    settings : DeviceSettings
        Which drivers serve GPUs.
    notes : Notes
        Told what the data leaves open.
    """

    claims: Mapping[str, ResourceClaim]
    templates: Mapping[str, ResourceClaimTemplate]
    partial: frozenset[str]
    has_slices: bool
    settings: DeviceSettings
    notes: Notes

    @classmethod
    def of(cls, state: State, settings: DeviceSettings, notes: Notes) -> PodClaims:
        """Return the claims of a state.

        Parameters
        ----------
        state : State
            All objects.
        settings : DeviceSettings
            Drivers, and the kinds of devices that are whole GPUs.
        notes : Notes
            Told what the data leaves open.

        Returns
        -------
        PodClaims
            Ready to be asked.
        """
        partial = {
            device_id(item.spec.driver, item.spec.pool.name, device.name)
            for item in state.of(ResourceSlice).values()
            for device in item.spec.devices
            for name in settings.type_attributes
            if name in device.attributes and not set(device.attributes[name].texts) & set(settings.gpu_types)
        }
        return cls(
            state.of(ResourceClaim),
            state.of(ResourceClaimTemplate),
            frozenset(partial),
            bool(state.of(ResourceSlice)),
            settings,
            notes,
        )

    def held(self, pod: Pod) -> Claimed:
        """Return the GPUs that a running pod was given.

        Parameters
        ----------
        pod : Pod
            A running pod.

        Returns
        -------
        Claimed
            None at all if it has no claims, or none of GPUs.

        Raises
        ------
        InstanceError
            Slices are there, but a claim of the pod is not: its GPUs would look free.
        """
        ids: list[str] = []
        for reference in pod.spec.resource_claims:
            made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses}
            name = reference.resource_claim_name or made.get(reference.name)
            claim = self.claims.get(f"{pod.metadata.namespace}/{name}") if name else None
            if claim is None and self.has_slices:
                # Its GPUs would look free.
                expected = "a ResourceClaim among the objects (kubectl get resourceclaims --all-namespaces)"
                raise pod.mistake("spec.resourceClaims", name or reference.name, expected)
            if claim is None:
                self.notes.of(pod.key, "Pods with claims that are not in the data: their devices are not counted.")
            elif claim.status.allocation is None:
                self.notes.of(pod.key, "Running pods with claims that are not allocated: nothing is counted for them.")
            else:
                for result in claim.status.allocation.devices.results:
                    if result.driver in self.settings.gpu_drivers and not result.admin_access:
                        ids.append(device_id(result.driver, result.pool, result.device))
        parts = [name for name in ids if name in self.partial]
        if parts:
            self.notes.of(pod.key, "Pods with devices that are no whole GPUs (MIG, VFIO): these are not counted.")
        whole = tuple(dict.fromkeys(name for name in ids if name not in self.partial))
        return Claimed(len(whole), whole)

    def asked(self, pod: Pod) -> list[ClaimSpec]:
        """Return what the claims of a waiting pod ask for.

        Parameters
        ----------
        pod : Pod
            A waiting pod.

        Returns
        -------
        list of ClaimSpec
            One a claim, in the pod's order.

        Raises
        ------
        InstanceError
            A claim or template that is not in the data.
        """
        found: list[ClaimSpec] = []
        for index, reference in enumerate(pod.spec.resource_claims):
            space = pod.metadata.namespace
            made = {status.name: status.resource_claim_name for status in pod.status.resource_claim_statuses}
            name = reference.resource_claim_name or made.get(reference.name)
            claim = self.claims.get(f"{space}/{name}") if name else None
            template = self.templates.get(f"{space}/{reference.resource_claim_template_name}")
            if claim is not None:
                found.append(claim.spec)
            elif template is not None:
                found.append(template.spec.spec)
            else:
                missing = name or reference.resource_claim_template_name or reference.name
                expected = "a ResourceClaim or ResourceClaimTemplate among the objects"
                raise pod.mistake(f"spec.resourceClaims[{index}]", missing, expected)
        return found

    def of_gpus(self, spec: ClaimSpec) -> list[DeviceRequest]:
        """Return the requests of a claim that ask for GPUs.

        Parameters
        ----------
        spec : ClaimSpec
            What a claim asks for.

        Returns
        -------
        list of DeviceRequest
            Those whose device class is named like a GPU driver; administrative access takes nothing.
        """
        return [
            request
            for request in spec.devices.requests
            if request.asked.device_class_name in (*self.settings.gpu_drivers, *self.settings.gpu_classes)
            and not request.asked.admin_access
        ]
