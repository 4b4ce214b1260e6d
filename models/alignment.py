"""How the kubelet's topology manager aligns a pod on a node: which level, which resources, how many NUMA nodes wide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from .cluster import Node
from .jobs import Pod
from .shape import Shape
from .topology import ALIGNING_POLICIES
from .units import micro

if TYPE_CHECKING:
    from .instance import Instance

NUMA = "numa"


@dataclass(frozen=True)
class Alignment:
    """What the kubelet of a node will insist on for one pod of the request.

    Attributes
    ----------
    level : str
        The level whose domains are the kubelet's NUMA nodes.
    domains : mapping
        Slots by domain.
    amounts : mapping
        Millionths that one pod asks of each aligned resource (all above 0).
    width : int or None
        How many domains the pod's mask has; None: no mask can ever be admitted.
    """

    level: str
    domains: Mapping[str, tuple[int, ...]]
    amounts: Mapping[str, int]
    width: int | None

    def masks(self) -> list[tuple[str, ...]]:
        """Return all sets of domains of the admitted width, in name order.

        Returns
        -------
        list of tuple of str
            Empty if nothing can be admitted.
        """
        return [] if self.width is None else list(combinations(self.domains, self.width))


def aligned_level(instance: Instance, shape: Shape) -> str | None:
    """Return the level at which a machine's kubelet aligns.

    Parameters
    ----------
    instance : Instance
        For its levels.
    shape : Shape
        The machine.

    Returns
    -------
    str or None
        ``numa`` if the cluster has that level, else the only level that the machine gives resources for; None if
        its policy imposes nothing or no such level is there.
    """
    if shape.topology_policy not in ALIGNING_POLICIES:
        return None
    if NUMA in instance.cluster.levels_below:
        return NUMA
    return next(iter(shape.domain_resources)) if len(shape.domain_resources) == 1 else None


def alignment(instance: Instance, node: Node) -> Alignment | None:
    """Return how a node aligns one pod of the request.

    Parameters
    ----------
    instance : Instance
        The decision.
    node : Node
        A node of it.

    Returns
    -------
    Alignment or None
        None if nothing is imposed. ``restricted`` admits a mask that is feasible and of minimal width for every
        aligned resource asked for, so all minimal widths must be equal; ``single-numa-node`` asks for width 1
        besides. Widths are taken from capacities (for GPUs: online slots), not from what is free.
    """
    shape = instance.shape(node.name)
    level = aligned_level(instance, shape)
    if level is None:
        return None
    given = shape.domain_resources.get(level, {})
    named = sorted({name for amounts in given.values() for name in amounts if name != "pods"})
    amounts = {name: micro(instance.request.resources.get(name, 0.0)) for name in named}
    amounts = {name: amount for name, amount in amounts.items() if amount}
    totals = {name: [given.get(domain, {}).get(name, 0) for domain in shape.domains[level]] for name in amounts}
    widths = {_width(totals[name], amount) for name, amount in amounts.items()}
    if instance.request.gpus:
        offline = set(node.offline_slots)
        online = [len(set(slots) - offline) for slots in shape.domains[level].values()]
        widths.add(_width(online, instance.request.gpus))
    if not widths:
        return None
    width = next(iter(widths)) if len(widths) == 1 else None
    if shape.topology_policy == "single-numa-node" and width != 1:
        width = None
    return Alignment(level, shape.domains[level], amounts, width)


def _width(totals: list[int], amount: int) -> int | None:
    held = 0
    for number, total in enumerate(sorted(totals, reverse=True), start=1):
        held += total
        if held >= amount:
            return number
    return None


@dataclass(frozen=True)
class Holdings:
    """What a running pod holds of the domains of an aligned level, in millionths.

    Attributes
    ----------
    by_domain : mapping
        Domain, resource: amount.
    anywhere : mapping
        Resource: amount in a domain that is not known, so that any mask may be the one it burdens.
    """

    by_domain: Mapping[str, Mapping[str, Fraction]]
    anywhere: Mapping[str, int]

    def in_mask(self, mask: Iterable[str], resource: str) -> Fraction:
        """Return the most that the pod may hold of a resource in a mask.

        Parameters
        ----------
        mask : iterable of str
            Domains.
        resource : str
            The resource.

        Returns
        -------
        Fraction
            Millionths.
        """
        known = sum((self.by_domain.get(domain, {}).get(resource, Fraction(0)) for domain in mask), Fraction(0))
        return known + self.anywhere.get(resource, 0)


def domain_holdings(instance: Instance, pod: Pod, level: str) -> Holdings:
    """Return what a running pod holds of each domain of an aligned level.

    Parameters
    ----------
    instance : Instance
        For the shape of its node.
    pod : Pod
        A running pod.
    level : str
        The aligned level of its node.

    Returns
    -------
    Holdings
        For each resource: as the pod's ``domain_resources`` say; else its amount split over the domains of its
        slots in proportion to the slots, or in the domain it names; else anywhere.
    """
    held: dict[str, dict[str, Fraction]] = {
        domain: {name: Fraction(micro(amount)) for name, amount in amounts.items()}
        for domain, amounts in pod.domain_resources.get(level, {}).items()
    }
    stated = {name for amounts in held.values() for name in amounts}
    rest = {name: micro(amount) for name, amount in pod.resources.items() if name not in stated}
    parts = _parts(instance, pod, level)
    if not parts:
        return Holdings(held, rest)
    for domain, part in parts.items():
        own = held.setdefault(domain, {})
        own |= {name: amount * part for name, amount in rest.items()}
    return Holdings(held, {})


def _parts(instance: Instance, pod: Pod, level: str) -> dict[str, Fraction]:
    if level in pod.within:
        return {pod.within[level]: Fraction(1)}
    shape = instance.shape(pod.node)
    counts: dict[str, int] = {}
    for slot in pod.slots or ():
        domain = shape.domain_of(level, slot)
        counts[domain] = counts.get(domain, 0) + 1
    return {domain: Fraction(count, len(pod.slots or ())) for domain, count in counts.items()}
