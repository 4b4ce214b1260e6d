"""Nominated pods: the room that the scheduler has promised them on a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....models import InstanceError
from ..notes import Notes
from .claims import PodClaims
from .effective import effective_requests
from .holdings import gpu_ask
from .hosts import Host
from .owners import owner_of
from .priorities import priority_of
from .settings import Settings
from .state import State


def nominations(
    state: State,
    hosts: Mapping[str, Host],
    claims: PodClaims,
    request_pods: frozenset[str],
    request_name: str,
    settings: Settings,
    notes: Notes,
) -> list[dict[str, Any]]:
    """Return the reservations of waiting pods that are nominated to a node.

    Parameters
    ----------
    state : State
        For the pods.
    hosts : mapping
        Nodes by name.
    claims : PodClaims
        What waiting pods ask for by claim.
    request_pods : frozenset of str
        Pods of the request; their nominations are its own.
    request_name : str
        Its name.
    settings : Settings
        Names of labels and resources.
    notes : Notes
        Told what a reservation cannot say.

    Returns
    -------
    list of dict
        Reservations of an instance file, in the order of the pods.
    """
    found: list[dict[str, Any]] = []
    for key, pod in state.pods.items():
        node = pod.status.nominated_node_name
        if not node or not pod.is_pending or pod.metadata.namespace in settings.jobs.ignored_namespaces:
            continue
        if node not in hosts:
            notes.of(key, "Pods nominated to a node that is not in the data: passed over.")
            continue
        host = hosts[node]
        gpus = gpu_ask(pod, effective_requests(pod), host.pieces, settings.devices).gpus
        try:
            gpus += sum(request.asked.count for spec in claims.asked(pod) for request in claims.of_gpus(spec))
        except InstanceError:
            notes.of(key, "Nominated pods with claims that are not in the data: their devices are not counted.")
        if not gpus:
            notes.of(key, "Nominated pods without GPUs: a reservation only holds GPUs, so theirs is passed over.")
            continue
        if gpus > host.gpus:
            notes.of(key, "Pods nominated to a node with fewer GPUs than they ask for: all of its GPUs are reserved.")
        owner = request_name if key in request_pods else owner_of(pod, state, settings.jobs).name
        priority = priority_of(pod, state, settings.jobs, notes)
        if min(gpus, host.gpus):
            found.append({"owner": owner, "priority": priority, "node": node, "gpus": min(gpus, host.gpus)})
    return found
