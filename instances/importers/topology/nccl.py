"""NCCL and RCCL topology XML (``NCCL_TOPO_FILE``, ``NCCL_TOPO_DUMP_FILE``) as a reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..plain_text import refusal
from .bridges import near_by_class, path_class, path_classes, roots_of, shared_switches
from .reading import DirectLink, NicReading, Pair, TopologyReading
from .xml_tree import Element

_BUS = re.compile(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]{1,2}")
_BRIDGE = ("0x0604",)
_GPU = ("0x03", "0x12")
_NIC = ("0x02",)
_LINK_SWITCH = "0x0680"
_CPU = "0x068001"


@dataclass(frozen=True)
class _Device:
    element: Element
    bus: str
    path: tuple[str, ...]
    numa: int
    affinity: str | None

    @property
    def gpu(self) -> Element | None:
        """Its ``gpu`` element."""
        return next(self.element.named("gpu"), None)


def read_nccl(root: Element, *, source: str, gpu_buses: tuple[str, ...] = ()) -> TopologyReading:
    """Return what a NCCL topology file says.

    Parameters
    ----------
    root : Element
        Its ``system`` element.
    source : str
        The file's name, for messages.
    gpu_buses : tuple of str
        Shell patterns of bus ids that are GPUs, for files that give no class.

    Returns
    -------
    TopologyReading
        One machine. Without ``gpu`` elements slots follow the order of bus ids, as the driver numbers GPUs.

    Raises
    ------
    InstanceError
        No topology of one machine, or a damaged or contradictory one.
    """
    if root.tag != "system":
        raise refusal(source, f"line {root.line}", f"<{root.tag}>", "<system>, a NCCL topology (not a graph)")
    hosts = {cpu.get("host_hash") for cpu in root.named("cpu")}
    if len(hosts) > 1:
        raise refusal(source, f"line {root.line}", f"{len(hosts)} hosts", "the topology of one machine")
    devices = [device for cpu in root.named("cpu") for device in _of_cpu(cpu, source)]
    _check_buses(devices, source)
    notes: list[str] = []
    gpus = _in_order(list(_gpus(devices, gpu_buses, source)), notes, source)
    if not gpus:
        raise refusal(source, f"line {root.line}", "no GPU", "at least one pci element of a GPU")
    numa = [device.numa for device in gpus]
    paths = [device.path for device in gpus]
    links, switched = _links(gpus, notes, source)
    if not links and len(gpus) > 1:
        notes.append("The file states no links between GPUs and none were imported.")
    return TopologyReading(
        tool="nccl",
        gpus=len(gpus),
        classes=path_classes(paths, [node if node >= 0 else None for node in numa]),
        links=links,
        numa=tuple((node,) if node >= 0 else () for node in numa),
        cpus=tuple(device.affinity for device in gpus),
        switches=shared_switches(paths),
        roots=roots_of(paths),
        nics=tuple(_nics(devices, gpus)),
        all_to_all=switched,
        notes=tuple(notes),
    )


def _of_cpu(cpu: Element, source: str) -> Iterator[_Device]:
    where = f"line {cpu.line}, cpu"
    if not re.fullmatch(r"-1|\d{1,6}", cpu.get("numaid")):
        raise refusal(source, where, f"numaid={cpu.get('numaid')!r}", "the number of a NUMA node")
    mask = cpu.get("affinity")
    if mask and not re.fullmatch(r"[0-9a-fA-F]{1,8}(,[0-9a-fA-F]{1,8})*", mask):
        raise refusal(source, where, f"affinity={mask[:40]!r}", "a mask of hexadecimal words")
    affinity = mask if mask.strip("0,") else None

    def below(parent: Element, path: tuple[str, ...]) -> Iterator[_Device]:
        for pci in parent.named("pci"):
            bus = pci.get("busid").lower()
            if not _BUS.fullmatch(bus):
                raise refusal(source, f"line {pci.line}, pci", f"busid={bus!r}", "a bus id such as 0000:1b:00.0")
            yield _Device(pci, bus, path, int(cpu.get("numaid")), affinity)
            yield from below(pci, (*path, bus))

    yield from below(cpu, ())


def _check_buses(devices: list[_Device], source: str) -> None:
    seen: dict[str, int] = {}
    for device in devices:
        if device.bus in seen:
            expected = f"a bus id of its own; line {seen[device.bus]} has it too"
            raise refusal(source, f"line {device.element.line}, pci", device.bus, expected)
        seen[device.bus] = device.element.line


def _gpus(devices: list[_Device], gpu_buses: tuple[str, ...], source: str) -> Iterator[_Device]:
    if gpu_buses:
        yield from (d for d in devices if any(fnmatchcase(d.bus, pattern.lower()) for pattern in gpu_buses))
        return
    if any(device.gpu is not None for device in devices):
        yield from (device for device in devices if device.gpu is not None)
        return
    for device in devices:
        kind = device.element.get("class").lower()
        if kind.startswith(_GPU):
            yield device
        elif not kind and not any(device.element.named("pci")) and not any(device.element.named("nic")):
            expected = "a class, without which a GPU cannot be told from a network card; or name the GPUs by bus id"
            raise refusal(source, f"line {device.element.line}, pci {device.bus}", "", expected)


def _in_order(gpus: list[_Device], notes: list[str], source: str) -> list[_Device]:
    elements = [gpu for device in gpus if (gpu := device.gpu) is not None]
    if len(elements) != len(gpus) or not gpus:
        notes.append("The file does not number its GPUs: slots follow the order of bus ids.")
        return sorted(gpus, key=lambda device: device.bus)
    numbered: dict[int, _Device] = {}
    for device, gpu in zip(gpus, elements, strict=True):
        word = gpu.get("dev")
        where = f"line {gpu.line}, gpu {device.bus}"
        if not re.fullmatch(r"\d{1,4}", word) or int(word) in numbered or int(word) >= len(gpus):
            raise refusal(source, where, f"dev={word!r}", f"each number of 0..{len(gpus) - 1} once")
        numbered[int(word)] = device
    return [numbered[number] for number in sorted(numbered)]


def _links(gpus: list[_Device], notes: list[str], source: str) -> tuple[dict[Pair, DirectLink], bool]:
    slots = {device.bus: slot for slot, device in enumerate(gpus)}
    stated: dict[tuple[int, int], tuple[DirectLink, int]] = {}
    to_switch: dict[int, int] = {}
    for slot, device in enumerate(gpus):
        for link in _link_elements(device):
            where = f"line {link.line}, {link.tag} of {device.bus}"
            target = link.get("target").lower()
            count = int(link.get("count")) if re.fullmatch(r"[1-9]\d{0,3}", link.get("count")) else 0
            if not count:
                raise refusal(source, where, f"count={link.get('count')!r}", "a number above 0")
            kind = link.get("tclass").lower()
            if target == device.bus:
                notes.append(f"A link of GPU {slot} points to itself: its partner is unknown, no link was imported.")
            elif kind.startswith(_CPU):
                notes.append(f"A link of GPU {slot} goes to a CPU and was left out.")
            elif kind.startswith(_LINK_SWITCH):
                to_switch[slot] = to_switch.get(slot, 0) + count
            elif target not in slots:
                notes.append(f"A link of GPU {slot} goes to {target}, which the file does not list: left out.")
            elif (slot, slots[target]) in stated:
                raise refusal(source, where, target, "each target once")
            else:
                stated[slot, slots[target]] = (DirectLink(link.tag, count), link.line)
    for (first, second), (direct, line) in stated.items():
        back = stated.get((second, first))
        if back is None or back[0] != direct:
            found = "none" if back is None else f"{back[0].kind} x {back[0].count} in line {back[1]}"
            where = f"line {line}, {direct.kind} of {gpus[first].bus}"
            expected = f"the same link back from {gpus[second].bus} ({found} stated)"
            raise refusal(source, where, f"{direct.kind} x {direct.count} to {gpus[second].bus}", expected)
    links = {pair: direct for pair, (direct, _) in stated.items() if pair[0] < pair[1]}
    for first in sorted(to_switch):
        for second in sorted(to_switch):
            if first < second:
                links[first, second] = DirectLink("nvlink", min(to_switch[first], to_switch[second]))
    return links, len(to_switch) == len(gpus) > 1


def _link_elements(device: _Device) -> Iterator[Element]:
    # Version 1 files hang links below gpu, some tools below pci.
    for parent in (device.element, *device.element.named("gpu")):
        yield from (child for child in parent.children if child.tag in ("nvlink", "xgmi"))


def _nics(devices: list[_Device], gpus: list[_Device]) -> Iterator[NicReading]:
    for device in devices:
        cards = [net.get("name") for nic in device.element.named("nic") for net in nic.named("net")]
        if not cards and not device.element.get("class").lower().startswith(_NIC):
            continue
        words = {
            slot: path_class(device.path, gpu.path, same_numa=device.numa == gpu.numa) for slot, gpu in enumerate(gpus)
        }
        yield NicReading(device.bus, ", ".join(name for name in cards if name) or None, near_by_class(words))
