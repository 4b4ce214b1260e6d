"""Use of a node that no job explains: its jobs were not in the files, so nobody may evict it."""

from __future__ import annotations

from typing import Any

from ..notes import Notes
from .holdings import SHARED
from .records import NodeRecord
from .state import SlurmState


def unexplained_jobs(
    state: SlurmState, gpus: dict[str, int], jobs: list[dict[str, Any]], notes: Notes, *, priority: int
) -> list[dict[str, Any]]:
    """Return one job that nobody may evict for each node on which more is in use than the jobs hold.

    Parameters
    ----------
    state : SlurmState
        What Slurm says.
    gpus : dict
        Number of GPUs of each node.
    jobs : list of dict
        The jobs that are told.
    notes : Notes
        Grows by the nodes concerned.
    priority : int
        Of these jobs.

    Returns
    -------
    list of dict
        As under ``jobs``.
    """
    by_node: dict[str, list[dict[str, Any]]] = {}
    for job in jobs:
        for pod in job["pods"]:
            by_node.setdefault(pod["node"], []).append(pod)
    found = []
    for name in sorted(gpus):
        record = state.nodes.get(name)
        if record is None:
            continue
        rest = _rest(record, gpus[name], by_node.get(name, []))
        if rest:
            own = [{"name": f"unexplained-{name}-{index}", "node": name, **part} for index, part in enumerate(rest)]
            found.append({"name": f"unexplained-{name}", "priority": priority, "preemptible": False, "pods": own})
            notes.of(name, "Use that no job explains is held by a job that nobody may evict.")
    return found


def _rest(record: NodeRecord, gpus: int, pods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    known = {slot for pod in pods for slot in pod.get("slots", ())}
    loose = sum(pod.get("gpus", 0) for pod in pods)
    entries = [entry for entry in record.used or () if entry.name == "gpu" and entry.count]
    used = {slot for entry in entries for slot in entry.indices or ()}
    blind = sum(entry.count for entry in entries if entry.indices is None)
    free = sorted(used - known)
    count = max(len(used) + blind - len(known) - loose, 0)
    parts: list[dict[str, Any]] = []
    if count and loose == 0 and blind == 0:
        # All use has indices and all known pods have slots: what is left is exact.
        parts.append({"slots": free})
    elif count:
        parts.append({"gpus": min(count, gpus)})
    shards = sum(entry.count for entry in record.used or () if entry.name in SHARED)
    if shards and not entries and not pods:
        parts.append({"gpus": gpus})
    rest = {
        "cpus": (record.cpus_in_use or 0) - sum(pod.get("resources", {}).get("cpus", 0.0) for pod in pods),
        "memory_gib": round(
            (record.memory_in_use_mib or 0) / 1024
            - sum(pod.get("resources", {}).get("memory_gib", 0.0) for pod in pods),
            6,
        ),
    }
    resources = {name: float(amount) for name, amount in rest.items() if amount >= 0.01}
    if resources:
        parts = parts or [{}]
        parts[0]["resources"] = resources
    return parts
