"""``topreempt import openb``: Alibaba's openb trace to an instance."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ..instances.write import writable
from ..models.errors import ConfigError
from . import request_options as request
from .delivery import Out, deliver

EXAMPLE = "topreempt import openb nodes.csv pods.csv --request-gpus 4 --request-island socket --out openb.json"


def run(
    nodes: Annotated[str, typer.Argument(metavar="NODES.csv", help="Columns sn, cpu_milli, memory_mib, gpu, model.")],
    pods: Annotated[
        str, typer.Argument(metavar="PODS.csv", help="Columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, ...")
    ],
    out: Out = None,
    seed: Annotated[int, typer.Option(min=0, max=2**53, metavar="N", help="Seed of all draws.")] = 0,
    fill: Annotated[float, typer.Option(metavar="SHARE", help="Share of the GPUs in use, 0 to 1.")] = 0.95,
    placing: Annotated[
        Literal["random", "best-fit"],
        typer.Option(metavar="random|best-fit", help="Which node with room a pod goes to."),
    ] = "random",
    qos: Annotated[
        list[str] | None,
        typer.Option(
            "--qos-priority",
            metavar="QOS=N",
            help="Priority of a QoS class; default BE=10 Burstable=100 LS=500 Guaranteed=800; may be repeated.",
        ),
    ] = None,
    sockets: Annotated[
        list[str] | None,
        typer.Option(metavar="GPUS=N", help="Sockets of nodes with so many GPUs; default 2, 1=1; may be repeated."),
    ] = None,
    numa: Annotated[
        list[str] | None,
        typer.Option(metavar="GPUS=N", help="NUMA nodes likewise; default: as many as sockets; may be repeated."),
    ] = None,
    request_name: request.Name = "request",
    request_priority: request.Priority = 1000,
    request_pods: request.Pods = 1,
    request_gpus: request.Gpus = 4,
    request_share: request.Share = 1.0,
    request_island: request.Island = "socket",
    request_gang: request.Gang = None,
    request_mode: request.Mode = "guaranteed",
    request_cpus: request.Cpus = 0.0,
    request_memory_gib: request.MemoryGib = 0.0,
    request_model: request.Models = None,
) -> None:
    """Turn the node and pod lists of the openb trace (cluster-trace-gpu-v2023) into an instance.

    The trace says neither which pod ran where nor how the GPUs of a node hang together: pods are drawn in proportion to
    their running time and placed until the fill, sockets follow --sockets. The instance's comment states all of it.
    """
    from ..instances.importers.openb import OpenbRules, import_openb

    if out is not None:
        writable(out)
    default = OpenbRules()
    rules = OpenbRules(
        priorities={**default.priorities, **_pairs("--qos-priority", qos)},
        sockets={**default.sockets, **_by_gpus("--sockets", sockets)},
        numa=_by_gpus("--numa", numa),
        fill=fill,
        placing=placing,
        seed=seed,
    )
    asked = request.request_of(
        name=request_name,
        priority=request_priority,
        pods=request_pods,
        gpus=request_gpus,
        share=request_share,
        island=request_island,
        gang=request_gang,
        mode=request_mode,
        cpus=request_cpus,
        memory_gib=request_memory_gib,
        models=request_model,
    )
    deliver(import_openb(nodes, pods, asked, rules), out)


def _pairs(option: str, texts: list[str] | None) -> dict[str, int]:
    pairs: dict[str, int] = {}
    for text in texts or ():
        name, equals, number = text.partition("=")
        try:
            pairs[name] = int(number)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise ConfigError(f"{option}: found {text!r}, expected NAME=NUMBER")
    return pairs


def _by_gpus(option: str, texts: list[str] | None) -> dict[int, int]:
    pairs = _pairs(option, texts)
    wrong = [name for name in pairs if not name.isdecimal()]
    if wrong:
        raise ConfigError(f"{option}: found {wrong[0]!r}, expected GPUS=NUMBER")
    return {int(name): number for name, number in pairs.items()}
