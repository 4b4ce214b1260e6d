"""The published experiment's cluster: 100 servers of 8 GPUs in 8 NUMA nodes, filled with pods of one and two cards."""

from __future__ import annotations

from typing import Any

from ...models.instance import Instance
from . import draw

MACHINE = "rtx4090-8numa"
GPUS = 8
CORES_A_CARD = 7
CARDS = {1: 0.6, 2: 0.4}
PRIORITIES = {100: 0.35, 200: 0.3, 300: 0.2, 1000: 0.15}
REQUEST_PRIORITY = 1000
REQUESTS = (1, 2, 4)


def paper(
    seed: int, index: int = 0, *, nodes: int = 100, fill: float = 1.0, request_gpus: int | None = None
) -> Instance:
    """Return a filled cluster and a request of 1, 2 or 4 cards (the setting of arXiv 2411.11560, section 5).

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the requests ask for 1, 2, 4, 1, ... cards in turn.
    nodes : int
        Servers; the paper has 100 simulated and 41 real ones.
    fill : float
        Share of the cards in use.
    request_gpus : int, optional
        Cards of the request instead of the turn.

    Returns
    -------
    Instance
        Pods hold 7 cores a card and cards at random. One pod in seven has the request's priority and stays. One
        card must lie in a NUMA node; several should share a socket, and a server at the least.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("paper", seed, index)
    names = [f"server-{number:03d}" for number in range(nodes)]
    room = draw.Room({name: range(GPUS) for name in names})
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        cards = min(draw.weighted(rng, CARDS), room.free)
        node = room.any_with(rng, cards) or room.any_with(rng, cards := 1)
        if node is None:
            break
        name = f"job-{len(jobs):04d}"
        pod = {
            "name": f"{name}-0",
            "node": node,
            "slots": room.take(rng, node, cards),
            "resources": {"cpus": CORES_A_CARD * cards},
        }
        jobs.append({"name": name, "priority": draw.weighted(rng, PRIORITIES), **draw.timing(rng), "pods": [pod]})
    cards = request_gpus or REQUESTS[index % len(REQUESTS)]
    pod_affinity = {"island": "numa"} if cards == 1 else {"island": "socket", "mode": "best-effort"}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Cluster, cards and cores of arXiv 2411.11560; ages, losses and places are drawn.",
            "origin": {"family": "paper", "seed": seed, "index": index},
            "cluster": {
                "levels": ["node", "socket", "numa"],
                "nodes": [{"name": name, "machine": MACHINE} for name in names],
            },
            "jobs": jobs,
            "request": {
                "name": f"request-{cards}",
                "priority": REQUEST_PRIORITY,
                "gpus": cards,
                "resources": {"cpus": CORES_A_CARD * cards},
                "affinity": {"pod": pod_affinity},
            },
        },
        source="scenario paper",
    )
