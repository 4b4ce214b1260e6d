"""Nodes and machines of an instance from what Slurm says of nodes, GPUs and switches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ....models import ConfigError, InstanceError, Problem
from ..merge import KnownMachine, MachineShelf, machine_for, merged_fields, unused_rules
from ..notes import Notes
from .gres import Gres
from .gres_conf import ConfiguredGpu, core_groups
from .options import SlurmOptions
from .records import NodeRecord, gpus_in
from .state import SlurmState

_TOO_FEW = re.compile(r"gres/gpu count reported lower than configured \((\d+) < (\d+)\)")
_USABLE_STATES = frozenset(
    {"ALLOC", "ALLOCATED", "CLOUD", "COMP", "COMPLETING", "DYNAMIC_NORM", "IDLE", "MIX", "MIXED", "NPC", "PERFCTRS",
     "PLANNED", "PLND"}
)  # fmt: skip


@dataclass(frozen=True)
class ImportedCluster:
    """The cluster part of an instance.

    Attributes
    ----------
    fields : dict
        As under ``cluster``.
    gpus : dict
        Number of GPUs of each node.
    fabric_levels : tuple of str
        Levels above node, broadest first.
    """

    fields: dict[str, Any]
    gpus: dict[str, int]
    fabric_levels: tuple[str, ...]


def build_cluster(state: SlurmState, options: SlurmOptions, notes: Notes) -> ImportedCluster:
    """Return the cluster.

    Parameters
    ----------
    state : SlurmState
        What Slurm says.
    options : SlurmOptions
        Names and rules.
    notes : Notes
        Grows by what was assumed or left out.

    Returns
    -------
    ImportedCluster
        With every node that Slurm lists.

    Raises
    ------
    InstanceError
        No nodes, or a node whose GPUs are not known or contradict each other.
    ConfigError
        The number of level names does not fit the topology.
    """
    fabric_levels = _fabric_levels(state, options)
    shelf = MachineShelf()
    nodes: list[dict[str, Any]] = []
    gpus: dict[str, int] = {}
    for record in sorted(_records(state, options, notes), key=lambda record: record.name):
        known = machine_for(record.name, options.rules)
        fields, levels = _machine(record, known, state, options, notes)
        gpus[record.name] = fields["gpus"]
        node: dict[str, Any] = {
            "name": record.name,
            "machine": shelf.place(fields, name=_machine_name(fields, known), levels=levels),
        }
        path = state.fabric.paths.get(record.name)
        if path is not None:
            node["within"] = dict(zip(fabric_levels, reversed(path), strict=True))
        node |= _condition(record, fields["gpus"], options, notes)
        nodes.append(node)
    missing = sorted(set(state.fabric.paths) - set(gpus))
    if missing:
        notes.say(f"{len(missing)} nodes stand in the topology only and were left out, such as {missing[0]}.")
    notes.say(*unused_rules(options.rules, gpus))
    levels_below = shelf.levels_below()
    return ImportedCluster(
        {"levels": [*fabric_levels, "node", *levels_below], "machines": shelf.machines(), "nodes": nodes},
        gpus,
        fabric_levels,
    )


def _fabric_levels(state: SlurmState, options: SlurmOptions) -> tuple[str, ...]:
    tiers = state.fabric.tiers
    names = options.fabric_levels or tuple(f"tier-{tier}" for tier in range(tiers, 0, -1))
    if len(names) != tiers:
        raise ConfigError(f"--fabric-level: {tiers} names were expected, broadest first, for the tiers of the topology")
    return names


def _records(state: SlurmState, options: SlurmOptions, notes: Notes) -> list[NodeRecord]:
    records = dict(state.nodes)
    if state.gres is not None:
        for name in state.gres.gpus:
            if name is not None and name not in records:
                records[name] = NodeRecord(name, "gres.conf")
                notes.of(name, "Nodes in gres.conf only: their CPUs, memory and state are not known.")
    for name in sorted({*state.fabric.paths, *(node for job in state.jobs.values() for node in job.nodes)}):
        if name not in records and machine_for(name, options.rules) is not None:
            records[name] = NodeRecord(name, "the rules")
            notes.of(name, "Nodes known from a machine rule only: their CPUs, memory and state are not known.")
    if not records:
        expected = "at least one node: scontrol show node, sinfo, gres.conf with NodeName=, or machine rules"
        raise InstanceError([Problem("", "no nodes", expected)], source="slurm")
    return list(records.values())


def _machine(
    record: NodeRecord, known: KnownMachine | None, state: SlurmState, options: SlurmOptions, notes: Notes
) -> tuple[dict[str, Any], tuple[str, ...]]:
    configured = state.gres.of_node(record.name) if state.gres is not None else ()
    count = None if record.gres is None else gpus_in(record.gres)
    if count == 0:
        configured = ()
    if configured and count is not None and count != len(configured):
        raise _contradiction(record, f"{len(configured)} GPUs in gres.conf", f"{count} GPUs, as {record.where} has")
    if configured and count is None:
        count = len(configured)
    if count is None and known is None:
        raise _contradiction(record, "", "the number of its GPUs: Gres=, gres.conf or a machine rule")
    fields = merged_fields(
        record.name,
        known,
        gpus=count,
        gpu_model=_models(record, configured, notes),
        resources=_resources(record),
    )
    if known is not None:
        return fields, known.levels
    domains = _domains(record, configured, options, notes)
    if domains:
        fields["domains"] = domains
    links = [
        {"gpus": [slot, other], "kind": options.link_kind, "count": gpu.links[other]}
        for slot, gpu in enumerate(configured)
        for other in range(slot + 1, len(configured))
        if gpu.links is not None and gpu.links[other] > 0
    ]
    if links:
        fields["links"] = links
    levels = (options.socket_level, options.cores_level)
    return fields, tuple(level for level in levels if level in domains)


def _contradiction(record: NodeRecord, value: str, expected: str) -> InstanceError:
    return InstanceError([Problem(f"node {record.name}", value, expected)], source="slurm")


def _models(record: NodeRecord, configured: tuple[ConfiguredGpu, ...], notes: Notes) -> str | list[str] | None:
    listed = [entry.type for entry in record.gres or () if entry.name == "gpu" for _ in range(entry.count)]
    types = [gpu.type for gpu in configured] if any(gpu.type for gpu in configured) else listed
    known = [word for word in types if word]
    if len(known) < len(types) or not known:
        return None
    if len(set(known)) == 1:
        return known[0]
    if types is listed:
        notes.of(record.name, "GPUs of several types on one node are numbered in the order of Gres=.")
    return known


def _resources(record: NodeRecord) -> dict[str, float]:
    found: dict[str, float] = {}
    if record.cpus is not None:
        found["cpus"] = float(record.cpus)
    if record.memory_mib is not None:
        found["memory_gib"] = round(record.memory_mib / 1024, 6)
    return found


def _domains(
    record: NodeRecord, configured: tuple[ConfiguredGpu, ...], options: SlurmOptions, notes: Notes
) -> dict[str, dict[str, list[int]]]:
    domains: dict[str, dict[str, list[int]]] = {}
    sockets = _sockets([entry for entry in record.gres or () if entry.name == "gpu" and entry.count])
    if sockets and options.socket_level:
        domains[options.socket_level] = sockets
        if len(sockets) > 1:
            notes.of(record.name, "GPUs of several sockets are numbered in the order of Gres=.")
    groups = core_groups(configured)
    if groups and options.cores_level:
        domains[options.cores_level] = groups
    return domains


def _sockets(entries: list[Gres]) -> dict[str, list[int]]:
    """Return slots by socket; empty unless every entry is near exactly one."""
    found: dict[str, list[int]] = {}
    slot = 0
    for entry in entries:
        if entry.sockets is None or len(entry.sockets) != 1:
            return {}
        found.setdefault(f"s{entry.sockets[0]}", []).extend(range(slot, slot + entry.count))
        slot += entry.count
    return found


def _machine_name(fields: dict[str, Any], known: KnownMachine | None) -> str:
    if known is not None:
        return known.name
    model = fields.get("gpu_model")
    kind = model if isinstance(model, str) else "mixed" if model else "gpu"
    return f"{kind}-x{fields['gpus']}" if fields["gpus"] else "cpu"


def _condition(record: NodeRecord, gpus: int, options: SlurmOptions, notes: Notes) -> dict[str, Any]:
    labels = {f"{options.partition_label}{name}": "true" for name in record.partitions or ()}
    labels |= {f"{options.feature_label}{name}": "true" for name in record.features or ()}
    fields: dict[str, Any] = {"labels": labels} if labels else {}
    offline = sorted({slot for entry in record.drained or () if entry.name == "gpu" for slot in entry.indices or ()})
    lost = _TOO_FEW.search(record.reason or "")
    if lost and int(lost[1]) == 0:
        offline = list(range(gpus))
    elif lost:
        notes.of(record.name, f"Only {lost[1]} of {lost[2]} GPUs are left; which ones is not told.")
    if any(slot >= gpus for slot in offline):
        raise _contradiction(record, f"drained GPU {max(offline)}", f"GPUs below {gpus}")
    if offline:
        fields["offline_slots"] = offline
    states = record.states
    if states is None:
        notes.of(record.name, "The state of a node is not told: taken as usable.")
    elif unknown := states - options.cordoning_states - _USABLE_STATES:
        notes.of(record.name, f"State {min(unknown)} is not known: such a node takes no new work.")
        fields["cordoned"] = True
    elif states & options.cordoning_states:
        fields["cordoned"] = True
    return fields
