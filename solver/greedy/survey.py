"""From an instance to what a scheduler sees of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...models.cluster import Node
from ...models.eligibility import binds, node_refusal, protection, slot_refusals
from ...models.instance import Instance
from ...models.jobs import Job
from ...models.units import MICRO, micro
from .situation import PODS, UNLIMITED, Host, Running, Situation


def situation_of(instance: Instance) -> Situation:
    """Return an instance as the baselines look at it.

    Parameters
    ----------
    instance : Instance
        The decision.

    Returns
    -------
    Situation
        Terminating pods hold nothing in it: their room is free already.
    """
    request = instance.request
    asked = {name: micro(amount) for name, amount in sorted(request.resources.items()) if name != PODS}
    asked = {name: amount for name, amount in asked.items() if amount}
    things = ("gpus", *asked, PODS)
    need = (request.gpus * micro(request.share), *asked.values(), MICRO)
    usable = {
        node.name: frozenset(range(instance.shape(node.name).gpus)) - frozenset(slot_refusals(instance, node))
        for node in instance.cluster.nodes
    }
    pods = {
        running.name: running
        for job in instance.jobs
        if job.state == "running"
        for running in _running(instance, job, tuple(asked), usable)
    }
    on: dict[str, list[Running]] = {node.name: [] for node in instance.cluster.nodes}
    for name in sorted(pods):
        on[pods[name].node].append(pods[name])
    hosts = {
        node.name: _host(instance, node, tuple(asked), usable[node.name], tuple(on[node.name]))
        for node in sorted(instance.cluster.nodes, key=lambda node: node.name)
    }
    return Situation(instance, things, need, hosts, {name: pods[name] for name in sorted(pods)})


def _running(
    instance: Instance, job: Job, asked: tuple[str, ...], usable: Mapping[str, frozenset[int]]
) -> Iterable[Running]:
    evictable = protection(instance, job) is None
    for pod in job.pods:
        share = micro(pod.share)
        slots = pod.slots or ()
        gpus = share * len(usable[pod.node].intersection(slots)) + MICRO * (pod.gpus or 0)
        rest = (micro(pod.resources.get(name, 0.0)) for name in asked)
        age = job.running_seconds or 0.0
        yield Running(
            pod.name, job, pod.node, (gpus, *rest, MICRO), slots, pod.gpus or 0, share, age, evictable
        )  # fmt: skip


def _host(
    instance: Instance, node: Node, asked: tuple[str, ...], usable: frozenset[int], pods: tuple[Running, ...]
) -> Host:
    shape = instance.shape(node.name)
    rest = (shape.resources.get(name, 0) for name in asked)
    places = shape.resources.get(PODS, UNLIMITED)
    held_back = sum(
        held.gpus
        for held in instance.reservations
        if held.node == node.name and held.gpus is not None and binds(instance, held)
    )
    capacity = (len(usable) * MICRO, *rest, places)
    return Host(node, node_refusal(instance, node) is None, usable, capacity, pods, held_back)
