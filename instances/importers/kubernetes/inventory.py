"""Which GPUs a node has, one by one, where the data names them: resource slices, Koordinator devices, GPU listings."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .device_objects import OfferedDevice, ResourceSlice
from .notes import Notes
from .quantities import count_in
from .settings import DeviceSettings, first_of
from .state import State
from .topology_objects import Device, DeviceInfo

HARD_TAINTS: Final = ("NoSchedule", "NoExecute")
_BUS: Final = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")


@dataclass(frozen=True)
class Gpu:
    """A GPU of a node.

    Attributes
    ----------
    ids : tuple of str
        All that it may be called by: UUID, PCI address, ``driver/pool/device``, index.
    number : int or None
        The number in its name or its index, if it has one.
    model : str or None
        Its model.
    domains : mapping
        Level to domain, as far as the data says.
    is_healthy : bool
        Whether it may serve anyone.
    """

    ids: tuple[str, ...]
    number: int | None
    model: str | None = None
    domains: Mapping[str, str] = field(default_factory=dict)
    is_healthy: bool = True


@dataclass(frozen=True)
class Inventory:
    """The GPUs of a node in slot order.

    Attributes
    ----------
    source : str
        What it was read from, for messages.
    gpus : tuple of Gpu
        Slot i is the i-th.
    blocks : tuple of tuple of int
        Aligned blocks of slots.
    is_claimable : bool
        Whether claims can be given these GPUs.
    """

    source: str
    gpus: tuple[Gpu, ...]
    blocks: tuple[tuple[int, ...], ...] = ()
    is_claimable: bool = False

    def slot_of(self) -> dict[str, int]:
        """Return the slot of every name that a GPU has; a name of several GPUs is left out.

        Returns
        -------
        dict
            Name to slot.
        """
        slots: dict[str, int] = {}
        twice: set[str] = set()
        for slot, gpu in enumerate(self.gpus):
            for name in gpu.ids:
                if name in slots:
                    twice.add(name)
                slots[name] = slot
        return {name: slot for name, slot in slots.items() if name not in twice}


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
        name: _of_device(device, settings, levels)
        for name, device in state.of(Device).items()
        if any(info.type in settings.gpu_types for info in device.spec.devices)
    }
    return found | _of_slices(_current(state.of(ResourceSlice).values(), settings, notes), settings, levels, notes)


def _current(slices: Iterable[ResourceSlice], settings: DeviceSettings, notes: Notes) -> dict[str, list[ResourceSlice]]:
    """Return the slices of GPU drivers by node, of every pool only those of its newest generation."""
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


def _of_slices(
    nodes: Mapping[str, list[ResourceSlice]], settings: DeviceSettings, levels: tuple[str, str, str], notes: Notes
) -> dict[str, Inventory]:
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


def _of_device(device: Device, settings: DeviceSettings, levels: tuple[str, str, str]) -> Inventory:
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


def json_of(text: str) -> Any:
    """Return what an annotation's JSON says.

    Parameters
    ----------
    text : str
        The annotation.

    Returns
    -------
    Any
        Its data; None if it is no JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def device_id(driver: str, pool: str, device: str) -> str:
    """Return the full name of a device of a slice.

    Parameters
    ----------
    driver, pool, device : str
        As slices and claims have them.

    Returns
    -------
    str
        ``driver/pool/device``.
    """
    return f"{driver}/{pool}/{device}"


def bus_id(text: str) -> str:
    """Return a PCI address in one spelling, whatever tool printed it.

    Parameters
    ----------
    text : str
        Such as ``00000000:1B:00.0``.

    Returns
    -------
    str
        Such as ``0000:1b:00.0``; a text of another form as it is.
    """
    match = _BUS.fullmatch(text.strip().lower())
    return f"{int(match[1] or '0', 16):04x}:{match[2]}" if match else text


def numa_name(number: str) -> str:
    """Return the name of the domain of a NUMA node, the one that our readers of machines use as well.

    Parameters
    ----------
    number : str
        ``3``, or a zone's name such as ``node-3``.

    Returns
    -------
    str
        ``n3``; a text without a number at its end as it is.
    """
    found = trailing_number(number)
    return number if found is None else f"n{found}"


def trailing_number(text: str) -> int | None:
    """Return the number at the end of a name.

    Parameters
    ----------
    text : str
        Such as ``gpu-12``.

    Returns
    -------
    int or None
        None if there is none.
    """
    match = re.search(r"([0-9]{1,9})$", text)
    return int(match[1]) if match else None


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts ``gpu-2`` before ``gpu-10``.

    Parameters
    ----------
    text : str
        A name.

    Returns
    -------
    tuple
        Comparable with those of other names.
    """
    parts = re.split(r"([0-9]+)", text)
    return tuple(
        (0, int(part[:18]), part) if part[:1].isdecimal() and part.isascii() else (1, 0, part) for part in parts
    )
