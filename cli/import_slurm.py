"""``topreempt import slurm``: what Slurm prints about a cluster, to an instance."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..instances.write import writable
from ..models.document import load_document
from ..models.errors import InstanceError, Problem
from .delivery import Out, deliver
from .terminal import note

EXAMPLE = "topreempt import slurm nodes.json jobs.json gres.conf topology.conf --request 4711 --out cluster.yaml"


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="scontrol -d show node|job (text or --json), squeue --json, sinfo, gres.conf, topology.conf or .yaml.",
        ),
    ],
    out: Out = None,
    request: Annotated[
        int | None, typer.Option("--request", min=1, metavar="ID", help="The pending job that is the request.")
    ] = None,
    request_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON or YAML with fields of a request; they win over the pending job's."),
    ] = None,
    topology: Annotated[
        list[str] | None,
        typer.Option("--topology", metavar="NODE=FILE", help="Machine of a node (or pattern); may be repeated."),
    ] = None,
    machine: Annotated[
        list[str] | None,
        typer.Option("--machine", metavar="PATTERN=PRESET", help="Machine of the catalogue; may be repeated."),
    ] = None,
    fabric_levels: Annotated[
        list[str] | None,
        typer.Option(
            "--fabric-level",
            metavar="NAME",
            help="Names of the levels above node, broadest first; default tier-N ... tier-1; repeat it.",
        ),
    ] = None,
    fabric: Annotated[
        str | None, typer.Option("--fabric", metavar="NAME", help="Which topology of a topology.yaml counts.")
    ] = None,
    cores_level: Annotated[
        str, typer.Option(metavar="NAME", help="Level of GPUs with the same Cores in gres.conf; empty: none.")
    ] = "cores",
    socket_level: Annotated[
        str, typer.Option(metavar="NAME", help="Level of the sockets in Gres=; empty: none.")
    ] = "socket",
    link_kind: Annotated[str, typer.Option(metavar="KIND", help="Kind of the Links in gres.conf.")] = "nvlink",
    sinfo_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Columns of a sinfo table without headings: name, memory_in_use, memory, cpus_by_state, state, gres,"
            " gres_used, cpus, partition, reason, other; default: the first seven.",
        ),
    ] = None,
    qos_priority: Annotated[
        list[str] | None,
        typer.Option(metavar="QOS=N", help="Priority of a QOS instead of the job's own; may be repeated."),
    ] = None,
    partition_priority: Annotated[
        list[str] | None,
        typer.Option(metavar="PARTITION=N", help="Priority of a partition, where no QOS has one; may be repeated."),
    ] = None,
    cordoning_states: Annotated[
        list[str] | None,
        typer.Option(
            "--cordoning-state", metavar="STATE", help="States in which a node takes no work; replaces the usual ones."
        ),
    ] = None,
    partition_label: Annotated[
        str, typer.Option(metavar="TEXT", help="Node labels of partitions: this text and the name.")
    ] = "partition/",
    feature_label: Annotated[
        str, typer.Option(metavar="TEXT", help="Node labels of features: this text and the name.")
    ] = "feature/",
    now: Annotated[
        int | None, typer.Option(min=0, metavar="SECONDS", help="When Slurm printed, in seconds since 1970.")
    ] = None,
    restart_seconds: Annotated[
        float | None, typer.Option(min=0, metavar="S", help="What every job needs to be where it was.")
    ] = None,
    grace_seconds: Annotated[
        float | None, typer.Option(min=0, metavar="S", help="Between the eviction of a job and its kill.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, as without --out anyway.")] = False,
) -> None:
    """Turn nodes, jobs, GPUs and switches of Slurm into an instance.

    The more files the better: jobs with -d (or JSON) say which GPUs they hold; others hold a number of GPUs, wherever
    they are. Use that no job explains is held by jobs that nobody may evict. What was assumed is said on standard
    error and kept as the instance's comment.
    """
    from ..instances.importers.merge import MachineRules
    from ..instances.importers.slurm import SlurmOptions, column_names, import_slurm, priorities

    if out is not None:
        writable(out)
    changed: dict[str, Any] = {}
    if sinfo_columns is not None:
        changed["sinfo_columns"] = column_names(sinfo_columns)
    if cordoning_states:
        changed["cordoning_states"] = frozenset(state.upper() for state in cordoning_states)
    options = SlurmOptions(
        request=request,
        request_fields=_fields(request_file),
        rules=MachineRules.from_options(topology=topology or (), machine=machine or ()),
        fabric_levels=tuple(fabric_levels or ()),
        topology=fabric,
        cores_level=cores_level,
        socket_level=socket_level,
        link_kind=link_kind,
        qos_priority=priorities(qos_priority or (), "--qos-priority"),
        partition_priority=priorities(partition_priority or (), "--partition-priority"),
        partition_label=partition_label,
        feature_label=feature_label,
        now=now,
        restart_seconds=restart_seconds,
        grace_seconds=grace_seconds,
        **changed,
    )
    instance, notes = import_slurm(files, options)
    note(*notes)
    deliver(instance, out)


def _fields(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    data = load_document(path)
    if not isinstance(data, dict) or not data:
        raise InstanceError([Problem("", type(data).__name__, "fields of a request, such as priority: 1000")], path)
    return data
