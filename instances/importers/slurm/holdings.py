"""What a job holds on one of its nodes: GPUs with or without their indices, parts of GPUs, CPUs and memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from ....models import InstanceError, Problem
from ..notes import Notes
from .gres import Gres, gpu_count
from .records import JobRecord, NodeRecord, gpus_in

SHARED: Final = ("shard", "mps")


@dataclass(frozen=True)
class Held:
    """GPUs that a job holds on a node.

    Attributes
    ----------
    slots : tuple of int or None
        Which ones; None: not told.
    gpus : int
        How many.
    share : float
        Of each.
    """

    slots: tuple[int, ...] | None
    gpus: int
    share: float = 1.0


def refused(record: JobRecord, value: str, expected: str) -> InstanceError:
    """Return the error for a job that cannot be imported."""
    return InstanceError([Problem(f"job {record.number} ({record.where})", value, expected)], source="slurm")


def gpus_held(record: JobRecord, place: int, node: NodeRecord | None, notes: Notes) -> list[Held]:
    """Return the GPUs that a job holds on a node.

    Parameters
    ----------
    record : JobRecord
        The job.
    place : int
        Which of its nodes.
    node : NodeRecord or None
        That node, if it is described.
    notes : Notes
        Grows by what was assumed.

    Returns
    -------
    list of Held
        Empty if it holds none.

    Raises
    ------
    InstanceError
        How many it holds on each node is not told.
    """
    if record.detail is not None:
        entries = [entry for entry in record.detail[place] if entry.count]
        known = sorted({slot for entry in entries if entry.name == "gpu" for slot in entry.indices or ()})
        loose = sum(entry.count for entry in entries if entry.name == "gpu" and entry.indices is None)
        parts = [Held(tuple(known), len(known))] if known else []
        parts += [Held(None, loose)] if loose else []
        return parts + [_shared(record, entry, node) for entry in entries if entry.name in SHARED]
    count = _count_on_node(record, place, notes)
    shared = {name: record.allocated.get(f"gres/{name}", 0) for name in SHARED}
    parts = [Held(None, count)] if count else []
    for name, amount in shared.items():
        if amount:
            if len(record.nodes) > 1:
                raise refused(
                    record, f"{name} on {len(record.nodes)} nodes", "scontrol -d show job, which tells them by node"
                )
            parts.append(_shared(record, Gres(name, None, int(amount)), node))
    return parts


def _count_on_node(record: JobRecord, place: int, notes: Notes) -> int:
    total = gpu_count(record.allocated)
    if not record.allocated and record.per_node is not None:
        total = gpus_in(record.per_node) * len(record.nodes)
    if total != int(total):
        raise refused(record, f"gres/gpu={total}", "a whole number of GPUs")
    if total and record.per_node is not None and gpus_in(record.per_node) * len(record.nodes) == total:
        return gpus_in(record.per_node)
    share, rest = divmod(int(total), len(record.nodes))
    if rest:
        raise refused(
            record, f"{int(total)} GPUs on {len(record.nodes)} nodes", "scontrol -d show job, which tells them by node"
        )
    if total and len(record.nodes) > 1 and place == 0:
        notes.of(record.number, "The GPUs of a job by node are not told: the same number on each.")
    return share


def _shared(record: JobRecord, entry: Gres, node: NodeRecord | None) -> Held:
    """Return whole slots or shares of them for parts of GPUs (shards, MPS percent)."""
    parts = sum(gres.count for gres in (node.gres or () if node else ()) if gres.name == entry.name)
    devices = gpus_in(node.gres) if node else 0
    if not parts or not devices:
        raise refused(record, f"{entry.name}:{entry.count}", f"how many {entry.name} its node has, in Gres=")
    each = parts / devices
    if entry.indices:
        return Held(entry.indices, len(entry.indices), min(entry.count / (each * len(entry.indices)), 1.0))
    needed = max(ceil(entry.count / each), 1)
    return Held(None, needed, min(entry.count / (each * needed), 1.0))


def cpus_held(record: JobRecord, node: str, notes: Notes) -> float:
    """Return the CPUs that a job holds on one of its nodes."""
    if node in record.cpus_by_node:
        return float(record.cpus_by_node[node])
    return _even(record, "cpu", "CPUs", notes)


def memory_held(record: JobRecord, node: str, notes: Notes) -> float:
    """Return the memory, in GiB, that a job holds on one of its nodes."""
    if node in record.memory_mib_by_node:
        return round(record.memory_mib_by_node[node] / 1024, 6)
    return round(_even(record, "mem", "memory", notes) / 1024, 6)


def _even(record: JobRecord, resource: str, words: str, notes: Notes) -> float:
    total = record.allocated.get(resource, 0.0)
    if total and len(record.nodes) > 1:
        notes.of(record.number, f"The {words} of a job by node are not told: split evenly.")
    return round(total / len(record.nodes), 6)
