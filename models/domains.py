"""Domains of the topology tree: which one a node or a slot lies in, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cluster import Node
from .topology import CLUSTER, NODE

if TYPE_CHECKING:
    from .instance import Instance

DomainKey = tuple[str, ...]


def domain_of_node(instance: Instance, node: Node, level: str) -> DomainKey:
    """Return the identity of the domain that holds a whole node.

    Parameters
    ----------
    instance : Instance
        For the order of the levels.
    node : Node
        A node of it.
    level : str
        ``cluster``, ``node`` or a level above node.

    Returns
    -------
    tuple of str
        The whole path from the broadest level, so that rack r7 of zone z1 and rack r7 of zone z2 are two. Where
        the node names no domain, an entry that no other node has.
    """
    if level == CLUSTER:
        return ()
    if level == NODE:
        return ("node", node.name)
    above = instance.cluster.levels_above
    path: list[str] = []
    for broader in above[: above.index(level) + 1]:
        name = node.within.get(broader)
        path += ("in", name) if name is not None else ("alone", node.name)
    return tuple(path)


def domain_of_slot(instance: Instance, node: Node, level: str, slot: int) -> DomainKey:
    """Return the identity of the domain of any level that holds a slot.

    Parameters
    ----------
    instance : Instance
        For the order of the levels and the shapes.
    node : Node
        A node of it.
    level : str
        ``cluster``, ``gpu`` or a level.
    slot : int
        A slot of the node.

    Returns
    -------
    tuple of str
        An identity that is the same for two slots exactly when they share the domain.
    """
    below = instance.cluster.levels_below
    if level in below:
        return ("node", node.name, "in", instance.shape(node.name).domain_of(level, slot))
    if level == "gpu":
        return ("node", node.name, "slot", str(slot))
    return domain_of_node(instance, node, level)


def label_of(key: DomainKey) -> str:
    """Return how a domain is called in plans and messages.

    Parameters
    ----------
    key : tuple of str
        As the functions above give it.

    Returns
    -------
    str
        Such as ``z1/r7``, ``n1``, ``n1/numa0``; ``cluster`` for everything; a node without a domain of its own
        at a level stands as ``(n1)``.
    """
    if not key:
        return CLUSTER
    names = [f"({name})" if kind == "alone" else name for kind, name in zip(key[::2], key[1::2], strict=True)]
    return "/".join(name for name in names if name)
