"""Which jobs and slots the request may touch at all, each refusal with its reason from a closed list."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from .cluster import Node
from .jobs import Job, Reservation
from .units import micro

if TYPE_CHECKING:
    from .instance import Instance


class Protection(StrEnum):
    """Why a job may not be evicted."""

    TERMINATING = "terminating"
    NO_PREEMPTION = "request-may-not-preempt"
    PRIORITY = "equal-or-higher-priority"
    NOT_PREEMPTIBLE = "not-preemptible"
    TOO_YOUNG = "ran-too-short"
    LABEL = "protected-label"


class Unusable(StrEnum):
    """Why a slot cannot serve the request, whoever is evicted."""

    CORDONED = "cordoned-node"
    LABELS = "node-labels"
    OFFLINE = "offline-slot"
    MODEL = "gpu-model"
    RESERVED = "reserved"


def protection(instance: Instance, job: Job) -> Protection | None:
    """Return why a job may not be evicted for the request.

    Parameters
    ----------
    instance : Instance
        The decision.
    job : Job
        A job of it.

    Returns
    -------
    Protection or None
        None: the job may be evicted. An unknown running time counts as 0.
    """
    request, policy = instance.request, instance.policy
    if job.state == "terminating":
        return Protection.TERMINATING
    if job.priority >= request.priority:
        return Protection.PRIORITY
    if not request.may_preempt:
        return Protection.NO_PREEMPTION
    if not job.preemptible:
        return Protection.NOT_PREEMPTIBLE
    if micro(job.running_seconds or 0.0) < micro(policy.min_running_seconds):
        return Protection.TOO_YOUNG
    if any(job.labels.get(label) == value for label, value in policy.protected_labels.items()):
        return Protection.LABEL
    return None


def node_refusal(instance: Instance, node: Node) -> Unusable | None:
    """Return why a node takes no pod of the request.

    Parameters
    ----------
    instance : Instance
        The decision.
    node : Node
        A node of it.

    Returns
    -------
    Unusable or None
        None: the node may be used, as far as its labels and its cordon go.
    """
    if node.cordoned:
        return Unusable.CORDONED
    if any(node.labels.get(label) != value for label, value in instance.request.node_labels.items()):
        return Unusable.LABELS
    return None


def slot_refusals(instance: Instance, node: Node) -> dict[int, Unusable]:
    """Return the slots of a node that cannot serve the request, whoever is evicted.

    Parameters
    ----------
    instance : Instance
        The decision.
    node : Node
        A node of it.

    Returns
    -------
    dict
        Slot to reason, for the slots that are not usable.
    """
    shape = instance.shape(node.name)
    whole = node_refusal(instance, node)
    if whole is not None:
        return dict.fromkeys(range(shape.gpus), whole)
    models = instance.request.gpu_models
    refused = {slot: Unusable.MODEL for slot in range(shape.gpus) if models and shape.models[slot] not in models}
    for held in instance.reservations:
        if held.node == node.name and held.slots is not None and binds(instance, held):
            refused |= dict.fromkeys(held.slots, Unusable.RESERVED)
    return refused | dict.fromkeys(node.offline_slots, Unusable.OFFLINE)


def binds(instance: Instance, held: Reservation) -> bool:
    """Return whether a reservation keeps the request out of its room.

    Parameters
    ----------
    instance : Instance
        The decision.
    held : Reservation
        A reservation of it.

    Returns
    -------
    bool
        True if it is another's and of equal or higher priority.
    """
    return held.owner != instance.request.name and held.priority >= instance.request.priority


def yields(instance: Instance, held: Reservation) -> bool:
    """Return whether the request may take the room of a reservation and displace its owner.

    Parameters
    ----------
    instance : Instance
        The decision.
    held : Reservation
        A reservation of it.

    Returns
    -------
    bool
        True if it is another's and of lower priority.
    """
    return held.owner != instance.request.name and held.priority < instance.request.priority
