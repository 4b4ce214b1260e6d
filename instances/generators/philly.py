"""Many small jobs on machines that are not four and four: the mix of Microsoft's Philly, irregular layouts."""

from __future__ import annotations

from typing import Any

from ...models.instance import Instance
from . import draw
from .pods import lasting, placed

# Philly (msr-fiddle/philly-traces): sizes inside one node by number of jobs; run times of its 15,230 jobs as Gavel
# and Alibaba's philly_runtime give them (median 1,186 s). 11 virtual clusters.
CARDS = {1: 83, 2: 2, 4: 8, 8: 7}
MEDIAN_SECONDS, SPREAD = 1186, 1.9
VIRTUAL_CLUSTERS = 11
MACHINES = ("h100-pcie8-irregular", "rccl-4p3l-2h", "pcie8-nv12-pairs")
PRIORITIES = {10: 0.5, 20: 0.3, 50: 0.2}
REQUEST_PRIORITY = 100
REQUESTS: tuple[dict[str, Any], ...] = (
    {"gpus": 2, "island": "link-clique"},
    {"gpus": 3, "island": "numa"},
    {"gpus": 4, "island": "numa"},
    {"gpus": 4, "island": "link-connected", "mode": "best-effort"},
)
GPUS = 8


def philly_small(
    seed: int, index: int = 0, *, nodes: int = 24, fill: float = 0.99, request_gpus: int | None = None
) -> Instance:
    """Return irregular machines full of small jobs and a request for an island of one of them.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the kinds of islands come in turn.
    nodes : int
        Nodes; the machines (of the catalogue) come in turn.
    fill : float
        Share of the cards in use.
    request_gpus : int, optional
        Cards of the request instead of the turn's.

    Returns
    -------
    Instance
        Each virtual cluster has a disruption budget of two.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("philly-small", seed, index)
    hosts = [{"name": f"n{number:03d}", "machine": MACHINES[number % len(MACHINES)]} for number in range(nodes)]
    room = draw.Room({host["name"]: range(GPUS) for host in hosts})
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        name, seconds = f"job-{len(jobs):04d}", lasting(rng, MEDIAN_SECONDS, SPREAD)
        jobs.append(
            {
                "name": name,
                "priority": draw.weighted(rng, PRIORITIES),
                "budget": f"vc-{rng.randrange(VIRTUAL_CLUSTERS):02d}",
                "running_seconds": seconds,
                "restart_seconds": rng.choice((30, 60, 120)),
                "pods": placed(rng, room, name, 1, draw.weighted(rng, CARDS), 0.0),
            }
        )
    wanted = REQUESTS[index % len(REQUESTS)]
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Sizes and run times of Microsoft's Philly on machines with irregular NUMA nodes and links.",
            "origin": {"family": "philly-small", "seed": seed, "index": index},
            "cluster": {"levels": ["node", "socket", "numa"], "nodes": hosts},
            "jobs": jobs,
            "budgets": [{"name": f"vc-{number:02d}", "max_evictions": 2} for number in range(VIRTUAL_CLUSTERS)],
            "request": {
                "name": f"request-{wanted['island']}",
                "priority": REQUEST_PRIORITY,
                "gpus": request_gpus or wanted["gpus"],
                "affinity": {"pod": {key: wanted[key] for key in ("island", "mode") if key in wanted}},
            },
        },
        source="scenario philly-small",
    )
