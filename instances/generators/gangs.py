"""Zones, racks and nodes full of gangs, and a gang that wants one rack: evicting one pod ends work elsewhere too."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.instance import Instance
from . import draw

GPUS = 8
NODES_A_RACK = 4
RACKS_A_ZONE = 4
SHAPES = {(1, 8): 0.2, (2, 8): 0.2, (4, 8): 0.1, (1, 4): 0.2, (2, 4): 0.15, (4, 2): 0.1, (6, 1): 0.05}
PRIORITIES = {10: 0.4, 50: 0.3, 75: 0.2, 125: 0.1}
REQUEST_PRIORITY = 100
MACHINE: dict[str, Any] = {
    "gpus": GPUS,
    "gpu_model": "H100",
    "domains": {"socket": {"s0": [0, 1, 2, 3], "s1": [4, 5, 6, 7]}},
    "fully_linked": True,
    "resources": {"cpus": 192, "pods": 110},
}


def gangs(
    seed: int, index: int = 0, *, nodes: int = 32, fill: float = 0.95, request_gpus: int | None = None
) -> Instance:
    """Return a cluster of racks filled with gangs and a gang request for one rack.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the request has 2, 4, 8, 2, ... pods, every other one in slices of two pods.
    nodes : int
        Number of nodes, four to a rack, four racks to a zone.
    fill : float
        Share of the slots in use.
    request_gpus : int, optional
        Slots of each pod of the request; default 4 or 8.

    Returns
    -------
    Instance
        Half of the gangs are rigid; the others may shrink.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("gangs", seed, index)
    host = [_node(number) for number in range(nodes)]
    room = draw.Room({node["name"]: range(GPUS) for node in host})
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        jobs.append(_job(rng, room, f"gang-{len(jobs):04d}"))
    pods = (2, 4, 8)[index % 3]
    gpus = request_gpus or rng.choice((4, 8))
    affinity: dict[str, Any] = {
        "pod": {"island": "socket" if gpus <= GPUS // 2 else "node"},
        "gang": {"island": "rack", "mode": "best-effort", "ladder": ["rack", "zone", "cluster"]},
    }
    if index % 2:
        affinity["slice"] = {"island": "rack", "size": 2}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Gang sizes from whole nodes down to single cards; places are drawn.",
            "origin": {"family": "gangs", "seed": seed, "index": index},
            "cluster": {
                "levels": ["zone", "rack", "node", "socket"],
                "machines": {"hgx": MACHINE},
                "nodes": host,
            },
            "jobs": jobs,
            "request": {
                "name": "gang-request",
                "priority": REQUEST_PRIORITY,
                "pods": pods,
                "gpus": gpus,
                "resources": {"cpus": 12 * gpus},
                "affinity": affinity,
            },
        },
        source="scenario gangs",
    )


def _node(number: int) -> dict[str, Any]:
    rack, zone = number // NODES_A_RACK, number // (NODES_A_RACK * RACKS_A_ZONE)
    return {"name": f"n{number:03d}", "machine": "hgx", "within": {"zone": f"z{zone}", "rack": f"r{rack:02d}"}}


def _job(rng: Random, room: draw.Room, name: str) -> dict[str, Any]:
    pods, gpus = draw.weighted(rng, SHAPES)
    job: dict[str, Any] = {"name": name, "priority": draw.weighted(rng, PRIORITIES), **draw.timing(rng), "pods": []}
    if room.any_with(rng, gpus) is None:
        gpus = 1
    for number in range(pods):
        node = room.any_with(rng, gpus)
        if node is None:
            break
        pod = {"name": f"{name}-{number}", "node": node, "slots": room.take(rng, node, gpus)}
        job["pods"].append(pod | {"resources": {"cpus": 12 * gpus}})
    if len(job["pods"]) > 1 and rng.random() < 0.5:
        job["min_available"] = rng.randrange(len(job["pods"]))
    return job
