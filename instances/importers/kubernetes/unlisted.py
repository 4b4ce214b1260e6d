"""GPUs that are taken although no pod in the data holds them: broken ones, and those of pods that were not listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, Decimal
from typing import Any

from ..notes import Notes
from .claims import PodClaims
from .core_objects import Pod
from .holdings import Holding
from .hosts import Host
from .machine_fields import plain_amounts
from .names import device_id
from .numa import NumaNode
from .settings import Settings


def unlisted_jobs(
    hosts: Mapping[str, Host],
    pods: Mapping[str, Pod],
    held: Mapping[str, Holding],
    claims: PodClaims,
    priority: int,
    settings: Settings,
    notes: Notes,
) -> list[dict[str, Any]]:
    """Return jobs that stand for what is taken by nobody we can see; they are never evicted.

    Parameters
    ----------
    hosts : mapping
        Nodes by name.
    pods : mapping
        Running pods by key.
    held : mapping
        What each holds.
    claims : PodClaims
        Devices that claims were given.
    priority : int
        The request's, so that these jobs change no ranking of those below.
    settings : Settings
        Names of levels and resources.
    notes : Notes
        Told how much was found.

    Returns
    -------
    list of dict
        Jobs of an instance file.
    """
    on: dict[str, list[str]] = {name: [] for name in hosts}
    for key, pod in pods.items():
        on[pod.spec.node_name or ""].append(key)
    of_claims = _claimed_slots(hosts, claims)
    found: list[dict[str, Any]] = []
    for name, host in hosts.items():
        holdings = [held[key] for key in on[name]]
        parts = list(_dead(host, notes))
        taken = of_claims.get(name, set()) - {slot for holding in holdings for slot in holding.slots} - host.offline
        if taken and not any(holding.gpus and not holding.slots for holding in holdings):
            notes.of(name, "GPUs given to claims of pods that are not in the data: taken, and not to be had.")
            parts.append(("claimed", {"slots": sorted(taken)}))
        parts += _reported(host, holdings, settings, notes)
        held_gpus = sum((holding.share * holding.gpus for holding in holdings), Decimal(0))
        room = max(0, host.gpus - int(held_gpus.to_integral_value(ROUND_CEILING)))
        for what, fields in parts:
            # A broken GPU may be among those that pods still hold.
            if "gpus" in fields:
                fields["gpus"] = min(fields["gpus"], room)
            room -= fields.get("gpus", len(fields.get("slots", ())))
            if fields.get("gpus") == 0:
                del fields["gpus"]
                fields.pop("within", None)
                if not fields:
                    continue
            job = f"{name} ({what})"
            pod_fields = {"name": job, "node": name, **fields}
            found.append({"name": job, "priority": priority, "preemptible": False, "pods": [pod_fields]})
    return found


def _dead(host: Host, notes: Notes) -> Iterator[tuple[str, dict[str, Any]]]:
    if host.dead:
        notes.of(host.name, "Nodes with broken GPUs, without word which: as many are taken, wherever they are.")
        yield "broken GPUs", {"gpus": host.dead}


def _reported(
    host: Host, holdings: list[Holding], settings: Settings, notes: Notes
) -> list[tuple[str, dict[str, Any]]]:
    """Return what the node's agent reports as used beyond what the pods in the data hold."""
    if host.facts is None or not host.facts.nodes:
        return []
    zones = host.facts.nodes
    numa = settings.levels.numa_level
    if not holdings:
        parts = [(name, fields) for name, zone in zones.items() if (fields := _used(host, name, zone, numa, settings))]
        if parts:
            notes.of(host.name, "Zones with less available than allocatable, and no pods in the data: taken by others.")
        return [(f"used in {name}", fields) for name, fields in parts]
    used = [zone.usable - zone.free for zone in zones.values() if zone.free is not None and zone.gpus]
    missing = sum(used) - sum(holding.gpus for holding in holdings)
    if missing <= 0 or not host.facts.knows_gpus:
        return []
    notes.of(host.name, "Zones that report more GPUs in use than the pods in the data hold: taken by others.")
    return [("used by pods not in the data", {"gpus": missing})]


def _used(host: Host, name: str, zone: NumaNode, numa: str, settings: Settings) -> dict[str, Any]:
    amounts = {
        resource: amount - zone.available[resource]
        for resource, amount in zone.amounts.items()
        if resource in zone.available and zone.available[resource] < amount
    }
    gpus = zone.usable - zone.free if zone.free is not None else 0
    resources = plain_amounts(amounts, host.resource, settings.devices)
    if not gpus and not resources:
        return {}
    fields: dict[str, Any] = {}
    known = name in host.domains.get(numa, {})
    if gpus:
        fields["gpus"] = gpus
        if known and gpus <= len(host.domains[numa][name]):
            fields["within"] = {numa: name}
    if resources:
        fields["resources"] = resources
        if known:
            fields["domain_resources"] = {numa: {name: resources}}
    return fields


def _claimed_slots(hosts: Mapping[str, Host], claims: PodClaims) -> dict[str, set[int]]:
    """Return the slots of every node that some claim was given, whoever uses it."""
    places = {name: (host.name, slot) for host in hosts.values() for name, slot in host.slot_of.items() if "/" in name}
    given: dict[str, set[int]] = {}
    for claim in claims.claims.values():
        for result in claim.status.allocation.devices.results if claim.status.allocation is not None else ():
            name = device_id(result.driver, result.pool, result.device)
            if name in places and not result.admin_access:
                node, slot = places[name]
                given.setdefault(node, set()).add(slot)
    return given
