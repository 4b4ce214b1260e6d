"""hwloc XML (``lstopo --of xml``) as a reading: packages, NUMA nodes, PCIe tree, GPUs and their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..plain_text import refusal
from .bridges import near_by_class, path_class, path_classes, roots_of, shared_switches
from .hwloc_links import read_links
from .reading import NicReading, TopologyReading
from .xml_tree import Element

# The index that the driver's own library gives a GPU, surest first.
_INDEXED = (re.compile(r"nvml(\d+)"), re.compile(r"rsmi(\d+)"), re.compile(r"ze(\d+)"), re.compile(r"cuda(\d+)"))
_GPU_CLASS = re.compile(r"(03|12)[0-9a-fA-F]{2}")
_GPU_VENDORS = ("10de", "1002")
_SET_WORD = re.compile(r"(0x)?[0-9a-fA-F]{0,8}")


@dataclass(frozen=True)
class Device:
    """A PCI device and where it hangs.

    Attributes
    ----------
    element : Element
        Its ``object`` element.
    path : tuple of str
        The bridges above it below the host bridge, broadest first.
    numa : tuple of int
        The NUMA nodes near it.
    package : int or None
        The CPU package that it hangs on.
    """

    element: Element
    path: tuple[str, ...]
    numa: tuple[int, ...]
    package: int | None

    def names(self) -> list[str]:
        """Return the names of the devices that the system makes of it."""
        return [child.get("name") for child in self.element.named("object") if child.get("type") == "OSDev"]

    def info(self, name: str) -> str | None:
        """Return a fact that is stated of it or of one of its system devices."""
        owners = [self.element, *self.element.named("object")]
        facts = (fact for owner in owners for fact in owner.named("info") if fact.get("name") == name)
        return next((fact.get("value") for fact in facts if fact.get("value")), None)


def read_hwloc(root: Element, *, source: str) -> TopologyReading:
    """Return what a hwloc XML file says.

    Parameters
    ----------
    root : Element
        Its ``topology`` element.
    source : str
        The file's name, for messages.

    Returns
    -------
    TopologyReading
        One machine.

    Raises
    ------
    InstanceError
        No GPU, or a damaged or contradictory file.
    """
    devices = list(_devices(root, (), (), None, source))
    notes: list[str] = []
    gpus = _gpus(devices, notes, source)
    if not gpus:
        raise refusal(
            source, f"line {root.line}", "no GPU", "at least one PCIDev of a GPU; I/O may have been filtered out"
        )
    numa = [device.numa[0] if len(device.numa) == 1 else None for device in gpus]
    paths = [device.path for device in gpus]
    links, switched = read_links(root, [device.element for device in gpus], notes, source)
    return TopologyReading(
        tool="hwloc",
        gpus=len(gpus),
        classes=path_classes(paths, numa),
        links=links,
        numa=tuple(device.numa for device in gpus),
        cpus=(None,) * len(gpus),
        sockets=tuple(device.package for device in gpus),
        switches=shared_switches(paths),
        roots=roots_of(paths),
        models=tuple(device.info("GPUModel") for device in gpus),
        nics=tuple(_nics(devices, gpus)),
        all_to_all=switched,
        cpus_by_numa=_cpus_by_numa(root, source),
        memory_by_numa=_memory_by_numa(root, source),
        notes=tuple(notes),
    )


def _devices(
    parent: Element, path: tuple[str, ...], numa: tuple[int, ...], package: int | None, source: str
) -> Iterator[Device]:
    for element in parent.named("object"):
        kind = element.get("type")
        where = f"line {element.line}, {kind}"
        below, near, socket = path, numa, package
        if kind in ("Package", "Socket"):
            socket = _whole_number(element, "os_index", source)
        if element.get("nodeset"):
            near = bits(element.get("nodeset"), source=source, where=where)
        elif kind in ("NUMANode", "Node") and element.get("os_index"):
            near = (_whole_number(element, "os_index", source),)
        if kind == "Bridge":
            below = (*path, element.get("gp_index") or f"line {element.line}") if _is_pci_bridge(element) else ()
        if kind == "PCIDev":
            yield Device(element, path, near, socket)
        yield from _devices(element, below, near, socket, source)


def _is_pci_bridge(element: Element) -> bool:
    # A bridge from the host (type 0-1) is the host bridge, and what it joins is not one PCIe tree.
    return not element.get("bridge_type").startswith("0-")


def _gpus(devices: list[Device], notes: list[str], source: str) -> list[Device]:
    for pattern in _INDEXED:
        indexed: dict[int, Device] = {}
        for device in devices:
            found = next((match for name in device.names() if (match := pattern.fullmatch(name))), None)
            if found and int(found[1]) in indexed:
                raise refusal(source, f"line {device.element.line}, PCIDev", found[0], "each index once")
            if found:
                indexed[int(found[1])] = device
        if indexed and sorted(indexed) != list(range(len(indexed))):
            raise refusal(source, "OSDev", str(sorted(indexed))[:60], "GPU indices from 0 without gaps")
        if indexed:
            return [indexed[index] for index in sorted(indexed)]
    found_by_class = [device for device in devices if _looks_like_gpu(device.element)]
    if found_by_class:
        notes.append("No driver library numbers the GPUs: slots follow the order of bus ids.")
    return sorted(found_by_class, key=lambda device: device.element.get("pci_busid"))


def _looks_like_gpu(element: Element) -> bool:
    kind = re.match(r"([0-9a-fA-F]{4}) \[([0-9a-fA-F]{4}):", element.get("pci_type"))
    return bool(kind and _GPU_CLASS.fullmatch(kind[1]) and kind[2].lower() in _GPU_VENDORS)


def _nics(devices: list[Device], gpus: list[Device]) -> Iterator[NicReading]:
    for device in devices:
        if device.element.get("pci_type").startswith("02"):
            words = {
                slot: path_class(device.path, gpu.path, same_numa=len(gpu.numa) == 1 and device.numa == gpu.numa)
                for slot, gpu in enumerate(gpus)
            }
            name = device.element.get("pci_busid") or f"line {device.element.line}"
            yield NicReading(name, ", ".join(filter(None, device.names())) or None, near_by_class(words))


def _cpus_by_numa(root: Element, source: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for element in _all(root):
        if element.get("type") == "PU":
            nodes = bits(element.get("nodeset") or "0x0", source=source, where=f"line {element.line}, PU")
            if len(nodes) == 1:
                found[nodes[0]] = found.get(nodes[0], 0) + 1
    return dict(sorted(found.items()))


def _memory_by_numa(root: Element, source: str) -> dict[int, float]:
    found: dict[int, float] = {}
    for element in _all(root):
        if element.get("type") in ("NUMANode", "Node") and element.get("local_memory"):
            node = _whole_number(element, "os_index", source)
            found[node] = round(_whole_number(element, "local_memory", source) / 2**30, 3)
    return dict(sorted(found.items()))


def _all(element: Element) -> Iterator[Element]:
    yield element
    for child in element.named("object"):
        yield from _all(child)


def _whole_number(element: Element, name: str, source: str) -> int:
    word = element.get(name)
    where = f"line {element.line}, {element.get('type')}"
    if not re.fullmatch(r"\d{1,18}", word):
        raise refusal(source, where, f"{name}={word!r}", "a whole number")
    return int(word)


def bits(mask: str, *, source: str, where: str) -> tuple[int, ...]:
    """Return the numbers in one of hwloc's sets.

    Parameters
    ----------
    mask : str
        Hexadecimal words of 32 bits, highest first, an empty word for zero: ``0x00000303,,0x0``.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    tuple of int
        In increasing order; empty for an infinite set.

    Raises
    ------
    InstanceError
        No such set.
    """
    words = mask.split(",")
    if words[0] == "0xf...f":
        return ()
    if len(words) > 1024 or not all(_SET_WORD.fullmatch(word) for word in words):
        raise refusal(source, where, repr(mask[:40]), "a set of hexadecimal words")
    value = 0
    for word in words:
        digits = word.removeprefix("0x")
        value = value << 32 | (int(digits, 16) if digits else 0)
    return tuple(bit for bit in range(value.bit_length()) if value >> bit & 1)
