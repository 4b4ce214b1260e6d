"""A cluster of language-model work: one pretraining job holds most nodes, evaluations and fine-tuning the rest."""

from __future__ import annotations

from random import Random
from typing import Any

from ...models.instance import Instance
from . import draw
from .pods import placed

# Acme's Seren (Hu et al., NSDI 2024): share of GPU time of each kind of work (digitised), quartiles of its GPUs.
GPU_TIME = {"eval": 6.2, "sft": 6.4, "other": 7.6, "mllm": 8.6, "debug": 1.7, "pretrain": 69.5}
SIZES = {
    "eval": (1, 1, 4), "sft": (2, 8, 8), "other": (1, 1, 8), "mllm": (1, 2, 8), "debug": (8, 8, 8),
    "pretrain": (64, 128, 256),
}  # fmt: skip
PRIORITIES = {"eval": 10, "debug": 20, "other": 30, "sft": 50, "mllm": 60, "pretrain": 200}
REQUEST_PRIORITY = 500
PODS = (1, 2, 4, 8)
NODES_A_LEAF = 8
GPUS = 8
CHECKPOINT_INTERVAL = 1800
"""Seconds between checkpoints of training; its age is uniform in it (intervals of 15 to 60 minutes are usual)."""


def seren(
    seed: int, index: int = 0, *, nodes: int = 64, fill: float = 0.96, request_gpus: int | None = None
) -> Instance:
    """Return a cluster with Seren's mix of work and a gang of whole nodes that wants one leaf switch.

    Parameters
    ----------
    seed : int
        Seed of the series.
    index : int
        Number in the series; the request has 1, 2, 4, 8, 1, ... pods.
    nodes : int
        Eight-GPU nodes, eight to a leaf switch.
    fill : float
        Share of the GPUs in use.
    request_gpus : int, optional
        GPUs of each pod of the request; default 8.

    Returns
    -------
    Instance
        Kinds are drawn by GPU time, as a snapshot of running work shows them. Jobs of several pods are rigid.

    Raises
    ------
    ConfigError
        A size is out of range.
    """
    draw.checked_size(nodes, fill, request_gpus, GPUS)
    rng = draw.source("seren", seed, index)
    hosts: list[dict[str, Any]] = [
        {"name": f"n{number:03d}", "machine": "hgx-a100-2numa", "within": {"leaf": f"l{number // NODES_A_LEAF}"}}
        for number in range(nodes)
    ]
    room = draw.Room({host["name"]: range(GPUS) for host in hosts})
    drawn: list[tuple[str, int]] = []
    while sum(gpus for _, gpus in drawn) < fill * room.total:
        drawn.append(_kind(rng))
    drawn.sort(key=lambda kind: -kind[1])  # what runs for weeks was there first, on whole nodes
    jobs: list[dict[str, Any]] = []
    while room.fill < fill:
        jobs.append(_job(rng, room, len(jobs), *(drawn.pop(0) if drawn else _kind(rng))))
    pods = min(PODS[index % len(PODS)], nodes)
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "comment": "Kinds of work and their GPUs as Acme reports them for Seren (2023); places are drawn.",
            "origin": {"family": "seren", "seed": seed, "index": index},
            "cluster": {"levels": ["leaf", "node", "socket", "numa"], "nodes": hosts},
            "jobs": jobs,
            "request": {
                "name": f"request-{pods}",
                "priority": REQUEST_PRIORITY,
                "pods": pods,
                "gpus": request_gpus or GPUS,
                "affinity": {"pod": {"island": "node"}, "gang": {"island": "leaf", "mode": "best-effort"}},
            },
        },
        source="scenario seren",
    )


def _kind(rng: Random) -> tuple[str, int]:
    """Return a kind of work and its GPUs; GPU time over mean GPUs gives numbers of jobs at one moment."""
    kind = draw.weighted(rng, {name: share / sum(SIZES[name]) for name, share in GPU_TIME.items()})
    return kind, rng.choice(SIZES[kind])


def _job(rng: Random, room: draw.Room, number: int, kind: str, gpus: int) -> dict[str, Any]:
    name, pods = f"{kind}-{number:04d}", max(1, gpus // GPUS)
    training = kind in ("pretrain", "sft", "mllm")
    timing = draw.timing(rng, longest=300_000.0 if kind == "pretrain" else 86_400.0)
    if training:
        age = float(rng.randrange(CHECKPOINT_INTERVAL))
        timing = {"running_seconds": timing["running_seconds"], "restart_seconds": 300.0}
        timing["unsaved_seconds"] = min(timing["running_seconds"], age)
    return {
        "name": name,
        "priority": PRIORITIES[kind],
        **timing,
        "pods": placed(rng, room, name, pods, min(gpus, GPUS), 0.0),
    }
