"""Racks of 18 four-GPU trays that share one NVLink domain: gangs above the node, for a gang that needs one rack."""

from __future__ import annotations

from typing import Any

from ...models.instance import Instance
from . import draw
from .pods import placed

# GB200 NVL72: 18 compute trays of 4 GPUs in one NVLink domain (topograph's model of it).
MACHINE = "gb200-nvl72-node"
TRAYS, GPUS = 18, 4
# Pods and GPUs a pod of running jobs: from single GPUs to half a rack, drawn, no trace of such racks is public.
SHAPES = {(1, 1): 0.15, (1, 2): 0.15, (1, 4): 0.25, (2, 4): 0.2, (4, 4): 0.15, (8, 4): 0.1}
PRIORITIES = {10: 0.4, 50: 0.3, 75: 0.2, 125: 0.1}
REQUEST_PRIORITY = 100
PODS = (4, 8, 16)


def nvl72(
    seed: int, index: int = 0, *, nodes: int = 72, fill: float = 0.95, request_gpus: int | None = None
) -> Instance:
    """Return NVL72 racks full of gangs and a gang that must share one NVLink domain.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the request has 4, 8, 16, 4, ... pods, every other one in slices of two trays' pods.
    nodes : int
        Trays, 18 to a rack.
    fill : float
        Share of the GPUs in use.
    request_gpus : int, optional
        GPUs of each pod of the request; default 4, a tray.

    Returns
    -------
    Instance
        Half of the gangs are rigid, the others keep going with half of their pods.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("nvl72", seed, index)
    hosts: list[dict[str, Any]] = [
        {"name": f"t{number:03d}", "machine": MACHINE, "within": {"rack": f"rack{number // TRAYS}"}}
        for number in range(nodes)
    ]
    room = draw.Room({host["name"]: range(GPUS) for host in hosts})
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        pods, gpus = draw.weighted(rng, SHAPES)
        name = f"gang-{len(jobs):04d}"
        job = {"name": name, "priority": draw.weighted(rng, PRIORITIES), **draw.timing(rng)}
        job["pods"] = placed(rng, room, name, pods, gpus, 0.0)
        if len(job["pods"]) > 1 and rng.random() < 0.5:
            job["min_available"] = len(job["pods"]) // 2
        jobs.append(job)
    pods = min(PODS[index % len(PODS)], max(2, nodes // 2 * 2))
    affinity: dict[str, Any] = {"pod": {"island": "node"}, "gang": {"island": "rack"}}
    if index % 2:
        affinity["slice"] = {"island": "rack", "size": 2}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Racks of GB200 NVL72; job sizes, ages and places are drawn.",
            "origin": {"family": "nvl72", "seed": seed, "index": index},
            "cluster": {"levels": ["rack", "node"], "nodes": hosts},
            "jobs": jobs,
            "request": {
                "name": f"request-{pods}",
                "priority": REQUEST_PRIORITY,
                "pods": pods,
                "gpus": request_gpus or GPUS,
                "affinity": affinity,
            },
        },
        source="scenario nvl72",
    )
