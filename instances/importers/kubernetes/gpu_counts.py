"""How many GPUs a node has and offers, by its own object: whole ones, parts of them, or pieces shared in time."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ..notes import Notes
from .core_objects import Node
from .device_settings import DeviceSettings
from .objects import Resources
from .quantities import count_in, whole
from .settings import first_of

MOST_SLOTS: Final = 4096


@dataclass(frozen=True)
class GpuCount:
    """What the object of a node says of its GPUs.

    Attributes
    ----------
    total, usable : int or None
        How many it has, and how many of them it offers; None where it does not say.
    resource : str or None
        The resource that counts them in pieces.
    pieces : int
        Pieces of the resource that share one GPU in time; 1 where they are whole GPUs.
    """

    total: int | None = None
    usable: int | None = None
    resource: str | None = None
    pieces: int = 1


def gpu_count(node: Node, settings: DeviceSettings, notes: Notes) -> GpuCount:
    """Return how many GPUs a node has.

    Parameters
    ----------
    node : Node
        Its object.
    settings : DeviceSettings
        Names of resources and labels.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    GpuCount
        By the first GPU resource that it has some of, else by shared resources, else by a label.

    Raises
    ------
    InstanceError
        An amount that is no whole number, a broken label.
    """
    name = node.metadata.name
    if any(amount and resource.startswith(settings.mig_resources) for resource, amount in node.capacity.items()):
        notes.of(name, "Nodes with MIG devices: these are plain resources, not GPUs.")
    present = [resource for resource in settings.gpu_resources if resource in node.capacity]
    filled = [resource for resource in present if node.capacity[resource]]
    if len(filled) > 1:
        notes.of(name, f"Nodes with GPUs of several resources: {filled[0]} counts, the others are plain resources.")
    for shared, parts in settings.shared_resources.items():
        if not filled and node.capacity.get(shared):
            total, usable = (int(some.get(shared, Decimal(0)) // parts) for some in (node.capacity, node.allocatable))
            return GpuCount(total, usable)
    if not present:
        label = first_of(settings.count_labels, node.metadata.labels)
        count = count_in(label[1], 0, MOST_SLOTS) if label is not None and not node.capacity else None
        if count is not None:
            return GpuCount(count, count)
        return GpuCount()
    resource = (filled or present)[0]
    total = _pieces(node, "capacity", node.capacity, resource)
    usable = _pieces(node, "allocatable", node.allocatable, resource)
    shared_by = _pieces_per_gpu(node, total, settings)
    if shared_by > 1:
        notes.of(name, f"GPUs shared in time by {shared_by}: one piece is the share 1/{shared_by} of a GPU.")
    return GpuCount(total // shared_by, usable // shared_by, resource, shared_by)


def _pieces(node: Node, field: str, amounts: Resources, resource: str) -> int:
    number = whole(amounts.get(resource, Decimal(0)))
    if number is None or number > MOST_SLOTS * 64:
        raise node.mistake(f"status.{field}[{resource!r}]", str(amounts[resource]), "a number of GPUs")
    return number


def _pieces_per_gpu(node: Node, pieces: int, settings: DeviceSettings) -> int:
    label = first_of(settings.replica_labels, node.metadata.labels)
    if label is None:
        return 1
    replicas = count_in(label[1], 1, 10**5)
    if replicas is None:
        raise node.mistake(f"metadata.labels[{label[0]!r}]", label[1], "a number of replicas from 1 to 100000")
    count = first_of(settings.count_labels, node.metadata.labels)
    if pieces % replicas or (count is not None and count[1] != str(pieces // replicas)):
        # The label may stand although the plugin renamed the shared resource.
        return 1
    return replicas
