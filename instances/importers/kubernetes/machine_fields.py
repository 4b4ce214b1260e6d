"""Hosts as the machines of an instance: their fields, and their resources in our units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from ....models.topology import ALIGNING_POLICIES
from ..merge import merged_fields
from ..notes import Notes
from .device_settings import DeviceSettings
from .hosts import ALONE, Host
from .numa import NumaFacts
from .quantities import our_amount, our_name
from .settings import Settings

PODS: Final = "pods"


def machine_fields(host: Host, settings: Settings, left_out: Iterable[str], notes: Notes) -> dict[str, Any]:
    """Return the fields of a host's machine as an instance file has them.

    Parameters
    ----------
    host : Host
        A node, put together.
    settings : Settings
        Names of resources and levels.
    left_out : iterable of str
        Resources that the kubelet does not align for the request.
    notes : Notes
        Told what cannot be checked.

    Returns
    -------
    dict
        Only fields that say something.
    """
    fields = merged_fields(
        host.name,
        host.known,
        gpus=None if host.known is not None else host.gpus,
        gpu_model=host.models[0] if len(host.models) == 1 else host.models or None,
        resources=node_resources(host, settings.devices),
    )
    if host.known is None:
        if host.domains:
            fields["domains"] = host.domains
        if host.blocks:
            fields["blocks"] = [list(block) for block in host.blocks]
    if host.facts is not None:
        _add_alignment(fields, host, host.facts, settings.levels.numa_level, set(left_out), notes)
    return fields


def node_resources(host: Host, settings: DeviceSettings) -> dict[str, int | float]:
    """Return what pods may use of a node besides its GPUs, in our units.

    Parameters
    ----------
    host : Host
        A node.
    settings : DeviceSettings
        Which resources are GPUs.

    Returns
    -------
    dict
        Our name to amount; 0 is left out, but for the number of pods.
    """
    if host.node is None:
        amounts: dict[str, Decimal] = {}
        for zone in host.facts.nodes.values() if host.facts is not None else ():
            for name, amount in zone.amounts.items():
                amounts[name] = amounts.get(name, Decimal(0)) + amount
    else:
        amounts = host.node.allocatable
    return plain_amounts(amounts, host.resource, settings)


def plain_amounts(amounts: Mapping[str, Decimal], gpu: str | None, settings: DeviceSettings) -> dict[str, int | float]:
    """Return amounts of resources that are no GPUs, in our names and units.

    Parameters
    ----------
    amounts : mapping
        Kubernetes' names to amounts.
    gpu : str or None
        The resource that counts the node's GPUs; another GPU resource beside it is a plain one.
    settings : DeviceSettings
        Which resources are GPUs.

    Returns
    -------
    dict
        In name order.
    """
    found: dict[str, int | float] = {}
    for name, amount in amounts.items():
        is_gpu = name in settings.shared_resources or (name in settings.gpu_resources and gpu in (None, name))
        if not is_gpu and (amount or name == PODS):
            found[our_name(name)] = our_amount(name, amount)
    return dict(sorted(found.items()))


def _add_alignment(
    fields: dict[str, Any], host: Host, facts: NumaFacts, numa: str, left_out: set[str], notes: Notes
) -> None:
    parts = host.domains.get(numa)
    if parts is None:
        if facts.policy in ALIGNING_POLICIES:
            notes.of(host.name, f"Nodes whose kubelet aligns ({facts.policy}) NUMA nodes that are unknown: unchecked.")
        return
    if facts.policy != "none":
        fields["topology_policy"] = facts.policy
    counts = {name: len(slots) for name, slots in parts.items() if not name.startswith(ALONE)}
    if set(facts.nodes) - set(parts) or (
        facts.knows_gpus and any(zone.gpus != counts.get(name) for name, zone in facts.nodes.items())
    ):
        notes.of(host.name, "Nodes whose zones do not match the NUMA nodes of their machine: zones passed over.")
        return
    resources = {
        name: {our_name(r): our_amount(r, amount) for r, amount in sorted(zone.amounts.items()) if r not in left_out}
        for name, zone in facts.nodes.items()
    }
    if any(resources.values()):
        fields["domain_resources"] = {numa: {name: amounts for name, amounts in resources.items() if amounts}}
