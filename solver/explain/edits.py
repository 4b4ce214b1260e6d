"""Instances with something changed: rungs fixed, a cluster cut down to one place, single fields replaced."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...models import catalogue
from ...models.cluster import Node
from ...models.instance import Instance
from ...models.jobs import Job, Pod
from ...models.request import SCOPES
from ...models.topology import LINK_ISLANDS, Machine
from ..exact.rungs import Rungs

ELSEWHERE = "(all other nodes)"
"""Name of the node that stands for the rest of the cluster."""

FIELDS = ("cluster", "jobs", "budgets", "reservations", "request", "policy")


def edited(instance: Instance, **updates: Any) -> Instance:
    """Return an instance with some of its parts replaced; nothing that was derived from the old parts survives.

    Parameters
    ----------
    instance : Instance
        The original.
    **updates
        New parts, by the names in `FIELDS`; ``request`` and ``policy`` may be dicts of fields to change.

    Returns
    -------
    Instance
        Not validated; parts that are not named are the same objects.
    """
    parts = {name: getattr(instance, name) for name in FIELDS}
    for name, update in updates.items():
        parts[name] = parts[name].model_copy(update=update) if isinstance(update, dict) else update
    return Instance.model_construct(format=instance.format, **parts)


def on_rungs(instance: Instance, rungs: Rungs) -> Instance:
    """Return an instance that asks whether its fewest pods fit on some rungs, whatever that costs.

    Parameters
    ----------
    instance : Instance
        The original.
    rungs : Rungs
        One rung a scope; more (priced) leave the ladders as they are.

    Returns
    -------
    Instance
        Soft budgets block nothing, so they are left out.
    """
    request, policy = instance.request, instance.policy
    updates: dict[str, Any] = {"pods": request.fewest_pods, "min_pods": None}
    if len(rungs.pod) == 1 and len(rungs.slice) == 1:
        chosen = {"pod": rungs.pod[0], "slice": rungs.slice[0], "gang": rungs.gang}
        affinity: dict[str, Any] = {}
        for scope in SCOPES:
            asked = getattr(request.affinity, scope)
            if asked is not None:
                fields: dict[str, Any] = {"island": chosen[scope], "mode": "guaranteed", "ladder": None, "prices": {}}
                if chosen[scope] not in LINK_ISLANDS:
                    fields |= {"link_kind": None, "min_links": 1}
                affinity[scope] = asked.model_copy(update=fields)
        updates["affinity"] = request.affinity.model_copy(update=affinity)
    relaxation = "tightest-first" if len(rungs.pod) == 1 and len(rungs.slice) == 1 else policy.relaxation
    return edited(
        instance,
        request=updates,
        policy={"weights": "uniform", "relaxation": relaxation, "budgets": "hard", "extra_pods": "free-only"},
        budgets=() if policy.budgets == "soft" else instance.budgets,
        jobs=tuple(job.model_copy(update={"budget": None}) for job in instance.jobs)
        if policy.budgets == "soft" and instance.budgets
        else instance.jobs,
    )


def around(instance: Instance, nodes: Collection[str]) -> Instance:
    """Return the instance cut down to some nodes and the jobs that run there.

    A plan that lies on these nodes evicts only jobs with a pod on them, so it is a plan here exactly if it is one of
    the whole. Pods of these jobs on other nodes still go with them, and still count for budgets; they stand on one
    cordoned node without slots.

    Parameters
    ----------
    instance : Instance
        The original.
    nodes : collection of str
        Names of nodes.

    Returns
    -------
    Instance
        Terminating jobs are left out: they hold nothing and may not be victims.
    """
    inside = set(nodes)
    taken = {node.name for node in instance.cluster.nodes}
    elsewhere = ELSEWHERE
    while elsewhere in taken:
        elsewhere += "'"
    jobs = [job for job in instance.jobs if job.state == "running" and any(pod.node in inside for pod in job.pods)]
    moved = [_with_pods_elsewhere(job, inside, elsewhere) for job in jobs]
    kept = [node for node in instance.cluster.nodes if node.name in inside]
    if any(pod.node == elsewhere for job in moved for pod in job.pods):
        kept.append(Node(name=elsewhere, gpus=0, cordoned=True))
    return edited(
        instance,
        cluster=instance.cluster.model_copy(update={"nodes": tuple(kept)}),
        jobs=tuple(moved),
        reservations=tuple(held for held in instance.reservations if held.node in inside),
    )


def _with_pods_elsewhere(job: Job, inside: set[str], elsewhere: str) -> Job:
    if all(pod.node in inside for pod in job.pods):
        return job
    pods = tuple(pod if pod.node in inside else Pod(name=pod.name, node=elsewhere) for pod in job.pods)
    return job.model_copy(update={"pods": pods})


def is_elsewhere(node: Node) -> bool:
    """Return whether a node is the one that `around` puts pods of other nodes on.

    Parameters
    ----------
    node : Node
        A node of such an instance.

    Returns
    -------
    bool
        By its name.
    """
    return node.name.startswith(ELSEWHERE)


def with_nodes(instance: Instance, **fields: Any) -> Instance:
    """Return an instance whose nodes have some fields replaced.

    Parameters
    ----------
    instance : Instance
        The original.
    **fields
        Fields of `Node`.

    Returns
    -------
    Instance
        The node that stands for all others is left as it is.
    """
    nodes = tuple(node if is_elsewhere(node) else node.model_copy(update=fields) for node in instance.cluster.nodes)
    return edited(instance, cluster=instance.cluster.model_copy(update={"nodes": nodes}))


def with_machines(instance: Instance, **fields: Any) -> Instance:
    """Return an instance whose machines, named and inline, have some fields replaced.

    Parameters
    ----------
    instance : Instance
        The original.
    **fields
        Fields of `ShapeFields`; ``without_resource`` names a resource that no machine limits any more.

    Returns
    -------
    Instance
        Presets that its nodes use become machines of its own.
    """
    dropped = fields.pop("without_resource", None)

    def changed(shape: Any) -> Any:
        update = dict(fields)
        if dropped is not None:
            update["resources"] = {name: held for name, held in shape.resources.items() if name != dropped}
        return shape.model_copy(update=update)

    machines: dict[str, Machine] = {}
    for node in instance.cluster.nodes:
        if node.machine is not None and node.machine not in machines:
            own = instance.cluster.machines.get(node.machine)
            machines[node.machine] = changed(own or catalogue.preset(node.machine))
    nodes = tuple(
        changed(node) if node.machine is None and not is_elsewhere(node) else node for node in instance.cluster.nodes
    )
    return edited(instance, cluster=instance.cluster.model_copy(update={"machines": machines, "nodes": nodes}))


def with_jobs(instance: Instance, **fields: Any) -> Instance:
    """Return an instance whose jobs have some fields replaced.

    Parameters
    ----------
    instance : Instance
        The original.
    **fields
        Fields of `Job`.

    Returns
    -------
    Instance
        All jobs are changed.
    """
    return edited(instance, jobs=tuple(job.model_copy(update=fields) for job in instance.jobs))
