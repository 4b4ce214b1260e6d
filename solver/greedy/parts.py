"""The parts into which levels below node cut a node."""

from __future__ import annotations

from collections.abc import Iterable

from ...models.domains import DomainKey
from .situation import Host, Situation


def domains_within(
    situation: Situation, host: Host, levels: Iterable[str]
) -> list[tuple[frozenset[int], dict[str, DomainKey]]]:
    """Return the parts into which levels below node cut a node.

    Parameters
    ----------
    situation : Situation
        The decision.
    host : Host
        The node.
    levels : iterable of str
        Levels below node.

    Returns
    -------
    list of tuple
        Slots of each part, and its domain at every level.
    """
    shape = situation.instance.shape(host.name)
    parts: list[tuple[frozenset[int], dict[str, DomainKey]]] = [(frozenset(range(shape.gpus)), {})]
    for level in dict.fromkeys(levels):
        parts = [
            (slots & frozenset(members), keys | {level: ("node", host.name, "in", name)})
            for slots, keys in parts
            for name, members in shape.domains[level].items()
            if slots & frozenset(members)
        ]
    return parts
