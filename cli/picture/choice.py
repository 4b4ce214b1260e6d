"""Which nodes are drawn: those asked for, all of a small cluster, or those that the plan touches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...models.domains import domain_of_node, label_of
from ...models.errors import ConfigError
from ...models.instance import Instance
from .model import Card, Picture


@dataclass(frozen=True)
class Choice:
    """Nodes to draw.

    Attributes
    ----------
    cards : tuple of Card
        Those with pods of the request first, then those that only lose pods, then the rest.
    left_out : tuple of Card
        Nodes that the plan touches and that are too many to draw.
    why : str
        Whether every node is drawn (so that no summary is needed), those that the user asked for, or those that
        the plan touches.
    """

    cards: tuple[Card, ...]
    left_out: tuple[Card, ...]
    why: Literal["all", "asked", "touched"]


def choose(picture: Picture, asked: frozenset[str] | None, small: int, most: int) -> Choice:
    """Return which nodes are drawn.

    Parameters
    ----------
    picture : Picture
        All nodes.
    asked : frozenset of str or None
        Names of the nodes that the user wants; None: no wish.
    small : int
        A cluster of up to so many nodes is drawn whole.
    most : int
        So many nodes are drawn at most where the user has no wish.

    Returns
    -------
    Choice
        Nodes asked for are all drawn.
    """
    if asked is not None:
        return Choice(_in_order(card for card in picture.cards if card.name in asked), (), "asked")
    whole = len(picture.cards) <= small
    wanted = _in_order(card for card in picture.cards if whole or card.touched)
    most = max(most, small) if whole else most
    return Choice(wanted[:most], wanted[most:], "all" if whole else "touched")


def nodes_asked(instance: Instance, names: Sequence[str], within: Sequence[str]) -> frozenset[str] | None:
    """Return the nodes that a user names, one by one or by a domain that holds them.

    Parameters
    ----------
    instance : Instance
        The cluster.
    names : sequence of str
        Names of nodes.
    within : sequence of str
        ``LEVEL=DOMAIN``: a level above node, and a domain's name or its whole path, such as ``rack=z1/r7``.

    Returns
    -------
    frozenset of str or None
        None: nothing was named.

    Raises
    ------
    ConfigError
        A node, a level or a domain that does not exist.
    """
    if not names and not within:
        return None
    for name in names:
        if name not in instance.nodes_by_name:
            raise ConfigError(f"--node: found {name!r}, expected the name of a node of the instance")
    return frozenset(names).union(*(_inside(instance, text) for text in within))


def _inside(instance: Instance, text: str) -> frozenset[str]:
    level, equals, domain = text.partition("=")
    above = instance.cluster.levels_above
    if not equals or level not in above:
        levels = ", ".join(above) or "none in this cluster"
        raise ConfigError(f"--within: found {text!r}, expected LEVEL=DOMAIN with a level above node ({levels})")
    found = frozenset(
        node.name
        for node in instance.cluster.nodes
        if level in node.within and domain in (node.within[level], label_of(domain_of_node(instance, node, level)))
    )
    if not found:
        raise ConfigError(f"--within: found {domain!r}, expected a {level} that holds nodes")
    return found


def _in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=lambda card: (not card.receives, not card.touched)))
