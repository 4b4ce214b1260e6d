"""Whom the request may evict, in every permitted way, and what that loses; written from the rules alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from topreempt.models import Instance
from topreempt.models.units import micro

from .world import ONE, shape_fields

Cost = int | tuple[int, ...]


def evictable_jobs(instance: Instance) -> list[Any]:
    """Jobs that running, priority, preemptibility, running time and labels leave open to eviction."""
    request, policy = instance.request, instance.policy
    return [
        job
        for job in instance.jobs
        if request.may_preempt
        and job.state == "running"
        and job.priority < request.priority
        and job.preemptible
        and micro(job.running_seconds or 0) >= micro(policy.min_running_seconds)
        and not set(job.labels.items()) & set(policy.protected_labels.items())
    ]


def ways_to_evict(job: Any) -> list[frozenset[str]]:
    """Nothing, all, and for an elastic job every part that leaves `min_available`."""
    names = [pod.name for pod in job.pods]
    surplus = 0 if job.min_available is None else len(names) - job.min_available
    ways = {frozenset(), frozenset(names)}
    for size in range(1, surplus + 1):
        ways |= {frozenset(part) for part in combinations(names, size)}
    return sorted(ways, key=lambda way: (len(way), sorted(way)))


def victim_sets(instance: Instance) -> Iterator[frozenset[str]]:
    """Every set of pods that may be evicted together: budgets and the greatest number of victims hold."""
    most = instance.policy.max_victims
    for ways in product(*(ways_to_evict(job) for job in evictable_jobs(instance))):
        victims = frozenset().union(*ways)
        if most is not None and len(victims) > most:
            continue
        if instance.policy.budgets == "hard" and violations(instance, victims):
            continue
        yield victims


def violations(instance: Instance, victims: frozenset[str]) -> int:
    """Evictions beyond what the budgets allow, summed over the budgets."""
    beyond = 0
    for budget in instance.budgets:
        members = {pod.name for job in instance.jobs if job.budget == budget.name for pod in job.pods}
        beyond += max(0, len(victims & members) - budget.max_evictions)
    return beyond


def gpu_equivalents(instance: Instance, pod: Any) -> Fraction:
    """The dominant share of a pod: of its GPUs and of its cores, as GPUs of the node."""
    node = next(node for node in instance.cluster.nodes if node.name == pod.node)
    fields = shape_fields(instance, node)
    slots = len(pod.slots) if pod.slots is not None else (pod.gpus or 0)
    by_gpus = Fraction(micro(pod.share) * slots, ONE)
    cores = micro(fields.resources.get("cpus", 0))
    if not fields.gpus or not cores:
        return by_gpus
    return max(by_gpus, Fraction(micro(pod.resources.get("cpus", 0)) * fields.gpus, cores))


def losses(instance: Instance) -> dict[str, int]:
    """What the eviction of each pod loses, in millionths of a GPU-second."""
    lost: dict[str, int] = {}
    for job in instance.jobs:
        sizes = {pod.name: gpu_equivalents(instance, pod) for pod in job.pods}
        if job.lost_gpu_seconds is not None:
            lost |= _split(micro(job.lost_gpu_seconds), sizes)
        else:
            lost |= {name: round(size * _seconds(job)) for name, size in sizes.items()}
        lost |= {pod.name: micro(pod.lost_gpu_seconds) for pod in job.pods if pod.lost_gpu_seconds is not None}
    return lost


def _seconds(job: Any) -> int:
    if (
        job.checkpoint_seconds is not None
        and job.grace_seconds is not None
        and micro(job.checkpoint_seconds) <= micro(job.grace_seconds)
    ):
        saved = job.checkpoint_seconds
    elif job.unsaved_seconds is not None:
        saved = job.unsaved_seconds
    else:
        saved = job.running_seconds or 0
    return micro(saved) + micro(job.restart_seconds)


def _split(whole: int, sizes: dict[str, Fraction]) -> dict[str, int]:
    if not sum(sizes.values()):
        sizes = dict.fromkeys(sizes, Fraction(1))
    parts = {name: int(whole * size / sum(sizes.values())) for name, size in sizes.items()}
    for name in sorted(parts)[: whole - sum(parts.values())]:
        parts[name] += 1
    return parts


def weight(instance: Instance, priority: int) -> int:
    """The weight of work at a priority, in millionths."""
    weights = instance.policy.weights
    if weights == "value":
        return max(priority, 1) * ONE
    if weights == "rank":
        return (sorted({job.priority for job in instance.jobs}).index(priority) + 1) * ONE
    if weights in ("uniform", "tiered"):
        return ONE
    return micro(weights.table[str(priority)])


def work_lost(instance: Instance, victims: frozenset[str], lost: dict[str, int]) -> Cost:
    """Weighted work in millionths of millionths; with tiers a tuple, one entry a priority, highest first."""
    by_priority: dict[int, int] = dict.fromkeys((job.priority for job in instance.jobs), 0)
    for job in instance.jobs:
        for pod in job.pods:
            if pod.name in victims:
                by_priority[job.priority] += weight(instance, job.priority) * lost[pod.name]
    if instance.policy.weights == "tiered":
        return tuple(by_priority[priority] for priority in sorted(by_priority, reverse=True))
    return sum(by_priority.values())
