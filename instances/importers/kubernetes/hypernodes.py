"""Volcano's HyperNodes: which domain of every tier a node stands in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from .core_objects import Node
from .selection import selects
from .topology_objects import HyperNode, Member

NODE_MEMBER: Final = "Node"
GROUP_MEMBER: Final = "HyperNode"


def tiers(hypernodes: Mapping[str, HyperNode], nodes: Mapping[str, Node | None]) -> dict[int, dict[str, str]]:
    """Return for every tier the HyperNode of each node.

    Parameters
    ----------
    hypernodes : mapping
        By name.
    nodes : mapping
        Node names with their objects, for the labels; None where only the name is known.

    Returns
    -------
    dict
        Tier (a larger one is broader) to node to HyperNode; nodes in none of a tier are left out.

    Raises
    ------
    InstanceError
        A selector that names not exactly one way, a broken pattern, a circle, a node in two of a tier.
    """
    members: dict[str, frozenset[str]] = {}
    found: dict[int, dict[str, str]] = {}
    for name, hypernode in hypernodes.items():
        inside = found.setdefault(hypernode.spec.tier, {})
        for node in sorted(_nodes_of(name, hypernodes, nodes, members, ())):
            if inside.setdefault(node, name) != name:
                expected = f"a node in one HyperNode a tier; it is in {inside[node]} too"
                raise hypernode.mistake("spec.members", node, expected)
    return dict(sorted(found.items(), reverse=True))


def tier_level(tier: int, hypernodes: Mapping[str, HyperNode]) -> str:
    """Return what the level of a tier is called.

    Parameters
    ----------
    tier : int
        The tier.
    hypernodes : mapping
        By name.

    Returns
    -------
    str
        The tier's own name if all its HyperNodes agree on one, else ``tier-N``.
    """
    names = {item.spec.tier_name for item in hypernodes.values() if item.spec.tier == tier}
    name = next(iter(names)) if len(names) == 1 else ""
    return name or f"tier-{tier}"


def _nodes_of(
    name: str,
    hypernodes: Mapping[str, HyperNode],
    nodes: Mapping[str, Node | None],
    known: dict[str, frozenset[str]],
    above: tuple[str, ...],
) -> frozenset[str]:
    if name in known:
        return known[name]
    hypernode = hypernodes[name]
    if name in above or len(above) > 50:
        raise hypernode.mistake("spec.members", name, "a tree: no HyperNode within itself")
    inside: set[str] = set()
    for index, member in enumerate(hypernode.spec.members):
        where = f"spec.members[{index}]"
        if member.type == NODE_MEMBER:
            inside |= _matching(hypernode, where, member, nodes)
        elif member.type == GROUP_MEMBER:
            for group in sorted(_matching(hypernode, where, member, hypernodes)):
                inside |= _nodes_of(group, hypernodes, nodes, known, (*above, name))
        else:
            raise hypernode.mistake(f"{where}.type", member.type, f"{NODE_MEMBER} or {GROUP_MEMBER}")
    known[name] = frozenset(inside)
    return known[name]


def _matching(
    hypernode: HyperNode, where: str, member: Member, candidates: Mapping[str, Node | HyperNode | None]
) -> set[str]:
    exact, pattern, labels = member.selector.exact_match, member.selector.regex_match, member.selector.label_match
    if sum(way is not None for way in (exact, pattern, labels)) != 1:
        raise hypernode.mistake(f"{where}.selector", "", "exactly one of exactMatch, regexMatch and labelMatch")
    if exact is not None:
        return {exact.name} & set(candidates)
    if pattern is not None:
        try:
            compiled = re.compile(pattern.pattern)
        except (re.error, RecursionError, OverflowError):
            field = f"{where}.selector.regexMatch.pattern"
            raise hypernode.mistake(field, pattern.pattern, "a regular expression") from None
        return {name for name in candidates if compiled.search(name)}
    assert labels is not None
    return {
        name
        for name, candidate in candidates.items()
        if candidate is not None and selects(labels, candidate.metadata.labels, hypernode)
    }
