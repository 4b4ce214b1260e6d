"""Jobs of an instance from what Slurm says of jobs; what nobody told is held by jobs that nobody may evict."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from ..notes import Notes
from .holdings import Held, cpus_held, gpus_held, memory_held, refused
from .options import SlurmOptions
from .records import JobRecord
from .state import SlurmState
from .unexplained import unexplained_jobs

WAITING: Final = frozenset({"PENDING", "PD"})
GOING: Final = frozenset({"COMPLETING", "CG"})
HOLDING: Final = frozenset(
    {"RUNNING", "R", "SUSPENDED", "S", "CONFIGURING", "CF", "STOPPED", "ST", "SIGNALING", "SI", "RESIZING", "RS"}
)


def build_jobs(
    state: SlurmState, gpus: dict[str, int], options: SlurmOptions, notes: Notes, *, keeper_priority: int
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
    notes : Notes
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
        notes.say(f"{finished} jobs that hold nothing any more were left out.")
    now = _now(state, options, [record for group in groups.values() for record in group], notes)
    jobs = [_job(number, group, gpus, state, options, notes, now) for number, group in sorted(groups.items())]
    return jobs + unexplained_jobs(state, gpus, jobs, notes, priority=keeper_priority)


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
        raise refused(record, "", "a priority; its own, or one of its QOS or partition")
    return record.priority


def _now(state: SlurmState, options: SlurmOptions, records: list[JobRecord], notes: Notes) -> int | None:
    now = options.now if options.now is not None else state.now
    if now is None and any(record.running_seconds is None for record in records):
        now = max((record.start for record in records if record.start is not None), default=None)
        if now is not None:
            notes.say(f"When the state was printed is not told: the latest start of a job, {now}, counts as now.")
    return now


def _job(
    number: int,
    group: list[JobRecord],
    gpus: dict[str, int],
    state: SlurmState,
    options: SlurmOptions,
    notes: Notes,
    now: int | None,
) -> dict[str, Any]:
    first = group[0]
    pods: list[dict[str, Any]] = []
    for record in group:
        for place, node in enumerate(record.nodes):
            if node not in gpus:
                raise refused(record, node, "a node that one of the files describes")
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
        notes.of(number, "Since when a job runs is not told: it counts as just started.")
    if any(_is_protected(record, now) for record in group):
        job["preemptible"] = False
        notes.of(number, "Jobs that may not be preempted yet, as Slurm says, are not preemptible.")
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


def _pods(record: JobRecord, place: int, node: str, state: SlurmState, notes: Notes) -> list[dict[str, Any]]:
    held = gpus_held(record, place, state.nodes.get(node), notes)
    resources = {"cpus": cpus_held(record, node, notes), "memory_gib": memory_held(record, node, notes)}
    pods: list[dict[str, Any]] = []
    for part in held or [Held(None, 0)]:
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
