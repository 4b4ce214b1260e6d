"""Spot pods among high-priority ones on eight-card nodes: two classes, so only work and place tell victims apart."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.instance import Instance
from . import draw
from .pods import lasting, placed

# Alibaba cluster-trace-v2026-spot-gpu (GFS, ASPLOS 2026), aggregates: eight-card nodes by model.
NODES = {"A100-SXM4-80GB": 432, "H800": 219, "GPU-series-2": 122, "GPU-series-1": 77, "A800-SXM4-80GB": 22}
# The same trace: high-priority and spot jobs, cards a worker (whole cards), several workers, their mean number.
CLASSES = {"HP": 74, "Spot": 26}
CARDS = {1: 67.5, 2: 4.9, 4: 3.9, 8: 13.1}
MULTI_WORKER = 0.113
WORKERS = {"HP": 8.7, "Spot": 24.3}
MEDIAN_SECONDS = {"HP": 2772, "Spot": 1008}
PRIORITIES = {"HP": 100, "Spot": 10}
REQUEST_PRIORITY = 100
REQUESTS = ((1, 4), (1, 8), (2, 8))
NODES_A_RACK = 8
GPUS = 8
SPREAD = 1.5


def spot(
    seed: int, index: int = 0, *, nodes: int = 48, fill: float = 0.95, request_gpus: int | None = None
) -> Instance:
    """Return a cluster of high-priority and spot jobs (74 : 26) and a high-priority request.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; one pod of 4 cards, one of 8, two of 8, ... in turn.
    nodes : int
        Eight-card nodes, models in the trace's proportion, eight to a rack.
    fill : float
        Share of the cards in use.
    request_gpus : int, optional
        Cards of each pod of the request instead of the turn's.

    Returns
    -------
    Instance
        Spot jobs of several workers are rigid. The trace has no topology: two sockets of four cards and an NVSwitch
        are assumed.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("spot", seed, index)
    hosts = [
        {
            "name": f"n{number:03d}",
            "machine": draw.weighted(rng, NODES),
            "within": {"rack": f"r{number // NODES_A_RACK}"},
        }
        for number in range(nodes)
    ]
    room = draw.Room({host["name"]: range(GPUS) for host in hosts})
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        jobs.append(_job(rng, room, len(jobs)))
    pods, gpus = REQUESTS[index % len(REQUESTS)]
    pods, gpus = min(pods, nodes), request_gpus or gpus
    island = "socket" if gpus <= GPUS // 2 else "node"
    affinity: dict[str, Any] = {"pod": {"island": island}}
    if pods > 1:
        affinity["gang"] = {"island": "rack", "mode": "best-effort"}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Classes, sizes and models of Alibaba's spot-GPU trace (2026), aggregates; places drawn.",
            "origin": {"family": "spot", "seed": seed, "index": index},
            "cluster": {
                "levels": ["rack", "node", "socket"],
                "machines": {host["machine"]: _machine(host["machine"]) for host in hosts},
                "nodes": hosts,
            },
            "jobs": jobs,
            "request": {
                "name": f"hp-{pods}x{gpus}",
                "priority": REQUEST_PRIORITY,
                "pods": pods,
                "gpus": gpus,
                "resources": {"cpus": 12 * gpus},
                "affinity": affinity,
            },
        },
        source="scenario spot",
    )


def _machine(model: str) -> dict[str, Any]:
    return {
        "gpus": GPUS,
        "gpu_model": model,
        "domains": {"socket": {"s0": [0, 1, 2, 3], "s1": [4, 5, 6, 7]}},
        "fully_linked": True,
        "resources": {"cpus": 12 * GPUS},
    }


def _job(rng: Random, room: draw.Room, number: int) -> dict[str, Any]:
    kind = draw.weighted(rng, CLASSES)
    workers = 1 + round(rng.expovariate(1 / (WORKERS[kind] - 1))) if rng.random() < MULTI_WORKER else 1
    name, seconds = f"{kind.lower()}-{number:04d}", lasting(rng, MEDIAN_SECONDS[kind], SPREAD)
    saved = min(seconds, float(rng.randrange(1800)))
    return {
        "name": name,
        "priority": PRIORITIES[kind],
        "running_seconds": seconds,
        "unsaved_seconds": saved if rng.random() < 0.5 else seconds,
        "restart_seconds": rng.choice((30, 60, 120)),
        "pods": placed(rng, room, name, workers, draw.weighted(rng, CARDS), 12.0),
    }
