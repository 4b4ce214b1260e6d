"""From a reading to a machine: domains at named levels, links, resources; everything assumed is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .options import CPU_SET, HOST_BRIDGE, KINDS, NUMA, PCIE_ROOT, SOCKET, SWITCH, MachineOptions
from .reading import TopologyReading

Domains = dict[str, list[int]]


def machine_fields(reading: TopologyReading, options: MachineOptions) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the machine that a reading describes.

    Parameters
    ----------
    reading : TopologyReading
        What a tool said.
    options : MachineOptions
        How to write it.

    Returns
    -------
    fields : dict
        A machine's fields as in an instance file.
    levels : list of str
        The levels below node that it uses, broadest first.
    notes : list of str
        What was assumed or left out, one sentence each.
    """
    notes = list(reading.notes)
    fields: dict[str, Any] = {"gpus": reading.gpus}
    model = options.gpu_model or _models(reading, notes)
    if model:
        fields["gpu_model"] = model
    domains: dict[str, Domains] = {}
    for kind in KINDS:
        found = _FINDERS[kind](reading, notes)
        if found and options.name_of(kind):
            domains[options.name_of(kind)] = found
    if domains:
        fields["domains"] = domains
    links = [
        {"gpus": list(pair), "kind": link.kind, "count": link.count}
        for pair, link in sorted((reading.links or {}).items())
    ]
    links += [
        {"gpus": list(pair), "kind": word.lower()}
        for pair, word in sorted(reading.classes.items())
        if word in options.path_links
    ]
    if links:
        fields["links"] = links
    if reading.all_to_all:
        fields["fully_linked"] = True
        notes.append("Every pair is linked through a switch of links: fully_linked.")
    _add_resources(fields, reading, options)
    return fields, list(domains), notes


def _models(reading: TopologyReading, notes: list[str]) -> str | list[str] | None:
    known = [model for model in reading.models if model is not None]
    if not known:
        return None
    if len(known) < reading.gpus:
        notes.append("The model of some GPUs is not told: none was imported.")
        return None
    return known[0] if len(set(known)) == 1 else known


def _sockets(reading: TopologyReading, notes: list[str]) -> Domains | None:
    if reading.sockets and None not in reading.sockets:
        return _named(reading.sockets, lambda package: f"s{package}")
    if "SOC" in reading.classes.values() and len(reading.classes) == len(reading.pairs):
        # Old drivers print SOC for a path across sockets, so what is not SOC is one socket.
        groups = reading.partition("NODE")
        return {f"s{number}": group for number, group in enumerate(groups)}
    if any(package is not None for package in reading.sockets):
        notes.append("The CPU package of some GPUs is not told: level socket left out.")
    return None


def _numa(reading: TopologyReading, notes: list[str]) -> Domains | None:
    groups = reading.numa_groups
    if groups is None:
        several = [slot for slot, nodes in enumerate(reading.numa) if len(nodes) > 1]
        if several:
            nodes = ", ".join(map(str, reading.numa[several[0]]))
            notes.append(f"GPU {several[0]} is near several NUMA nodes ({nodes}): level numa left out.")
        else:
            notes.append("NUMA nodes are not told for all GPUs: level numa left out.")
        return None
    domains = {f"n{node}": slots for node, slots in groups.items()}
    for node in sorted({*reading.cpus_by_numa, *reading.memory_by_numa}):
        domains.setdefault(f"n{node}", [])
    return dict(sorted(domains.items(), key=lambda item: int(item[0][1:])))


def _cpu_sets(reading: TopologyReading, notes: list[str]) -> Domains | None:
    groups = reading.cpu_groups
    if reading.numa_groups is not None or groups is None:
        return None
    notes.append("Level cpu-set: GPUs of equal CPU affinity.")
    return dict(groups)


def _host_bridges(reading: TopologyReading, notes: list[str]) -> Domains | None:
    if "PHB" not in reading.classes.values():
        return None
    return {f"hb{number}": group for number, group in enumerate(reading.partition("PHB"))}


def _pcie_roots(reading: TopologyReading, notes: list[str]) -> Domains | None:
    if reading.roots:
        groups = _grouped(reading.roots)
        informative = groups != _grouped(reading.switches)
    else:
        groups = reading.partition("PXB")
        informative = {"PIX", "PXB"} <= set(reading.classes.values())
    return {f"root{number}": group for number, group in enumerate(groups)} if informative else None


def _switches(reading: TopologyReading, notes: list[str]) -> Domains | None:
    if reading.switches:
        groups = _grouped(reading.switches)
    else:
        hidden = len(reading.pairs) - len(reading.classes)
        shown = {"PIX", "PXB"} & set(reading.classes.values())
        if not reading.pairs or (hidden and not shown):
            return None
        groups = reading.partition(reading.nearest_class)
        if hidden:
            notes.append(f"The PCIe path of {hidden} linked pairs is not shown: they count as not behind one switch.")
    return {f"sw{number}": group for number, group in enumerate(groups)}


_FINDERS: Final[Mapping[str, Callable[[TopologyReading, list[str]], Domains | None]]] = {
    SOCKET: _sockets,
    NUMA: _numa,
    CPU_SET: _cpu_sets,
    HOST_BRIDGE: _host_bridges,
    PCIE_ROOT: _pcie_roots,
    SWITCH: _switches,
}


def _add_resources(fields: dict[str, Any], reading: TopologyReading, options: MachineOptions) -> None:
    if not reading.cpus_by_numa:
        return
    memory = reading.memory_by_numa
    fields["resources"] = {"cpus": sum(reading.cpus_by_numa.values())}
    if memory:
        fields["resources"]["memory_gib"] = round(sum(memory.values()), 3)
    level = options.name_of(NUMA)
    if level in fields.get("domains", {}):
        fields["domain_resources"] = {
            level: {
                name: {"cpus": reading.cpus_by_numa.get(int(name[1:]), 0)}
                | ({"memory_gib": memory[int(name[1:])]} if int(name[1:]) in memory else {})
                for name in fields["domains"][level]
            }
        }


def _grouped(labels: Iterable[object]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for slot, label in enumerate(labels):
        groups.setdefault(label, []).append(slot)
    return list(groups.values())


def _named(labels: Sequence[Any], name: Callable[[Any], str]) -> Domains:
    return {name(label): [s for s, other in enumerate(labels) if other == label] for label in sorted(set(labels))}
