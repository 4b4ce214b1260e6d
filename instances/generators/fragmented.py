"""Irregular machines after many starts and ends: free slots enough, islands none; every rule of one node at work."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.instance import Instance
from . import draw

GPUS = 8
SIZES = {1: 0.5, 2: 0.25, 3: 0.1, 4: 0.15}
PRIORITIES = {10: 0.4, 50: 0.3, 75: 0.2, 200: 0.1}
REQUEST_PRIORITY = 100

MACHINES: dict[str, dict[str, Any]] = {
    # Sockets of three and five, and a bridge that crosses them.
    "three-five": {
        "gpus": GPUS,
        "gpu_model": "H100-PCIe",
        "domains": {
            "socket": {"s0": [0, 1, 2], "s1": [3, 4, 5, 6, 7]},
            "numa": {"n0": [0, 1, 2], "n1": [3, 4, 5, 6, 7]},
        },
        "links": [{"gpus": pair, "kind": "nvlink", "count": 12} for pair in ([0, 5], [1, 2], [3, 4], [6, 7])],
        "resources": {"cpus": 112, "pods": 110},
        "domain_resources": {"numa": {"n0": {"cpus": 48}, "n1": {"cpus": 64}}},
        "topology_policy": "restricted",
    },
    # NUMA numbers that follow neither the slots nor the sockets; aligned blocks of a switch.
    "scrambled": {
        "gpus": GPUS,
        "gpu_model": "A100",
        "domains": {
            "socket": {"s0": [0, 1, 2, 3], "s1": [4, 5, 6, 7]},
            "numa": {"n3": [0, 1], "n1": [2, 3], "n7": [4, 5], "n5": [6, 7]},
        },
        "fully_linked": True,
        "blocks": [[0, 1], [2, 3], [4, 5], [6, 7], [0, 1, 2, 3], [4, 5, 6, 7], list(range(GPUS))],
        "resources": {"cpus": 128, "pods": 110},
    },
    # A mesh in which every card reaches four others.
    "mesh": {
        "gpus": GPUS,
        "gpu_model": "V100",
        "domains": {"socket": {"s0": [0, 1, 2, 3], "s1": [4, 5, 6, 7]}},
        "links": [
            *({"gpus": [a, b], "kind": "nvlink"} for a in range(4) for b in range(a + 1, 4)),
            *({"gpus": [a, b], "kind": "nvlink"} for a in range(4, 8) for b in range(a + 1, 8)),
            *({"gpus": [a, a + 4], "kind": "nvlink", "count": 2} for a in range(4)),
        ],
        "resources": {"cpus": 96, "pods": 110},
    },
}
REQUESTS: tuple[dict[str, Any], ...] = (
    {"gpus": 2, "island": "numa"},
    {"gpus": 3, "island": "socket"},
    {"gpus": 4, "island": "socket"},
    {"gpus": 2, "island": "link-clique", "link_kind": "nvlink"},
    {"gpus": 4, "island": "link-connected"},
    {"gpus": 4, "island": "block"},
    {"gpus": 4, "island": "numa", "ladder": ["numa", "socket", "node"]},
)


def fragmented(
    seed: int, index: int = 0, *, nodes: int = 12, fill: float = 0.9, request_gpus: int | None = None
) -> Instance:
    """Return an aged cluster of irregular machines and a request for an island of one node.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the kinds of islands come in turn.
    nodes : int
        Number of nodes; the machines come in turn.
    fill : float
        Share of the slots in use.
    request_gpus : int, optional
        Slots of the request instead of the turn's.

    Returns
    -------
    Instance
        With elastic jobs, half shares, budgets, an offline slot and jobs that may not be evicted.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("fragmented", seed, index)
    kinds = list(MACHINES)
    host = [{"name": f"n{number:03d}", "machine": kinds[number % len(kinds)]} | _faults(rng) for number in range(nodes)]
    room = draw.Room(
        {node["name"]: [slot for slot in range(GPUS) if slot not in node.get("offline_slots", ())] for node in host}
    )
    wanted = REQUESTS[index % len(REQUESTS)]
    affinity = {key: wanted[key] for key in ("island", "link_kind", "ladder") if key in wanted}
    request = {
        "name": "request",
        "priority": REQUEST_PRIORITY,
        "gpus": request_gpus or wanted["gpus"],
        "resources": {"cpus": 4 * (request_gpus or wanted["gpus"])},
        "affinity": {"pod": affinity | {"mode": "best-effort" if "ladder" in wanted else "guaranteed"}},
    }
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Filled, drained at random and filled again; machines after published topologies.",
            "origin": {"family": "fragmented", "seed": seed, "index": index},
            "cluster": {"levels": ["node", "socket", "numa"], "machines": MACHINES, "nodes": host},
            "jobs": _aged_jobs(rng, room, fill),
            "budgets": [{"name": "team-a", "max_evictions": 1}, {"name": "team-b", "max_evictions": 3}],
            "request": request,
        },
        source="scenario fragmented",
    )


def _faults(rng: Random) -> dict[str, Any]:
    return {"offline_slots": [rng.randrange(GPUS)]} if rng.random() < 0.1 else {}


def _aged_jobs(rng: Random, room: draw.Room, fill: float) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = []
    started = 0
    for target, drained in ((1.0, False), (0.5 * fill, True), (fill, True)):
        while room.fill > target and jobs:
            for pod in jobs.pop(rng.randrange(len(jobs)))["pods"]:
                room.give_back(pod["node"], pod["slots"])
        while room.fill < target:
            jobs.append(_job(rng, room, f"job-{started:04d}", spread=drained))
            started += 1
    return jobs


def _job(rng: Random, room: draw.Room, name: str, *, spread: bool) -> dict[str, Any]:
    gpus = 1 if spread else draw.weighted(rng, SIZES)
    job: dict[str, Any] = {"name": name, "priority": draw.weighted(rng, PRIORITIES), **draw.timing(rng), "pods": []}
    for number in range(rng.choice((1, 1, 1, 2, 3))):
        node = room.any_with(rng, gpus) or (room.any_with(rng, gpus := 1) if not number else None)
        if node is None:
            break
        # The last small pods go where most is free, as schedulers that spread load do: that is what splits islands.
        node = room.emptiest(rng) if spread else node
        pod = {"name": f"{name}-{number}", "node": node, "slots": room.take(rng, node, gpus)}
        job["pods"].append(pod | {"resources": {"cpus": 4 * gpus}})
        if gpus == 1 and rng.random() < 0.2:
            job["pods"][-1]["share"] = 0.5
    if len(job["pods"]) > 1 and rng.random() < 0.5:
        job["min_available"] = rng.randrange(len(job["pods"]))
    if rng.random() < 0.2:
        job["budget"] = rng.choice(("team-a", "team-b"))
    if rng.random() < 0.05:
        job["preemptible"] = False
    return job
