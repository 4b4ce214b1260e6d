"""A sample of Alibaba's openb cluster: nodes of 1 to 8 cards, shared cards, best-effort pods among sensitive ones."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.instance import Instance
from . import draw
from .pods import placed

# Alibaba cluster-trace-gpu-v2023 (openb; Weng et al., USENIX ATC 2023): GPU nodes by cards, model and cores.
NODES = {
    (8, "G2", 96): 549, (2, "T4", 104): 387, (2, "P100", 16): 107, (8, "G3", 128): 39, (4, "V100M16", 32): 28,
    (2, "P100", 64): 24, (8, "V100M32", 96): 21, (1, "V100M16", 8): 22, (4, "T4", 96): 17, (4, "V100M32", 48): 9,
    (8, "V100M16", 64): 8,
}  # fmt: skip
# The same trace: quality of service by number of GPU pods, cards by GPU-hours (over cards: how many run at a time),
# and how often a pod asks for a part of a card.
QOS = {"LS": 56.8, "BE": 41.7, "Burstable": 1.4, "Guaranteed": 0.1}
PRIORITIES = {"LS": 100, "Guaranteed": 100, "Burstable": 50, "BE": 10}
CARDS = {1: 85.0, 2: 0.7 / 2, 4: 0.8 / 4, 8: 13.5 / 8}
SHARED = 0.436
SHARES = (0.81, 0.47, 0.32, 0.65, 0.23, 0.46)
REQUESTS = (2, 3, 4)
REQUEST_PRIORITY = 100
GPUS = 8


def openb(
    seed: int, index: int = 0, *, nodes: int = 60, fill: float = 0.98, request_gpus: int | None = None
) -> Instance:
    """Return a sample of the openb inventory, filled, and a latency-sensitive request.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the requests ask for 2, 3, 4, 2, ... cards in turn.
    nodes : int
        Nodes, drawn from the inventory; the first has 8 cards.
    fill : float
        Share of the cards in use.
    request_gpus : int, optional
        Cards of the request instead of the turn.

    Returns
    -------
    Instance
        Best-effort and burstable pods may go. The trace has no topology: two sockets with half of the cards each are
        assumed, and cores in proportion to cards.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("openb", seed, index)
    kinds = [(8, "G2", 96), *(draw.weighted(rng, NODES) for _ in range(nodes - 1))]
    hosts = [{"name": f"n{number:04d}", "machine": _name(kind)} for number, kind in enumerate(kinds)]
    room = draw.Room({host["name"]: range(kind[0]) for host, kind in zip(hosts, kinds, strict=True)})
    cores = {host["name"]: kind[2] / kind[0] for host, kind in zip(hosts, kinds, strict=True)}
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        jobs += _jobs(rng, room, cores, len(jobs))
    cards = request_gpus or REQUESTS[index % len(REQUESTS)]
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Inventory, sizes, shares and classes of Alibaba openb (2023); topology and places assumed.",
            "origin": {"family": "openb", "seed": seed, "index": index},
            "cluster": {
                "levels": ["node", "socket"],
                "machines": {_name(kind): _machine(kind) for kind in sorted(set(kinds))},
                "nodes": hosts,
            },
            "jobs": jobs,
            "request": {
                "name": f"request-{cards}",
                "priority": REQUEST_PRIORITY,
                "gpus": cards,
                "resources": {"cpus": 4 * cards},
                "affinity": {"pod": {"island": "socket", "mode": "best-effort"}},
            },
        },
        source="scenario openb",
    )


def _name(kind: tuple[int, str, int]) -> str:
    cards, model, cores = kind
    return f"{model}x{cards}-{cores}"


def _machine(kind: tuple[int, str, int]) -> dict[str, Any]:
    cards, model, cores = kind
    half = (cards + 1) // 2
    sockets = {"s0": list(range(half)), "s1": list(range(half, cards))}
    return {"gpus": cards, "gpu_model": model, "domains": {"socket": sockets}, "resources": {"cpus": cores}}


def _jobs(rng: Random, room: draw.Room, cores: dict[str, float], number: int) -> list[dict[str, Any]]:
    """Return one job, or two that share a card."""
    qos = draw.weighted(rng, QOS)
    cards = 1 if qos == "BE" else draw.weighted(rng, CARDS)
    first = _job(rng, room, cores, f"pod-{number:05d}", qos, cards)
    if cards > 1 or rng.random() >= SHARED:
        return [first]
    pod = first["pods"][0]
    pod["share"] = rng.choice(SHARES)
    pod["resources"]["cpus"] *= pod["share"]
    rest = [share for share in SHARES if share + pod["share"] <= 1]
    if not rest or rng.random() < 0.5:
        return [first]
    share, other = rng.choice(rest), draw.weighted(rng, QOS)
    name = f"pod-{number + 1:05d}"
    beside = {**pod, "name": f"{name}-0", "share": share, "resources": {"cpus": cores[pod["node"]] * share}}
    return [first, {"name": name, "priority": PRIORITIES[other], **draw.timing(rng), "pods": [beside]}]


def _job(rng: Random, room: draw.Room, cores: dict[str, float], name: str, qos: str, cards: int) -> dict[str, Any]:
    pods = placed(rng, room, name, 1, cards, 0.0)
    for pod in pods:
        pod["resources"] = {"cpus": cores[pod["node"]] * len(pod["slots"])}
    return {"name": name, "priority": PRIORITIES[qos], **draw.timing(rng), "pods": pods}
