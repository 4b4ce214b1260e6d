"""One node as a plan leaves it: who stays, who goes, which slots the request takes and in which domains they lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..cluster import Node
from ..domains import DomainKey, domain_of_node, domain_of_slot, label_of
from ..eligibility import binds
from ..instance import Instance
from ..jobs import Pod, Reservation
from ..plan import Placement
from ..shape import Shape
from ..topology import GPU, NODE
from ..units import MICRO, micro


@dataclass(frozen=True)
class Site:
    """One node that the plan uses.

    Attributes
    ----------
    instance : Instance
        The decision.
    node : Node
        The node.
    shape : Shape
        Its shape.
    placements : tuple of Placement
        The pods of the request that land here.
    kept, evicted, leaving : tuple of Pod
        Its running pods: those that stay, the victims, and those that are terminating already.
    reservations : tuple of Reservation
        Those of other requests.
    """

    instance: Instance
    node: Node
    shape: Shape
    placements: tuple[Placement, ...]
    kept: tuple[Pod, ...]
    evicted: tuple[Pod, ...]
    leaving: tuple[Pod, ...]
    reservations: tuple[Reservation, ...]

    @cached_property
    def online(self) -> frozenset[int]:
        """Slots that serve somebody."""
        return frozenset(range(self.shape.gpus)) - frozenset(self.node.offline_slots)

    @cached_property
    def held(self) -> dict[int, int]:
        """What kept pods of known placement hold of each slot, in millionths."""
        return held_by(self.kept)

    @cached_property
    def taken(self) -> Counter[int]:
        """How many pods of the request each slot serves, as far as the plan names slots."""
        return Counter(slot for placement in self.placements for slot in placement.slots or ())

    @cached_property
    def strangers(self) -> tuple[Pod, ...]:
        """Kept pods of which it is not known which slots they hold."""
        return tuple(pod for pod in self.kept if pod.gpus is not None)

    @property
    def is_certain(self) -> bool:
        """Whether it is known of every slot who will hold it, so that the plan names slots."""
        return not self.strangers or not self.instance.request.gpus

    @cached_property
    def reserved(self) -> frozenset[int]:
        """Slots that a binding reservation keeps from the request."""
        bound = (held for held in self.reservations if binds(self.instance, held))
        return frozenset(slot for held in bound for slot in held.slots or ())

    @cached_property
    def usable(self) -> frozenset[int]:
        """Online slots of an asked model that no reservation keeps from the request."""
        models = self.instance.request.gpu_models
        return frozenset(
            slot for slot in self.online - self.reserved if not models or self.shape.models[slot] in models
        )

    def domain(self, level: str, placement: Placement) -> DomainKey | None:
        """Return the domain of a level that holds one pod of the request.

        Parameters
        ----------
        level : str
            ``cluster`` or a level.
        placement : Placement
            One of this site.

        Returns
        -------
        tuple of str or None
            None if its slots lie in several, or if the plan does not tell in which. A pod without GPUs lies in
            its node at every level below it.
        """
        if level not in self.instance.cluster.levels_below:
            return domain_of_node(self.instance, self.node, level)
        if not self.instance.request.gpus:
            return domain_of_node(self.instance, self.node, NODE)
        if placement.slots is not None:
            domains = {domain_of_slot(self.instance, self.node, level, slot) for slot in placement.slots}
            return domains.pop() if len(domains) == 1 else None
        named = {key: slots for key, slots in self.domains(level) if slots}
        if len(named) == 1:
            return next(iter(named))
        island = self.named_slots(placement)
        return next((key for key, slots in named.items() if island and island <= slots), None)

    def domains(self, level: str) -> Iterator[tuple[DomainKey, frozenset[int]]]:
        """Yield the domains of a level (node, below it, or ``gpu``) on this node.

        Parameters
        ----------
        level : str
            The level.

        Yields
        ------
        tuple
            Identity and slots.
        """
        if level == GPU:
            for slot in range(self.shape.gpus):
                yield ("node", self.node.name, "slot", str(slot)), frozenset({slot})
        elif level == NODE:
            yield ("node", self.node.name), frozenset(range(self.shape.gpus))
        else:
            for name, slots in self.shape.domains[level].items():
                yield ("node", self.node.name, "in", name), frozenset(slots)

    def named_slots(self, placement: Placement) -> frozenset[int] | None:
        """Return the slots of the island that a placement names.

        Parameters
        ----------
        placement : Placement
            One of this site.

        Returns
        -------
        frozenset of int or None
            None if it names none, or none of its level.
        """
        if placement.level == GPU or placement.level in self.instance.cluster.levels:
            if placement.level in self.instance.cluster.levels_above:
                return None
            slots = [slots for key, slots in self.domains(placement.level) if label_of(key) == placement.island]
            if slots or placement.slots is not None:
                return slots[0] if slots else None
        return slots_named(self, placement.island)


def slots_named(site: Site, island: str | None) -> frozenset[int] | None:
    """Return the slots of an island by its name: the node, or the node and its slots (``n1/0+1``).

    Link and block islands are named so, and parts of a level's islands where slots are not certain.

    Parameters
    ----------
    site : Site
        The node it should lie on.
    island : str or None
        As the plan writes it.

    Returns
    -------
    frozenset of int or None
        None if it is no such name.
    """
    if island == site.node.name:
        return frozenset(range(site.shape.gpus))
    if island is None or not island.startswith(site.node.name + "/"):
        return None
    parts = island.removeprefix(site.node.name + "/").split("+")
    if not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
        return None
    slots = frozenset(int(part) for part in parts)
    return slots if max(slots) < site.shape.gpus else None


def held_by(pods: tuple[Pod, ...]) -> dict[int, int]:
    """Return what pods of known placement hold of each slot.

    Parameters
    ----------
    pods : tuple of Pod
        Pods of one node.

    Returns
    -------
    dict
        Slot to millionths.
    """
    held: dict[int, int] = {}
    for pod in pods:
        if pod.slots is not None:
            share = MICRO if pod.share == 1.0 else micro(pod.share)
            for slot in pod.slots:
                held[slot] = held.get(slot, 0) + share
    return held
