"""Who sits where, and what a plan changes: the cluster as plain views that any renderer can draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...models.cluster import Node
from ...models.domains import domain_of_node, label_of
from ...models.errors import ConfigError
from ...models.instance import Instance
from ...models.plan import Plan
from ...models.topology import NODE

Fate = Literal["stays", "evicted", "terminating"]


@dataclass(frozen=True)
class Holder:
    """A running pod on a slot or a node.

    Attributes
    ----------
    pod : str
        Its name.
    priority : int
        Its job's.
    fate : str
        What the plan, or its own end, does to it.
    share : float
        Of each slot.
    gpus : int
        Slots it holds.
    """

    pod: str
    priority: int
    fate: Fate
    share: float
    gpus: int


@dataclass
class SlotView:
    """One slot: its state, its holders, and the pods of the request that come."""

    slot: int
    offline: bool = False
    holders: list[Holder] = field(default_factory=list)
    reserved_for: list[str] = field(default_factory=list)
    comes: list[str] = field(default_factory=list)


@dataclass
class IslandView:
    """A domain of the level shown, with its slots."""

    name: str
    slots: list[SlotView]


@dataclass
class NodeView:
    """One node: its islands, the pods whose slots are not known, and what comes without certain slots."""

    name: str
    machine: str
    within: str
    cordoned: bool
    level: str
    islands: list[IslandView]
    unplaced: list[Holder] = field(default_factory=list)
    reserved: list[str] = field(default_factory=list)
    comes: list[str] = field(default_factory=list)

    @property
    def slots(self) -> Iterator[SlotView]:
        """All slots of the node, island by island."""
        return (slot for island in self.islands for slot in island.slots)

    @property
    def touched(self) -> bool:
        """Whether the plan changes anything here."""
        holders = [*self.unplaced, *(holder for slot in self.slots for holder in slot.holders)]
        return bool(self.comes) or any(s.comes for s in self.slots) or any(h.fate == "evicted" for h in holders)


def level_shown(instance: Instance, asked: str | None) -> str:
    """Return the level whose domains are drawn as boxes.

    Parameters
    ----------
    instance : Instance
        The decision.
    asked : str or None
        What the user wants, if anything.

    Returns
    -------
    str
        The level asked for; else the one that the request wants for its pods; else the broadest below node.

    Raises
    ------
    ConfigError
        The level asked for is neither node nor below it.
    """
    below = instance.cluster.levels_below
    if asked is not None:
        if asked not in (NODE, *below):
            raise ConfigError(f"--level: found {asked!r}, expected one of {', '.join((NODE, *below))}")
        return asked
    wanted = instance.request.affinity.pod.island
    return wanted if wanted in below else below[0] if below else NODE


def views(instance: Instance, plan: Plan | None, level: str) -> list[NodeView]:
    """Return all nodes as views, in the order of the file.

    Parameters
    ----------
    instance : Instance
        The cluster and its pods.
    plan : Plan or None
        What changes, if anything.
    level : str
        The level whose domains are the islands.

    Returns
    -------
    list of NodeView
        One a node.

    Raises
    ------
    ConfigError
        The plan names what the instance does not have.
    """
    if plan is not None:
        _check_plan(instance, plan)
    found = {node.name: _node_view(instance, node, level) for node in instance.cluster.nodes}
    slots = {name: {slot.slot: slot for slot in view.slots} for name, view in found.items()}
    evicted = plan.evicted if plan is not None else frozenset()
    for job in instance.jobs:
        for pod in job.pods:
            ends: Fate = "terminating" if job.state == "terminating" else "stays"
            fate: Fate = "evicted" if pod.name in evicted else ends
            gpus = len(pod.slots or ()) or pod.gpus or 0
            holder = Holder(pod.name, job.priority, fate, pod.share, gpus)
            for slot in pod.slots or ():
                slots[pod.node][slot].holders.append(holder)
            if pod.slots is None:
                found[pod.node].unplaced.append(holder)
    for held in instance.reservations:
        for slot in held.slots or ():
            slots[held.node][slot].reserved_for.append(held.owner)
        if held.slots is None:
            found[held.node].reserved.append(f"{held.gpus} GPUs for {held.owner} ({held.priority})")
    for placed in plan.placements if plan is not None else ():
        name = f"{instance.request.name}#{placed.pod}"
        for slot in placed.slots or ():
            slots[placed.node][slot].comes.append(name)
        if not placed.slots:
            found[placed.node].comes.append(name)
    return list(found.values())


def plain(view: NodeView) -> dict[str, Any]:
    """Return a view as plain data for JSON."""
    return asdict(view)


def counts(all_views: list[NodeView]) -> dict[str, int]:
    """Return slots by state: total, offline, used (of them evicted), free and coming to the request."""
    tally = dict.fromkeys(("nodes", "total", "used", "evicted", "free", "offline", "comes"), 0)
    for view in all_views:
        unknown = sum(holder.gpus for holder in view.unplaced)
        free = 0
        for slot in view.slots:
            tally["total"] += 1
            tally["offline"] += slot.offline
            used = bool(slot.holders)
            tally["used"] += used
            free += not used and not slot.offline
            tally["evicted"] += any(holder.fate == "evicted" for holder in slot.holders)
            tally["comes"] += bool(slot.comes)
        tally["used"] += min(unknown, free)
        tally["free"] += max(0, free - unknown)
        tally["nodes"] += 1
    return tally


def _node_view(instance: Instance, node: Node, level: str) -> NodeView:
    shape = instance.shape(node.name)
    above = instance.cluster.levels_above
    within = label_of(domain_of_node(instance, node, above[-1])) if above and node.within else ""
    islands = [
        IslandView(name or "whole node", [SlotView(slot, slot in node.offline_slots) for slot in slots])
        for name, slots in shape.domains[level].items()
    ]
    machine = node.machine or f"{shape.gpus} GPUs"
    return NodeView(node.name, machine, within, node.cordoned, level, islands)


def _check_plan(instance: Instance, plan: Plan) -> None:
    def refused(what: str) -> ConfigError:
        return ConfigError(f"the plan is not one of this instance: {what}")

    if plan.request != instance.request.name:
        raise refused(f"it is for request {plan.request}, not {instance.request.name}")
    for pod in sorted(plan.evicted):
        if pod not in instance.pods_by_name:
            raise refused(f"it evicts {pod}, which does not run")
    for placed in plan.placements:
        if placed.node not in instance.nodes_by_name:
            raise refused(f"it uses node {placed.node}, which does not exist")
        gpus = instance.shape(placed.node).gpus
        wrong = [slot for slot in placed.slots or () if not 0 <= slot < gpus]
        if wrong:
            raise refused(f"it uses slot {wrong[0]} of node {placed.node}, which has {gpus}")
