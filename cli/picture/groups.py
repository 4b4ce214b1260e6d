"""The nodes by a domain above them, and how full each group is before and after the plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...models.domains import domain_of_node, label_of
from ...models.instance import Instance
from .model import Card, Picture, SlotState
from .wish import many

MOST_GROUPS = 40
"""So many domains are worth a line each."""
MOST_ROOMY = 8
"""Of more domains so many are named that the plan does not touch."""

STATES: tuple[SlotState, ...] = ("request", "evicted", "used", "going", "offline", "free")
"""In the order in which they are shown."""

WORDS: Mapping[SlotState, str] = {
    "request": "for the request",
    "evicted": "evicted",
    "used": "in use",
    "going": "terminating",
    "offline": "offline",
    "free": "free",
}

Groups = tuple[tuple[str, tuple[Card, ...]], ...]


@dataclass(frozen=True)
class Tally:
    """Slots of some nodes by state; pods whose slots are not known count as used, as far as there is room.

    Attributes
    ----------
    nodes : int
        How many nodes.
    slots : int
        All slots.
    before : mapping of str to int
        ``used`` (pods that stay), ``evicted``, ``going`` (terminating), ``free`` and ``offline``: they sum to all.
    after : mapping of str to int
        ``request``, ``used``, ``going``, ``free`` and ``offline``: they sum to all.
    """

    nodes: int
    slots: int
    before: Mapping[SlotState, int]
    after: Mapping[SlotState, int]


def tally(cards: Iterable[Card]) -> Tally:
    """Return the slots of some nodes by state.

    Parameters
    ----------
    cards : iterable of Card
        Nodes.

    Returns
    -------
    Tally
        Their sums.
    """
    nodes = slots = 0
    before: Counter[SlotState] = Counter()
    after: Counter[SlotState] = Counter()
    for card in cards:
        nodes += 1
        then: Counter[SlotState] = Counter()
        now: Counter[SlotState] = Counter()
        for slot in card.slots:
            slots += 1
            now["evicted" if slot.loses else slot.before] += 1
            then[slot.after] += 1
        fates = Counter[str]()
        for occupant in card.unplaced:
            fates[occupant.fate] += occupant.gpus
        _move(now, "evicted", fates["evicted"])
        _move(then, "request", sum(arrival.gpus for arrival in card.arrivals))
        for counter in (now, then):
            _move(counter, "used", fates["stays"])
            _move(counter, "going", fates["terminating"])
        before += now
        after += then
    return Tally(nodes, slots, dict(before), dict(after))


def grouped(instance: Instance, cards: Sequence[Card]) -> tuple[Groups, str | None]:
    """Return the nodes by their domain of one level above node.

    Parameters
    ----------
    instance : Instance
        The decision.
    cards : sequence of Card
        All its nodes, in its order.

    Returns
    -------
    groups : tuple of (str, tuple of Card)
        Label and nodes, by label; nodes that name no domain there are the group without a label, which is last.
    level : str or None
        The level that a gang asks for if it is above node; else the finest of at most `MOST_GROUPS` domains; else
        the broadest; None if the cluster has none above node.
    """
    above = instance.cluster.levels_above
    gang = instance.request.affinity.gang
    if not above:
        return (("", tuple(cards)),), None
    if gang is not None and gang.island in above:
        level = gang.island
    else:
        few = [
            name
            for name in above
            if len({domain_of_node(instance, node, name) for node in instance.cluster.nodes}) <= MOST_GROUPS
        ]
        level = few[-1] if few else above[0]
    found: dict[str, list[Card]] = defaultdict(list)
    for node, card in zip(instance.cluster.nodes, cards, strict=True):
        named = level in node.within
        found[label_of(domain_of_node(instance, node, level)) if named else ""].append(card)
    order = sorted(found, key=lambda label: (not label, label))
    return tuple((label, tuple(found[label])) for label in order), level


def rows_of_groups(picture: Picture) -> Groups:
    """Return the groups worth a line each.

    Parameters
    ----------
    picture : Picture
        The cluster.

    Returns
    -------
    tuple of (str, tuple of Card)
        Nothing if there is but one group. Of more than `MOST_GROUPS` at most so many that the plan touches, then
        the `MOST_ROOMY` others with the most free slots, and the rest as one.
    """
    groups = picture.groups
    if len(groups) < 2:
        return ()
    if len(groups) > MOST_GROUPS:
        touched = [group for group in groups if any(card.touched for card in group[1])][:MOST_GROUPS]
        kept = {label for label, _ in touched}
        rest = sorted(
            (group for group in groups if group[0] not in kept),
            key=lambda group: (-tally(group[1]).before.get("free", 0), group[0]),
        )
        others = tuple(card for _, cards in rest[MOST_ROOMY:] for card in cards)
        last = ((many(len(rest) - MOST_ROOMY, "other"), others),) if others else ()
        groups = (*touched, *rest[:MOST_ROOMY], *last)
    return tuple((label or f"in no {picture.grouped_by}", cards) for label, cards in groups)


def _move(counter: Counter[SlotState], state: SlotState, number: int) -> None:
    moved = min(number, counter["free"])
    counter["free"] -= moved
    counter[state] += moved
