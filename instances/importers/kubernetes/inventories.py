"""Which nodes say what single GPUs they have, and which of their objects is believed."""

from __future__ import annotations

from ..notes import Notes
from .device_objects import ResourceSlice
from .device_settings import DeviceSettings
from .inventory import Inventory
from .koordinator import inventory_of
from .slices import current_slices, slice_inventories
from .state import State
from .topology_objects import Device


def inventories(
    state: State, settings: DeviceSettings, levels: tuple[str, str, str], notes: Notes
) -> dict[str, Inventory]:
    """Return what the objects say about the single GPUs of nodes.

    Parameters
    ----------
    state : State
        All objects.
    settings : DeviceSettings
        Drivers and attribute names.
    levels : tuple of str
        The names of the levels of NUMA nodes, PCIe root complexes and sockets.
    notes : Notes
        Told what was passed over.

    Returns
    -------
    dict
        Node to inventory; resource slices are preferred to Koordinator's devices.
    """
    found = {
        name: inventory_of(device, settings, levels)
        for name, device in state.of(Device).items()
        if any(info.type in settings.gpu_types for info in device.spec.devices)
    }
    return found | slice_inventories(
        current_slices(state.of(ResourceSlice).values(), settings, notes), settings, levels, notes
    )
