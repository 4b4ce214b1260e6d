"""The request: a pending job of Slurm, fields of a file, or the one changed by the other."""

from __future__ import annotations

import re
from typing import Any

from ....models import InstanceError, Problem
from ....models.request import Request
from ..notes import Notes
from .gres import gpu_count
from .holdings import refused
from .options import SlurmOptions
from .records import JobRecord, gpus_in
from .state import SlurmState
from .work import WAITING, priority_of


def build_request(
    state: SlurmState, fabric_levels: tuple[str, ...], options: SlurmOptions, notes: Notes
) -> dict[str, Any]:
    """Return the request.

    Parameters
    ----------
    state : SlurmState
        What Slurm says.
    fabric_levels : tuple of str
        Levels above node, broadest first.
    options : SlurmOptions
        Which pending job, and fields that win over its own.
    notes : Notes
        Grows by what was assumed or left out.

    Returns
    -------
    dict
        As under ``request``.

    Raises
    ------
    InstanceError
        No such pending job, or one that asks for what no request can.
    """
    fields: dict[str, Any] = {}
    if options.request is not None:
        record = state.jobs.get(options.request)
        if record is None or not record.states & WAITING:
            pending = [str(number) for number, job in sorted(state.jobs.items()) if job.states & WAITING]
            found = "not in the files" if record is None else "/".join(sorted(record.states))
            expected = f"a pending job; pending are {', '.join(pending[:10]) or 'none'}"
            raise InstanceError([Problem(f"job {options.request}", found, expected)], source="slurm")
        fields = _of_job(record, state, fabric_levels, options, notes)
    elif not options.request_fields:
        pending = [str(number) for number, job in sorted(state.jobs.items()) if job.states & WAITING]
        expected = (
            f"the id of a pending job ({', '.join(pending[:10]) or 'none in the files'}) or a file with a request"
        )
        raise InstanceError([Problem("request", "", expected)], source="slurm")
    fields |= options.request_fields
    Request.parse(fields, source="request")
    return fields


def _of_job(
    record: JobRecord, state: SlurmState, fabric_levels: tuple[str, ...], options: SlurmOptions, notes: Notes
) -> dict[str, Any]:
    pods = record.node_count or int(record.asked.get("node", 1)) or 1
    gpus = _gpus(record, pods)
    fields: dict[str, Any] = {
        "name": str(record.number),
        "priority": priority_of(record, options),
        "pods": pods,
        "gpus": gpus,
    }
    if pods > 1:
        notes.say(f"Job {record.number} asks for {pods} nodes: {pods} pods, of which several may share a node here.")
    models = sorted({entry.type for entry in record.per_node or () if entry.name == "gpu" and entry.type})
    models = models or sorted({name.split(":", 1)[1] for name in record.asked if name.startswith("gres/gpu:")})
    if len(models) > 1:
        raise refused(record, ", ".join(models), "GPUs of one type, the same for each pod")
    if models and gpus:
        fields["gpu_models"] = models
    resources = {
        "cpus": round(record.asked.get("cpu", 0.0) / pods, 6),
        "memory_gib": round(record.asked.get("mem", 0.0) / 1024 / pods, 6),
    }
    if any(resources.values()):
        fields["resources"] = {name: amount for name, amount in resources.items() if amount}
    labels = _labels(record, state, options, notes)
    if labels:
        fields["node_labels"] = labels
    if record.most_switches == 1 and fabric_levels and pods > 1:
        fields["affinity"] = {"gang": {"island": fabric_levels[-1], "mode": "best-effort"}}
        notes.say(f"Job {record.number} asks for one leaf switch and waits for it only so long: best-effort.")
    elif record.most_switches:
        notes.say(f"Job {record.number} asks for at most {record.most_switches} switches, which was left out.")
    return fields


def _gpus(record: JobRecord, pods: int) -> int:
    if record.per_node is not None:
        return gpus_in(record.per_node)
    total = gpu_count(record.asked)
    if total % pods:
        raise refused(record, f"{total:g} GPUs on {pods} nodes", "the same number of GPUs on each node")
    return int(total / pods)


def _labels(record: JobRecord, state: SlurmState, options: SlurmOptions, notes: Notes) -> dict[str, str]:
    labels: dict[str, str] = {}
    partition = record.labels.get("partition", "")
    if any(node.partitions for node in state.nodes.values()):
        if "," in partition:
            notes.say(f"Job {record.number} may run in one of {partition}: partitions were left out.")
        elif partition:
            labels[f"{options.partition_label}{partition}"] = "true"
    if record.features:
        if re.fullmatch(r"[\w.-]+([&,][\w.-]+)*", record.features):
            labels |= {f"{options.feature_label}{name}": "true" for name in re.split("[&,]", record.features)}
        else:
            raise refused(record, record.features[:60], "features that are all needed, joined by &; or a request file")
    return labels
