"""The work that an eviction loses, and what it weighs (problem.md, section Cost)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from .errors import InstanceError, Problem
from .jobs import Job, Pod
from .policy import WeightTable
from .units import MICRO, micro

if TYPE_CHECKING:
    from .instance import Instance


def gpu_equivalents(instance: Instance, pod: Pod) -> Fraction:
    """Return the dominant share of a pod in GPUs.

    Parameters
    ----------
    instance : Instance
        For the node's GPUs and cores.
    pod : Pod
        A running pod.

    Returns
    -------
    Fraction
        ``max(share * slots, cpus * GPUs of the node / cores of the node)``; the second part is 0 where the node
        has no GPUs or names no ``cpus``.
    """
    return Fraction(*_equivalents(instance, pod))


def _equivalents(instance: Instance, pod: Pod) -> tuple[int, int]:
    """Return the dominant share as numerator and denominator: compiling a fleet asks for it once a pod."""
    shape = instance.shape(pod.node)
    held = micro(pod.share) * (len(pod.slots or ()) + (pod.gpus or 0))
    cores = shape.resources.get("cpus", 0)
    if not shape.gpus or not cores:
        return held, MICRO
    by_cores = micro(pod.resources.get("cpus", 0.0)) * shape.gpus
    return (held, MICRO) if held * cores >= by_cores * MICRO else (by_cores, cores)


def lost_seconds(job: Job) -> int:
    """Return the time of work that each GPU-equivalent of a job loses, in millionths of a second.

    Parameters
    ----------
    job : Job
        A running job.

    Returns
    -------
    int
        ``saved + restart``, where saved is the time of a checkpoint if one fits into the grace period, else the
        unsaved seconds (default: the running seconds, else 0).
    """
    checkpoint, grace = job.checkpoint_seconds, job.grace_seconds
    if checkpoint is not None and grace is not None and checkpoint <= grace:
        saved = checkpoint
    elif job.unsaved_seconds is not None:
        saved = job.unsaved_seconds
    else:
        saved = job.running_seconds or 0.0
    return micro(saved) + micro(job.restart_seconds)


def lost_work(instance: Instance, job: Job) -> dict[str, int]:
    """Return what the eviction of each pod of a job loses.

    Parameters
    ----------
    instance : Instance
        For the shapes of the nodes.
    job : Job
        A running job.

    Returns
    -------
    dict
        Pod name to millionths of a GPU-second. A pod's own statement comes first; else the job's is split over
        its pods by GPU-equivalents (evenly if all are 0; rounding goes to the first pods by name, so that the
        parts sum to the whole); else ``G * (saved + restart)``.
    """
    if job.lost_gpu_seconds is not None:
        equivalents = {pod.name: gpu_equivalents(instance, pod) for pod in job.pods}
        lost = _split(micro(job.lost_gpu_seconds), equivalents)
    else:
        seconds = lost_seconds(job)
        lost = {pod.name: _rounded(*_equivalents(instance, pod), seconds) for pod in job.pods}
    for pod in job.pods:
        if pod.lost_gpu_seconds is not None:
            lost[pod.name] = micro(pod.lost_gpu_seconds)
    return lost


def _rounded(numerator: int, denominator: int, seconds: int) -> int:
    """Return the product with millionths of a second, rounded to the nearest, halves to the even number."""
    whole, rest = divmod(numerator * seconds, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2))


def _split(whole: int, parts: dict[str, Fraction]) -> dict[str, int]:
    names = sorted(parts)
    total = sum(parts.values())
    shares = {name: parts[name] / total if total else Fraction(1, len(names)) for name in names}
    floors = {name: whole * shares[name] // 1 for name in names}
    rest = whole - sum(floors.values())
    return {name: int(floors[name]) + (index < rest) for index, name in enumerate(names)}


def priority_weights(instance: Instance, priorities: Sequence[int] | None = None) -> dict[int, int]:
    """Return the weight of every priority below the request's.

    Parameters
    ----------
    instance : Instance
        For the policy and the priorities of the running jobs.
    priorities : sequence of int, optional
        The distinct priorities of all jobs, ascending, where they are known already.

    Returns
    -------
    dict
        Priority to weight in millionths. ``value`` is ``max(priority, 1)``, ``rank`` the 1-based rank among the
        distinct priorities of all jobs, ``uniform`` and ``tiered`` are 1, a table says it itself.

    Raises
    ------
    InstanceError
        A table lacks the priority of a job that may be evicted.
    """
    weights = instance.policy.weights
    if priorities is None:
        priorities = sorted({job.priority for job in instance.jobs})
    below = [priority for priority in priorities if priority < instance.request.priority]
    if isinstance(weights, WeightTable):
        missing = [priority for priority in below if str(priority) not in weights.table]
        if missing:
            expected = f"a weight for priority {missing[0]}, which jobs below the request have"
            raise InstanceError([Problem("policy.weights.table", "", expected)])
        return {priority: micro(weights.table[str(priority)]) for priority in below}
    if weights == "value":
        return {priority: max(priority, 1) * MICRO for priority in below}
    if weights == "rank":
        return {priority: (rank + 1) * MICRO for rank, priority in enumerate(priorities) if priority in set(below)}
    return dict.fromkeys(below, MICRO)
