"""Jobs of an instance from what Slurm says of jobs; what nobody told is held by jobs that nobody may evict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from ....models import InstanceError, Problem
from .gres import Gres, gpu_count
from .options import SlurmOptions
from .records import JobRecord, NodeRecord, gpus_in
from .state import SlurmState

WAITING: Final = frozenset({"PENDING", "PD"})
GOING: Final = frozenset({"COMPLETING", "CG"})
HOLDING: Final = frozenset(
    {"RUNNING", "R", "SUSPENDED", "S", "CONFIGURING", "CF", "STOPPED", "ST", "SIGNALING", "SI", "RESIZING", "RS"}
)
_SHARED: Final = ("shard", "mps")


@dataclass(frozen=True)
class _Held:
    """What a pod holds on a node."""

    slots: tuple[int, ...] | None
    gpus: int
    share: float = 1.0


def build_jobs(
    state: SlurmState, gpus: dict[str, int], options: SlurmOptions, notes: list[str], *, keeper_priority: int
) -> list[dict[str, Any]]:
    """Return the jobs that hold something.

    Parameters
    ----------
    state : SlurmState
        What Slurm says.
    gpus : dict
        Number of GPUs of each node of the instance.
    options : SlurmOptions
        Priorities and times.
    notes : list of str
        Grows by what was assumed or left out.
    keeper_priority : int
        Priority of the jobs that stand for use that no job explains.

    Returns
    -------
    list of dict
        As under ``jobs``, by name.

    Raises
    ------
    InstanceError
        A job on a node that is not known, or one whose GPUs on each node are not.
    """
    groups: dict[int, list[JobRecord]] = {}
    finished = 0
    for record in sorted(state.jobs.values(), key=lambda record: record.number):
        if record.states & (HOLDING | GOING) and record.nodes:
            groups.setdefault(record.het_job or record.number, []).append(record)
        elif not record.states & WAITING:
            finished += 1
    if finished:
        notes.append(f"{finished} jobs that hold nothing any more were left out.")
    now = _now(state, options, [record for group in groups.values() for record in group], notes)
    jobs = [_job(number, group, gpus, state, options, notes, now) for number, group in sorted(groups.items())]
    return jobs + _unexplained(state, gpus, jobs, notes, keeper_priority)


def priority_of(record: JobRecord, options: SlurmOptions) -> int:
    """Return the priority that counts for a job.

    Parameters
    ----------
    record : JobRecord
        The job.
    options : SlurmOptions
        The tables of QOS and partitions.

    Returns
    -------
    int
        Of its QOS, else of its partition, else its own number.

    Raises
    ------
    InstanceError
        None of them is known.
    """
    for table, label in ((options.qos_priority, "qos"), (options.partition_priority, "partition")):
        if record.labels.get(label) in table:
            return table[record.labels[label]]
    if record.priority is None:
        raise _refused(record, "", "a priority; its own, or one of its QOS or partition")
    return record.priority


def _refused(record: JobRecord, value: str, expected: str) -> InstanceError:
    return InstanceError([Problem(f"job {record.number} ({record.where})", value, expected)], source="slurm")


def _now(state: SlurmState, options: SlurmOptions, records: list[JobRecord], notes: list[str]) -> int | None:
    now = options.now if options.now is not None else state.now
    if now is None and any(record.running_seconds is None for record in records):
        now = max((record.start for record in records if record.start is not None), default=None)
        if now is not None:
            notes.append(f"When the state was printed is not told: the latest start of a job, {now}, counts as now.")
    return now


def _job(
    number: int,
    group: list[JobRecord],
    gpus: dict[str, int],
    state: SlurmState,
    options: SlurmOptions,
    notes: list[str],
    now: int | None,
) -> dict[str, Any]:
    first = group[0]
    pods: list[dict[str, Any]] = []
    for record in group:
        for place, node in enumerate(record.nodes):
            if node not in gpus:
                raise _refused(record, node, "a node that one of the files describes")
            pods += _pods(record, place, node, state, notes)
    names = Counter(pod["name"] for pod in pods)
    for index, pod in enumerate(pods):
        if names[pod["name"]] > 1:
            pod["name"] += f"-{index}"
    job: dict[str, Any] = {"name": str(number), "priority": max(priority_of(record, options) for record in group)}
    if first.labels:
        job["labels"] = dict(sorted(first.labels.items()))
    running = [seconds for record in group if (seconds := _running(record, now)) is not None]
    if running:
        job["running_seconds"] = float(max(running))
    else:
        notes.append(f"Job {number}: since when it runs is not told; it counts as just started.")
    if any(_is_protected(record, now) for record in group):
        job["preemptible"] = False
        notes.append(f"Job {number} may not be preempted yet, as Slurm says.")
    if options.restart_seconds is not None:
        job["restart_seconds"] = options.restart_seconds
    if options.grace_seconds is not None:
        job["grace_seconds"] = options.grace_seconds
    if all(record.states & GOING for record in group):
        job["state"] = "terminating"
    job["pods"] = pods
    return job


def _running(record: JobRecord, now: int | None) -> int | None:
    if record.running_seconds is not None:
        return record.running_seconds
    return None if now is None or record.start is None else max(now - record.start, 0)


def _is_protected(record: JobRecord, now: int | None) -> bool:
    if record.preemptable_from is None or record.start is None:
        return False
    running = _running(record, now)
    return running is not None and record.preemptable_from > record.start + running


def _pods(record: JobRecord, place: int, node: str, state: SlurmState, notes: list[str]) -> list[dict[str, Any]]:
    held = _held(record, place, state.nodes.get(node), notes)
    resources = {"cpus": _cpus(record, node, notes), "memory_gib": _memory(record, node, notes)}
    pods: list[dict[str, Any]] = []
    for part in held or [_Held(None, 0)]:
        pod: dict[str, Any] = {"name": f"{record.number}-{node}", "node": node}
        if part.slots:
            pod["slots"] = list(part.slots)
        elif part.gpus:
            pod["gpus"] = part.gpus
        if part.share != 1.0:
            pod["share"] = part.share
        if not pods and (told := {name: amount for name, amount in resources.items() if amount}):
            pod["resources"] = told
        pods.append(pod)
    return pods


def _held(record: JobRecord, place: int, node: NodeRecord | None, notes: list[str]) -> list[_Held]:
    if record.detail is not None:
        entries = [entry for entry in record.detail[place] if entry.count]
        known = sorted({slot for entry in entries if entry.name == "gpu" for slot in entry.indices or ()})
        loose = sum(entry.count for entry in entries if entry.name == "gpu" and entry.indices is None)
        parts = [_Held(tuple(known), len(known))] if known else []
        parts += [_Held(None, loose)] if loose else []
        return parts + [_shared(record, entry, node) for entry in entries if entry.name in _SHARED]
    count = _count_on_node(record, place, notes)
    shared = {name: record.allocated.get(f"gres/{name}", 0) for name in _SHARED}
    parts = [_Held(None, count)] if count else []
    for name, amount in shared.items():
        if amount:
            if len(record.nodes) > 1:
                raise _refused(
                    record, f"{name} on {len(record.nodes)} nodes", "scontrol -d show job, which tells them by node"
                )
            parts.append(_shared(record, Gres(name, None, int(amount)), node))
    return parts


def _count_on_node(record: JobRecord, place: int, notes: list[str]) -> int:
    total = gpu_count(record.allocated)
    if not record.allocated and record.per_node is not None:
        total = gpus_in(record.per_node) * len(record.nodes)
    if total != int(total):
        raise _refused(record, f"gres/gpu={total}", "a whole number of GPUs")
    if total and record.per_node is not None and gpus_in(record.per_node) * len(record.nodes) == total:
        return gpus_in(record.per_node)
    share, rest = divmod(int(total), len(record.nodes))
    if rest:
        raise _refused(
            record, f"{int(total)} GPUs on {len(record.nodes)} nodes", "scontrol -d show job, which tells them by node"
        )
    if total and len(record.nodes) > 1 and place == 0:
        notes.append(
            f"Job {record.number}: its GPUs by node are not told; {share} on each of {len(record.nodes)} nodes."
        )
    return share


def _shared(record: JobRecord, entry: Gres, node: NodeRecord | None) -> _Held:
    """Return whole slots or shares of them for parts of GPUs (shards, MPS percent)."""
    parts = sum(gres.count for gres in (node.gres or () if node else ()) if gres.name == entry.name)
    devices = gpus_in(node.gres) if node else 0
    if not parts or not devices:
        raise _refused(record, f"{entry.name}:{entry.count}", f"how many {entry.name} its node has, in Gres=")
    each = parts / devices
    if entry.indices:
        return _Held(entry.indices, len(entry.indices), min(entry.count / (each * len(entry.indices)), 1.0))
    needed = max(ceil(entry.count / each), 1)
    return _Held(None, needed, min(entry.count / (each * needed), 1.0))


def _cpus(record: JobRecord, node: str, notes: list[str]) -> float:
    if node in record.cpus_by_node:
        return float(record.cpus_by_node[node])
    return _even(record, "cpu", "CPUs", notes)


def _memory(record: JobRecord, node: str, notes: list[str]) -> float:
    if node in record.memory_mib_by_node:
        return round(record.memory_mib_by_node[node] / 1024, 6)
    return round(_even(record, "mem", "memory", notes) / 1024, 6)


def _even(record: JobRecord, resource: str, words: str, notes: list[str]) -> float:
    total = record.allocated.get(resource, 0.0)
    if total and len(record.nodes) > 1:
        note = f"Job {record.number}: its {words} by node are not told and split evenly."
        if note not in notes:
            notes.append(note)
    return round(total / len(record.nodes), 6)


def _unexplained(
    state: SlurmState, gpus: dict[str, int], jobs: list[dict[str, Any]], notes: list[str], priority: int
) -> list[dict[str, Any]]:
    """Return one job that nobody may evict for each node on which more is in use than the jobs hold."""
    found = []
    for name in sorted(gpus):
        record = state.nodes.get(name)
        if record is None:
            continue
        pods = [pod for job in jobs for pod in job["pods"] if pod["node"] == name]
        rest = _rest(record, gpus[name], pods)
        if rest:
            own = [{"name": f"unexplained-{name}-{index}", "node": name, **part} for index, part in enumerate(rest)]
            found.append({"name": f"unexplained-{name}", "priority": priority, "preemptible": False, "pods": own})
            what = ", ".join(_words(part) for part in rest)
            notes.append(f"Node {name}: no job explains {what} in use; nobody may evict it.")
    return found


def _words(part: dict[str, Any]) -> str:
    words = []
    if "slots" in part:
        words.append(f"GPUs {', '.join(map(str, part['slots']))}")
    if "gpus" in part:
        words.append(f"{part['gpus']} GPUs")
    words += [f"{amount:g} {name}" for name, amount in part.get("resources", {}).items()]
    return " and ".join(words)


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
    shards = sum(entry.count for entry in record.used or () if entry.name in _SHARED)
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
