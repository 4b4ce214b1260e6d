"""The GPUs of a node as Koordinator's Device object lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .device_settings import DeviceSettings
from .inventory import Gpu, Inventory
from .names import bus_id, json_of, numa_name
from .settings import first_of
from .topology_objects import Device, DeviceInfo


def inventory_of(device: Device, settings: DeviceSettings, levels: tuple[str, str, str]) -> Inventory:
    """Return the GPUs that a Koordinator Device lists.

    Parameters
    ----------
    device : Device
        The object, named after its node.
    settings : DeviceSettings
        Kinds of devices that are GPUs, names of labels and annotations.
    levels : tuple of str
        The names of the levels of NUMA nodes, PCIe root complexes and sockets.

    Returns
    -------
    Inventory
        In the order of the minor numbers.

    Raises
    ------
    InstanceError
        A GPU without a minor number or with another's, a table of partitions that cannot be read.
    """
    gpus = [info for info in device.spec.devices if info.type in settings.gpu_types]
    for index, info in enumerate(gpus):
        if info.minor is None:
            raise device.mistake(f"spec.devices[{index}].minor", None, "the minor number of the GPU")
    numbers = [info.minor for info in gpus]
    if len(set(numbers)) < len(numbers):
        raise device.mistake("spec.devices", numbers, "each minor number once")
    gpus.sort(key=lambda info: info.minor or 0)
    model = first_of(settings.model_labels, device.metadata.labels)
    inventory = Inventory(
        "its Koordinator Device", tuple(_of_info(info, model[1] if model else None, levels) for info in gpus)
    )
    slots = {info.minor: slot for slot, info in enumerate(gpus)}
    return replace(inventory, blocks=_annotated_blocks(device, settings, slots))


def _of_info(info: DeviceInfo, model: str | None, levels: tuple[str, str, str]) -> Gpu:
    numa, pcie, socket = levels
    place = info.topology
    domains = {}
    if place is not None and place.node_id >= 0:
        domains[numa] = numa_name(str(place.node_id))
    if place is not None and place.pcie_id:
        domains[pcie] = place.pcie_id
    if place is not None and place.socket_id >= 0:
        domains[socket] = f"s{place.socket_id}"
    ids = (info.id, bus_id(place.bus_id) if place is not None else "", str(info.minor))
    return Gpu(tuple(filter(None, ids)), info.minor, model, domains, info.is_healthy)


def _annotated_blocks(
    device: Device, settings: DeviceSettings, slots: Mapping[int | None, int]
) -> tuple[tuple[int, ...], ...]:
    found = first_of(settings.partition_annotations, device.metadata.annotations)
    if found is None:
        return ()
    field = f"metadata.annotations[{found[0]!r}]"
    tables = json_of(found[1])
    if not isinstance(tables, dict):
        raise device.mistake(field, found[1], 'JSON such as {"2": [{"minors": [0, 1]}]}')
    blocks: set[tuple[int, ...]] = set()
    for table in tables.values():
        for entry in table if isinstance(table, list) else [table]:
            minors = entry.get("minors") if isinstance(entry, dict) else None
            if not isinstance(minors, list) or not minors or not all(type(minor) is int for minor in minors):
                raise device.mistake(field, entry, 'entries with a list of "minors"')
            if all(minor in slots for minor in minors):
                blocks.add(tuple(sorted({slots[minor] for minor in minors})))
    return tuple(sorted(blocks, key=lambda block: (len(block), block)))
