"""The options that describe a request where the imported data has none, shared by all sources."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

Name = Annotated[str, typer.Option("--request-name", metavar="NAME", help="The request's name.")]
Priority = Annotated[int, typer.Option("--request-priority", metavar="N", help="Its priority.")]
Pods = Annotated[int, typer.Option("--request-pods", min=1, metavar="N", help="Its pods.")]
Gpus = Annotated[int, typer.Option("--request-gpus", min=0, metavar="N", help="GPUs a pod.")]
Share = Annotated[float, typer.Option("--request-share", metavar="SHARE", help="Share of each GPU, up to 1.")]
Island = Annotated[str, typer.Option("--request-island", metavar="ISLAND", help="What the GPUs of a pod must share.")]
Gang = Annotated[
    str | None, typer.Option("--request-gang", metavar="ISLAND", help="What all pods must share; default nothing.")
]
Mode = Annotated[
    Literal["guaranteed", "best-effort"],
    typer.Option("--request-mode", metavar="guaranteed|best-effort", help="Whether looser islands will do."),
]
Cpus = Annotated[float, typer.Option("--request-cpus", min=0, metavar="N", help="Cores a pod.")]
MemoryGib = Annotated[float, typer.Option("--request-memory-gib", min=0, metavar="GIB", help="Memory a pod.")]
Models = Annotated[
    list[str] | None,
    typer.Option("--request-model", metavar="MODEL", help="A GPU model that will do; may be repeated; default any."),
]


def request_of(
    *,
    name: str,
    priority: int,
    pods: int,
    gpus: int,
    share: float,
    island: str,
    gang: str | None,
    mode: str,
    cpus: float,
    memory_gib: float,
    models: list[str] | None,
) -> dict[str, Any]:
    """Return the request's fields as an instance file has them.

    Parameters
    ----------
    name, priority, pods, gpus, share, island, gang, mode, cpus, memory_gib, models
        The options above.

    Returns
    -------
    dict
        Not validated yet.
    """
    affinity: dict[str, Any] = {"pod": {"island": island, "mode": mode}}
    if gang is not None:
        affinity["gang"] = {"island": gang, "mode": mode}
    amounts = {"cpus": cpus, "memory_gib": memory_gib}
    return {
        "name": name,
        "priority": priority,
        "pods": pods,
        "gpus": gpus,
        "share": share,
        "gpu_models": models or [],
        "resources": {resource: amount for resource, amount in amounts.items() if amount},
        "affinity": affinity,
    }
