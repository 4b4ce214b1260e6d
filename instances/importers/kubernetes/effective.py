"""What a pod asks for as the scheduler counts it: init containers, sidecars, overhead, pod-level resources, resizes.

The rule is that of Kubernetes' own ``PodRequests``: the sum over containers and sidecars, or what an init container
needs beside the sidecars that run by then, whichever is more; pod-level requests replace it; overhead comes on top.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from .core_objects import Container, ContainerStatus, Pod, ResourceNeeds
from .objects import Resources
from .quantities import HUGE_PAGES

POD_LEVEL = ("cpu", "memory")


def effective_requests(pod: Pod) -> Resources:
    """Return the resources that a pod takes from its node.

    Parameters
    ----------
    pod : Pod
        Any pod.

    Returns
    -------
    dict
        Resource to amount; what is limited but not requested counts as requested, as the API server fills it in.
    """
    spec, status = pod.spec, pod.status
    resizable = not any(c.type == "PodResizePending" and c.reason == "Infeasible" for c in status.conditions)
    statuses = {entry.name: entry for entry in (*status.container_statuses, *status.init_container_statuses)}
    total = _sum(_of_container(container, statuses, resizable) for container in spec.containers)
    sidecars: Resources = {}
    starting: Resources = {}
    for container in spec.init_containers:
        needs = _of_container(container, statuses, resizable)
        if container.is_sidecar:
            total = _sum((total, needs))
            sidecars = _sum((sidecars, needs))
            starting = _max(starting, sidecars)
        else:
            starting = _max(starting, _sum((needs, sidecars)))
    total = _max(total, starting)
    if spec.resources is not None:
        total |= _pod_level(spec.resources, total)
    return {name: amount for name, amount in _sum((total, spec.overhead)).items() if amount}


def requested(needs: ResourceNeeds) -> Resources:
    """Return requests with limits where only a limit is given.

    Parameters
    ----------
    needs : ResourceNeeds
        Of one container.

    Returns
    -------
    dict
        Resource to amount.
    """
    return {**needs.limits, **needs.requests} if needs.limits else needs.requests


def is_guaranteed(pod: Pod) -> bool:
    """Return whether a pod's quality of service is Guaranteed.

    Parameters
    ----------
    pod : Pod
        Any pod.

    Returns
    -------
    bool
        As its status says, else by the rule: every container limits cores and memory, and requests just that.
    """
    if pod.status.qos_class:
        return pod.status.qos_class == "Guaranteed"
    spec = pod.spec
    if spec.resources is not None and _limits_itself(spec.resources):
        return True
    containers = (*spec.containers, *spec.init_containers)
    return bool(containers) and all(_limits_itself(container.resources) for container in containers)


def unpinned(pod: Pod) -> tuple[str, ...]:
    """Return the resources that the kubelet does not tie to NUMA nodes for a pod.

    Parameters
    ----------
    pod : Pod
        Any pod.

    Returns
    -------
    tuple of str
        Cores unless it is Guaranteed and a container asks for a whole number of them (static CPU manager); memory
        and huge pages unless it is Guaranteed (static memory manager). Devices are tied for every pod.
    """
    named = {name for container in pod.spec.containers for name in requested(container.resources)}
    memory = ("memory", *sorted(name for name in named if name.startswith(HUGE_PAGES)))
    if not is_guaranteed(pod):
        return ("cpu", *memory)
    amounts = [requested(container.resources).get("cpu", Decimal(0)) for container in pod.spec.containers]
    return () if any(amount and amount == amount.to_integral_value() for amount in amounts) else ("cpu",)


def _limits_itself(needs: ResourceNeeds) -> bool:
    return all(
        name in needs.limits and needs.limits[name] and requested(needs)[name] == needs.limits[name]
        for name in POD_LEVEL
    )


def _of_container(container: Container, statuses: dict[str, ContainerStatus], resizable: bool) -> Resources:
    status = statuses.get(container.name)
    if status is None or not (status.resources.requests or status.allocated_resources):
        return requested(container.resources)
    held = _max(status.resources.requests, status.allocated_resources)
    return _max(requested(container.resources), held) if resizable else held


def _pod_level(needs: ResourceNeeds, total: Resources) -> Resources:
    named = {
        **{name: amount for name, amount in needs.limits.items() if name not in total},
        **needs.requests,
    }
    return {name: amount for name, amount in named.items() if name in POD_LEVEL or name.startswith(HUGE_PAGES)}


def _sum(parts: Iterable[Resources]) -> Resources:
    total: Resources = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total[name] + amount if name in total else amount
    return total


def _max(first: Resources, second: Resources) -> Resources:
    return {name: max(first.get(name, Decimal(0)), second.get(name, Decimal(0))) for name in (*first, *second)}
