"""Pods of one running job, put on nodes with room at random, as clusters without topology awareness hold them."""

from __future__ import annotations

from random import Random
from typing import Any

from . import draw


def placed(rng: Random, room: draw.Room, name: str, pods: int, gpus: int, cores: float) -> list[dict[str, Any]]:
    """Return the pods of a job.

    Parameters
    ----------
    rng : Random
        The source.
    room : Room
        Free slots; at least one is left.
    name : str
        The job.
    pods : int
        How many pods it wants; fewer where the cluster is full before.
    gpus : int
        Slots a pod; where no node has so many, as many as the emptiest node has.
    cores : float
        Cores a slot.

    Returns
    -------
    list of dict
        At least one pod.
    """
    found: list[dict[str, Any]] = []
    for number in range(pods):
        node = room.any_with(rng, gpus)
        if node is None and not found:
            gpus = max(size for size in range(1, gpus) if room.any_with(rng, size) is not None)
            node = room.any_with(rng, gpus)
        if node is None:
            break
        slots = room.take(rng, node, gpus)
        found.append({"name": f"{name}-{number}", "node": node, "slots": slots, "resources": {"cpus": cores * gpus}})
    return found


def lasting(rng: Random, median: float, spread: float) -> float:
    """Return a log-normal time.

    Parameters
    ----------
    rng : Random
        The source.
    median : float
        Its median in seconds.
    spread : float
        Standard deviation of its logarithm.

    Returns
    -------
    float
        Whole seconds, at least 1.
    """
    return float(max(1, round(rng.lognormvariate(0.0, spread) * median)))
