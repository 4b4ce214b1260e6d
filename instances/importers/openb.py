"""Alibaba's openb trace (cluster-trace-gpu-v2023) to an instance: its nodes as they are, its pods placed by a rule.

The trace (Weng et al., Beware of Fragmentation, USENIX ATC 2023) lists nodes and pods but neither who ran where nor
how the GPUs of a node hang together. Both are supplied here by rules that the caller chooses and the comment states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from ...models.errors import ConfigError, InstanceError, Problem
from ...models.instance import Instance
from .openb_placing import PATIENCE, Placed, place
from .table import Row, read_rows

GIB = 1024


class NodeRow(Row):
    """A line of the node list."""

    sn: Annotated[str, Field(min_length=1)]
    cpu_milli: Annotated[int, Field(ge=0, le=10**9)]
    memory_mib: Annotated[int, Field(ge=0, le=10**12)]
    gpu: Annotated[int, Field(ge=0, le=1024)]
    model: str = ""


class PodRow(Row):
    """A line of the pod list; a pod that was never scheduled has no scheduled_time."""

    name: Annotated[str, Field(min_length=1)]
    cpu_milli: Annotated[int, Field(ge=0, le=10**9)]
    memory_mib: Annotated[int, Field(ge=0, le=10**12)]
    num_gpu: Annotated[int, Field(ge=0, le=1024)]
    gpu_milli: Annotated[int, Field(ge=0, le=1000)]
    gpu_spec: str = ""
    qos: Annotated[str, Field(min_length=1)]
    scheduled_time: float | None = None
    deletion_time: float | None = None

    @field_validator("scheduled_time", "deletion_time", mode="before")
    @classmethod
    def _absent(cls, cell: Any) -> Any:
        return None if cell == "" else cell

    @property
    def seconds(self) -> float:
        """How long it ran; 0 if it never did."""
        if self.scheduled_time is None or self.deletion_time is None:
            return 0.0
        return max(0.0, self.deletion_time - self.scheduled_time)

    @property
    def models(self) -> tuple[str, ...]:
        """The GPU models that will do; empty: any."""
        return tuple(name for name in self.gpu_spec.split("|") if name)


def _default_priorities() -> dict[str, int]:
    return {"BE": 10, "Burstable": 100, "LS": 500, "Guaranteed": 800}


def _default_split() -> dict[int, int]:
    return {1: 1}


@dataclass(frozen=True)
class OpenbRules:
    """What the trace leaves open.

    Attributes
    ----------
    priorities : mapping
        QoS class to priority: latency-sensitive and guaranteed pods high, best-effort pods low.
    sockets, numa : mapping
        GPUs of a node to its number of sockets and of NUMA nodes; slots are dealt in blocks, the first ones larger.
        A size that is not listed has two sockets, and as many NUMA nodes as sockets.
    fill : float
        Share of the cluster's GPUs to be in use.
    placing : {"random", "best-fit"}
        Which of the nodes with room a pod goes to: any, or the one with the least free GPU.
    restart_seconds : float
        Every pod's restart.
    seed : int
        Of all draws.
    """

    priorities: Mapping[str, int] = field(default_factory=_default_priorities)
    sockets: Mapping[int, int] = field(default_factory=_default_split)
    numa: Mapping[int, int] = field(default_factory=dict)
    fill: float = 0.95
    placing: Literal["random", "best-fit"] = "random"
    restart_seconds: float = 60.0
    seed: int = 0


def import_openb(
    nodes_file: str | Path, pods_file: str | Path, request: Mapping[str, Any], rules: OpenbRules | None = None
) -> Instance:
    """Read the two lists of the trace and return an instance.

    Parameters
    ----------
    nodes_file : str or Path
        CSV with the columns sn, cpu_milli, memory_mib, gpu, model.
    pods_file : str or Path
        CSV with the columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, scheduled_time,
        deletion_time; others are ignored.
    request : mapping
        The request's fields, as in an instance file.
    rules : OpenbRules, optional
        How the gaps are filled.

    Returns
    -------
    Instance
        One job a placed pod; its comment says what was assumed.

    Raises
    ------
    InstanceError
        A file is not of this form, or the request does not fit the cluster's levels.
    ConfigError
        A rule makes no sense.
    """
    rules = rules or OpenbRules()
    if not 0 <= rules.fill <= 1:
        raise ConfigError(f"fill: found {rules.fill}, expected a share from 0 to 1")
    nodes = read_rows(nodes_file, NodeRow)
    pods = read_rows(pods_file, PodRow)
    _check_names(nodes, str(nodes_file))
    _check_pods(pods, rules, str(pods_file))
    placed, fill = place(nodes, pods, fill=rules.fill, placing=rules.placing, seed=rules.seed)
    machines = {_machine_name(node): _machine(node, rules) for node in nodes}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": _comment(nodes_file, pods_file, rules, fill),
            "cluster": {
                "levels": ["node", "socket", "numa"],
                "machines": machines,
                "nodes": [{"name": node.sn, "machine": _machine_name(node)} for node in nodes],
            },
            "jobs": [_job(number, entry, rules) for number, entry in enumerate(placed)],
            "request": dict(request),
        },
        source=f"{nodes_file} with {pods_file}",
    )


def _check_names(nodes: list[NodeRow], source: str) -> None:
    seen: set[str] = set()
    problems = []
    for node in nodes:
        if node.sn in seen:
            problems.append(Problem(f"line {node.line}, column sn", node.sn, "a name that no other node has"))
        seen.add(node.sn)
    if problems:
        raise InstanceError(problems, source)


def _check_pods(pods: list[PodRow], rules: OpenbRules, source: str) -> None:
    problems: dict[tuple[str, str], Problem] = {}
    for pod in pods:
        if pod.qos not in rules.priorities:
            expected = f"a QoS class with a priority: one of {sorted(rules.priorities)}"
            problems.setdefault(("qos", pod.qos), Problem(f"line {pod.line}, column qos", pod.qos, expected))
        if pod.num_gpu and not pod.gpu_milli:
            problem = Problem(f"line {pod.line}, column gpu_milli", "0", "1 to 1000 for a pod with GPUs")
            problems.setdefault(("gpu_milli", pod.name), problem)
    if problems:
        raise InstanceError(list(problems.values()), source)


def _machine_name(node: NodeRow) -> str:
    return f"{node.model or 'gpu'}x{node.gpu}-{node.cpu_milli}m-{node.memory_mib}Mi"


def _machine(node: NodeRow, rules: OpenbRules) -> dict[str, Any]:
    sockets = rules.sockets.get(node.gpu, min(2, node.gpu))
    numa = rules.numa.get(node.gpu, sockets)
    machine: dict[str, Any] = {
        "gpus": node.gpu,
        "resources": {"cpus": node.cpu_milli / 1000, "memory_gib": node.memory_mib / GIB},
    }
    if node.model:
        machine["gpu_model"] = node.model
    if node.gpu:
        machine["domains"] = {
            "socket": _dealt(node.gpu, sockets, "socket"),
            "numa": _dealt(node.gpu, numa, "numa"),
        }
    return machine


def _dealt(gpus: int, parts: int, level: str) -> dict[str, list[int]]:
    if not 1 <= parts <= gpus:
        raise ConfigError(f"{level}: found {gpus}={parts}, expected 1 to {gpus} for nodes of {gpus} GPUs")
    size, larger = divmod(gpus, parts)
    domains: dict[str, list[int]] = {}
    start = 0
    for part in range(parts):
        end = start + size + (part < larger)
        domains[f"{level}{part}"] = list(range(start, end))
        start = end
    return domains


def _job(number: int, placed: Placed, rules: OpenbRules) -> dict[str, Any]:
    row = placed.row
    name = f"{row.name}.{number}"
    pod: dict[str, Any] = {
        "name": name,
        "node": placed.node,
        "slots": list(placed.slots),
        "resources": {"cpus": row.cpu_milli / 1000, "memory_gib": row.memory_mib / GIB},
    }
    if row.gpu_milli < 1000:
        pod["share"] = row.gpu_milli / 1000
    return {
        "name": name,
        "priority": rules.priorities[row.qos],
        "running_seconds": placed.age_seconds,
        "restart_seconds": rules.restart_seconds,
        "pods": [pod],
    }


def _comment(nodes_file: str | Path, pods_file: str | Path, rules: OpenbRules, fill: float) -> list[str]:
    where = "a random node with room" if rules.placing == "random" else "the node with room and the least free GPU"
    topology = "nodes of several GPUs have two sockets of equal halves, one NUMA node a socket"
    if rules.sockets != _default_split():
        topology += f"; sockets by GPUs of the node: {_listed(rules.sockets)}"
    if rules.numa:
        topology += f"; NUMA nodes by GPUs of the node: {_listed(rules.numa)}"
    return [
        f"Nodes of {Path(nodes_file).name}, pods drawn from {Path(pods_file).name} (openb, cluster-trace-gpu-v2023).",
        "The trace has no placement: GPU pods are drawn with replacement, in proportion to how long they ran, and "
        f"each goes to {where}, until {rules.fill:.0%} of the GPUs are in use or {PATIENCE} pods in a row find no "
        f"room; reached {fill:.2%} with seed {rules.seed}. Shares go to the fullest GPU that has room. Pods without "
        "GPUs are left out.",
        "A pod's age is uniform in its running time; nothing is saved before its end.",
        f"Priorities by QoS: {_listed(rules.priorities)}.",
        f"The trace has no topology: {topology}.",
    ]


def _listed(table: Mapping[Any, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in table.items())
