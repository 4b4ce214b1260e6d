"""A full fleet of many equal nodes, for measuring speed: racks of 16, every slot held, small jobs and gangs."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.errors import ConfigError
from ...models.instance import Instance
from . import draw

GPUS = 8
NODES_A_RACK = 16
RACKS_A_ZONE = 40
PRIORITIES = (10, 20, 30, 50, 80, 100)
REQUEST_PRIORITY = 1000
SMALL = {1: 0.5, 2: 0.3, 4: 0.2}
CPUS_A_GPU = 12
MACHINE: dict[str, Any] = {
    "gpus": GPUS,
    "gpu_model": "H100",
    "domains": {"numa": {"n0": [0, 1, 2, 3], "n1": [4, 5, 6, 7]}},
    "fully_linked": True,
    "resources": {"cpus": 128, "memory_gib": 2048, "pods": 110},
}
ALIGNED = {"domain_resources": {"numa": {"n0": {"cpus": 64}, "n1": {"cpus": 64}}}, "topology_policy": "restricted"}

REQUESTS: dict[str, dict[str, Any]] = {
    "1x4-numa": {"pods": 1, "gpus": 4, "affinity": {"pod": {"island": "numa"}}},
    "16x4-rack": {"pods": 16, "gpus": 4, "affinity": {"pod": {"island": "numa"}, "gang": {"island": "rack"}}},
    "8x8-rack": {"pods": 8, "gpus": 8, "affinity": {"gang": {"island": "rack"}}},
    "64x4-anywhere": {"pods": 64, "gpus": 4, "affinity": {"pod": {"island": "numa"}}},
    "256x4-anywhere": {"pods": 256, "gpus": 4, "affinity": {"pod": {"island": "numa"}}},
}
"""Requests by name: pods x GPUs, and where."""


def fleet(
    seed: int, index: int = 0, *, nodes: int = 10_000, fill: float = 1.0, request: str = "1x4-numa", rules: bool = False
) -> Instance:
    """Return a full cluster and one of the requests of the speed tables.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series.
    nodes : int
        Number of nodes with 8 GPUs in 2 NUMA nodes, 16 to a rack, 40 racks to a zone.
    fill : float
        Share of the jobs that run; 1: every slot is held.
    request : str
        A key of `REQUESTS`.
    rules : bool
        Add what a real fleet has: NUMA CPUs under a restricted kubelet, budgets, reservations and ladders.

    Returns
    -------
    Instance
        Jobs of 1, 2, 4 and 8 GPUs and rigid gangs of 2 to 8 nodes.

    Raises
    ------
    ConfigError
        A size is out of range or the request is unknown.
    """
    draw.checked_size(nodes, fill, None, GPUS)
    if request not in REQUESTS:
        raise ConfigError(f"request {request!r}: expected one of {', '.join(REQUESTS)}")
    rng = draw.source("fleet", seed, index)
    jobs = [job for job in _jobs(rng, nodes, rules) if fill == 1.0 or rng.random() < fill]
    document: dict[str, Any] = {
        "format": "topreempt/v1",
        "comment": "A fleet for speed tables: every slot held by jobs of 1, 2, 4, 8 GPUs and gangs of 2 to 8 nodes.",
        "origin": {"family": "fleet", "seed": seed, "index": index},
        "cluster": {
            "levels": ["zone", "rack", "node", "numa"],
            "machines": {"hgx": MACHINE | (ALIGNED if rules else {})},
            "nodes": [_node(number) for number in range(nodes)],
        },
        "jobs": jobs,
        "request": _request(request, rules),
    }
    if rules:
        document["budgets"] = [{"name": f"team-{number:02d}", "max_evictions": 10 + number % 7} for number in range(40)]
        document["reservations"] = [_reservation(rng, nodes, number) for number in range(nodes // 50)]
    return Instance.parse(document)


def _node(number: int) -> dict[str, Any]:
    rack = number // NODES_A_RACK
    within = {"zone": f"z{rack // RACKS_A_ZONE:02d}", "rack": f"r{rack:04d}"}
    return {"name": f"n{number:05d}", "machine": "hgx", "within": within}


def _jobs(rng: Random, nodes: int, rules: bool) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = []
    node = 0
    while node < nodes:
        kind = rng.random()
        wide = rng.randint(2, 8)
        if kind < 0.12 and node + wide <= nodes:
            jobs.append(_job(rng, len(jobs), [(node + step, 0, GPUS) for step in range(wide)], rules))
            node += wide
            continue
        first = GPUS if kind >= 0.22 else 0
        if not first:
            jobs.append(_job(rng, len(jobs), [(node, 0, GPUS)], rules))
        slot = 0
        while first and slot < GPUS:
            size = min(draw.weighted(rng, SMALL), GPUS - slot)
            size = size if size in SMALL else 2
            jobs.append(_job(rng, len(jobs), [(node, slot, size)], rules))
            slot += size
        node += 1
    return jobs


def _job(rng: Random, number: int, places: list[tuple[int, int, int]], rules: bool) -> dict[str, Any]:
    unsaved = rng.randint(60, 7200)
    fields: dict[str, Any] = {"budget": f"team-{rng.randrange(40):02d}"} if rules and rng.random() < 0.3 else {}
    return fields | {
        "name": f"job-{number:06d}",
        "priority": rng.choice(PRIORITIES),
        "running_seconds": 2 * unsaved,
        "unsaved_seconds": unsaved,
        "restart_seconds": 60,
        "pods": [
            {
                "name": f"job-{number:06d}-{index}",
                "node": f"n{node:05d}",
                "slots": list(range(slot, slot + size)),
                "resources": {"cpus": CPUS_A_GPU * size, "memory_gib": 200 * size},
            }
            for index, (node, slot, size) in enumerate(places)
        ],
    }


def _reservation(rng: Random, nodes: int, number: int) -> dict[str, Any]:
    higher = rng.random() < 0.5
    place = {"node": f"n{rng.randrange(nodes):05d}", "slots": [rng.randrange(GPUS)]}
    return {"owner": f"promised-{number:04d}", "priority": REQUEST_PRIORITY + 1 if higher else 500, **place}


def _request(name: str, rules: bool) -> dict[str, Any]:
    fields = {"name": name, "priority": REQUEST_PRIORITY, **REQUESTS[name]}
    if rules:
        affinity = {scope: asked | {"mode": "best-effort"} for scope, asked in fields["affinity"].items()}
        fields |= {"affinity": affinity, "resources": {"cpus": CPUS_A_GPU * fields["gpus"], "memory_gib": 100}}
    return fields
