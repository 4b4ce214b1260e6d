"""The GPUs of nodes as resource slices offer them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from ..notes import Notes
from .device_objects import OfferedDevice, ResourceSlice
from .device_settings import DeviceSettings
from .inventory import Gpu, Inventory
from .names import bus_id, device_id, natural, numa_name, trailing_number
from .quantities import count_in

HARD_TAINTS: Final = ("NoSchedule", "NoExecute")


def current_slices(
    slices: Iterable[ResourceSlice], settings: DeviceSettings, notes: Notes
) -> dict[str, list[ResourceSlice]]:
    """Return the slices of GPU drivers, of every pool only those of its newest generation.

    Parameters
    ----------
    slices : iterable of ResourceSlice
        All of them.
    settings : DeviceSettings
        Drivers whose devices are GPUs.
    notes : Notes
        Told what is missing or passed over.

    Returns
    -------
    dict
        Node to slices.
    """
    pools: dict[tuple[str, str], list[ResourceSlice]] = defaultdict(list)
    for item in slices:
        if item.spec.driver not in settings.gpu_drivers:
            continue
        if item.spec.node_name is None:
            notes.of(item.key, "Resource slices that belong to no single node are passed over.")
        else:
            pools[item.spec.driver, item.spec.pool.name].append(item)
    nodes: dict[str, list[ResourceSlice]] = defaultdict(list)
    for (_, pool), members in sorted(pools.items()):
        newest = max(member.spec.pool.generation for member in members)
        current = [member for member in members if member.spec.pool.generation == newest]
        if len(current) < max(member.spec.pool.resource_slice_count for member in current):
            notes.of(pool, "Pools of devices of which not all resource slices are in the data: GPUs may be missing.")
        for member in current:
            nodes[member.spec.node_name or ""].append(member)
    return nodes


def slice_inventories(
    nodes: Mapping[str, list[ResourceSlice]], settings: DeviceSettings, levels: tuple[str, str, str], notes: Notes
) -> dict[str, Inventory]:
    """Return the GPUs that slices offer.

    Parameters
    ----------
    nodes : mapping
        Node to its slices.
    settings : DeviceSettings
        Names of attributes, and the kinds of devices that are whole GPUs.
    levels : tuple of str
        The names of the levels of NUMA nodes, PCIe root complexes and sockets.
    notes : Notes
        Told what was passed over.

    Returns
    -------
    dict
        Node to inventory; GPUs in the natural order of their names.
    """
    found: dict[str, Inventory] = {}
    for node, slices in sorted(nodes.items()):
        offered: list[tuple[ResourceSlice, OfferedDevice]] = []
        for item in slices:
            for device in item.spec.devices:
                kind = _attribute(device, settings.type_attributes)
                if kind is None or kind in settings.gpu_types:
                    offered.append((item, device))
                else:
                    notes.of(f"{node}/{device.name}", "Devices that are no whole GPUs (MIG, VFIO) are passed over.")
        if offered:
            offered.sort(key=lambda pair: (pair[0].spec.driver, pair[0].spec.pool.name, natural(pair[1].name)))
            gpus = tuple(_of_offered(item, device, settings, levels) for item, device in offered)
            blocks = _partitions([device for _, device in offered], settings)
            found[node] = Inventory("its ResourceSlices", gpus, blocks, is_claimable=True)
    return found


def _of_offered(
    item: ResourceSlice, device: OfferedDevice, settings: DeviceSettings, levels: tuple[str, str, str]
) -> Gpu:
    numa, pcie, _ = levels
    uuid = _attribute(device, settings.uuid_attributes)
    bus = _attribute(device, settings.bus_attributes)
    node = _attribute(device, settings.numa_attributes)
    root = _attribute(device, settings.pcie_attributes)
    domains = {}
    if node is not None and node != "-1":
        domains[numa] = numa_name(node)
    if root:
        domains[pcie] = root
    name = device_id(item.spec.driver, item.spec.pool.name, device.name)
    return Gpu(
        ids=tuple(filter(None, (name, uuid, bus and bus_id(bus)))),
        number=trailing_number(device.name),
        model=_attribute(device, settings.model_attributes),
        domains=domains,
        is_healthy=not any(taint.effect in HARD_TAINTS for taint in device.taints),
    )


def _partitions(devices: list[OfferedDevice], settings: DeviceSettings) -> tuple[tuple[int, ...], ...]:
    blocks: dict[tuple[int, str], list[int]] = defaultdict(list)
    for slot, device in enumerate(devices):
        for name, attribute in device.attributes.items():
            for beginning in settings.partition_attributes:
                word = name.rpartition("/")[2]
                size = count_in(word.removeprefix(beginning), 1, 4096) if word.startswith(beginning) else None
                for value in attribute.texts if size is not None else ():
                    blocks[size or 0, value].append(slot)
    return tuple(tuple(slots) for (size, _), slots in sorted(blocks.items()) if len(slots) == size)


def _attribute(device: OfferedDevice, names: tuple[str, ...]) -> str | None:
    """Return the single value of the first attribute that is there; several values say nothing certain."""
    for name in names:
        found = device.attributes.get(name)
        if found is not None and found.texts:
            return found.texts[0] if len(found.texts) == 1 else None
    return None
