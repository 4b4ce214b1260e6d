"""Which nodes let the request in: taints, required affinity and the kind of their GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..notes import Notes
from .core_objects import Node, Pod, PodSpec, Toleration
from .hosts import Host
from .request import Asked
from .selection import UNSCHEDULABLE, tolerates, unmet_affinity, untolerated
from .settings import Settings

FITS: Final = "yes"
READY: Final = "Ready"


def fit_labels(hosts: Mapping[str, Host], asked: Asked, settings: Settings, notes: Notes) -> dict[str, str]:
    """Return for every node whether it lets the request in.

    Parameters
    ----------
    hosts : mapping
        Nodes by name.
    asked : Asked
        The request.
    settings : Settings
        Taints that a request in our own format stands.
    notes : Notes
        Told which nodes refuse and why.

    Returns
    -------
    dict
        Node to ``yes`` or the reason; empty if all let it in. Cordons and node labels are no reasons: an instance
        has fields for them.
    """
    pod = asked.pod or _stand_in(settings)
    found: dict[str, str] = {}
    for name, host in hosts.items():
        reason = _refusal(host, pod, asked, settings.devices.shared_resources)
        if reason is not None:
            notes.of(name, f"Nodes that do not let the request in: {reason}.")
        found[name] = reason or FITS
    return found if set(found.values()) - {FITS} else {}


def _refusal(host: Host, pod: Pod, asked: Asked, shared: Iterable[str]) -> str | None:
    if host.node is None:
        return None
    taint = untolerated(pod.spec, _without_cordon(host.node))
    if taint is not None:
        return f"taint {taint} is not tolerated"
    unmet = unmet_affinity(pod, host.node)
    if unmet is not None:
        return unmet
    if asked.resources and host.gpus:
        served = {name for name in asked.resources if host.node.capacity.get(name)}
        if not served:
            return f"it offers no {' or '.join(sorted(asked.resources))}"
        if host.resource is not None and host.resource not in served and not served & set(shared):
            return f"its GPUs are {host.resource}"
    if asked.by_claim and host.gpus and not host.is_claimable:
        return "it offers no devices to claims"
    return None


def is_cordoned(host: Host, asked: Asked, settings: Settings, notes: Notes, *, has_nodes: bool) -> bool:
    """Return whether a node takes no new pods.

    Parameters
    ----------
    host : Host
        A node.
    asked : Asked
        The request; one that tolerates the cordon's taint is let in.
    settings : Settings
        Taints that a request in our own format stands.
    notes : Notes
        Told which nodes are taken as cordoned though they are not.
    has_nodes : bool
        Whether the data has Node objects at all.

    Returns
    -------
    bool
        True if it is unschedulable, not ready, going away, or not among the Node objects.
    """
    node = host.node
    if node is None:
        if has_nodes:
            notes.of(host.name, "Nodes that are not among the Node objects: taken as cordoned.")
        return has_nodes
    if node.metadata.deletion_timestamp is not None:
        notes.of(host.name, "Nodes that are being deleted: taken as cordoned.")
        return True
    if any(condition.type == READY and condition.status != "True" for condition in node.status.conditions):
        notes.of(host.name, "Nodes that are not ready: taken as cordoned.")
        return True
    pod = asked.pod or _stand_in(settings)
    return node.spec.unschedulable and not any(tolerates(line, UNSCHEDULABLE) for line in pod.spec.tolerations)


def _without_cordon(node: Node) -> Node:
    # The cordon's own taint is a field of its own in an instance.
    kept = tuple(taint for taint in node.spec.taints if taint.key != UNSCHEDULABLE.key)
    if len(kept) == len(node.spec.taints):
        return node
    return node.model_copy(update={"spec": node.spec.model_copy(update={"taints": kept})})


def _stand_in(settings: Settings) -> Pod:
    """Return a pod with the tolerations of a request in our own format.

    A taint that is named like a GPU resource is tolerated, as the admission plugin ExtendedResourceToleration has it.
    """
    lines = [Toleration(key=name, operator="Exists") for name in settings.devices.gpu_resources]
    lines += [
        Toleration.model_validate(
            {
                "key": line.key,
                "operator": "Exists" if line.value is None else "Equal",
                "value": line.value or "",
                "effect": line.effect,
            }
        )
        for line in settings.request.tolerated
    ]
    return Pod.model_validate({"metadata": {"name": "request"}, "spec": PodSpec(tolerations=tuple(lines))})
