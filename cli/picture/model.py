"""What the picture shows, free of any way to draw it: nodes as cards, islands as boxes, slots before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Fate = Literal["stays", "evicted", "terminating"]
Promise = Literal["binds", "yields", "displaced", "own"]
SlotState = Literal["offline", "request", "used", "going", "evicted", "free"]

TONES = 5
"""Shades of priority: all priorities that run in the cluster, cut into so many equal parts by rank."""


@dataclass(frozen=True)
class Occupant:
    """A running pod on a slot or a node.

    Attributes
    ----------
    pod : str
        Its name.
    job : str
        Its job's.
    priority : int
        Its job's.
    tone : int
        Shade of the priority, 0 (least important) to ``TONES - 1``.
    fate : str
        What the plan, or its own end, does to it.
    share : float
        Of each slot.
    gpus : int
        Slots it holds on its node.
    lost_gpu_seconds : float or None
        Work that its eviction loses; None where it stays.
    """

    pod: str
    job: str
    priority: int
    tone: int
    fate: Fate
    share: float
    gpus: int
    lost_gpu_seconds: float | None


@dataclass(frozen=True)
class Arrival:
    """A pod of the request that the plan places.

    Attributes
    ----------
    name : str
        Such as ``chat-70b#0``.
    gpus : int
        Slots it takes.
    share : float
        Of each slot.
    level : str
        The kind of its island.
    island : str or None
        Its island; None where only the kind is certain.
    """

    name: str
    gpus: int
    share: float
    level: str
    island: str | None


@dataclass(frozen=True)
class Hold:
    """Room promised to another request: a slot, or a number of slots of a node.

    Attributes
    ----------
    owner : str
        Whose.
    priority : int
        Its priority.
    gpus : int
        How many slots of the node.
    promise : str
        Whether it binds the request, would yield to it, is displaced by the plan, or is the request's own.
    """

    owner: str
    priority: int
    gpus: int
    promise: Promise


@dataclass(frozen=True)
class Slot:
    """One slot: who is there, who comes, and what stands against its use.

    Attributes
    ----------
    number : int
        Its number in the node.
    offline : bool
        It serves nobody.
    refusal : str or None
        Why the request cannot use it, whoever is evicted.
    occupants : tuple of Occupant
        Running pods of known placement on it.
    arrivals : tuple of Arrival
        Pods of the request that the plan puts on it.
    holds : tuple of Hold
        Reservations of it.
    """

    number: int
    offline: bool
    refusal: str | None
    occupants: tuple[Occupant, ...]
    arrivals: tuple[Arrival, ...]
    holds: tuple[Hold, ...]

    @property
    def before(self) -> SlotState:
        """What it is as the cluster stands."""
        if self.occupants:
            return "going" if all(occupant.fate == "terminating" for occupant in self.occupants) else "used"
        return "offline" if self.offline else "free"

    @property
    def after(self) -> SlotState:
        """What it is once the plan is carried out; a terminating pod stays in the picture until its room is taken."""
        if self.arrivals:
            return "request"
        left = [occupant.fate for occupant in self.occupants if occupant.fate != "evicted"]
        if left:
            return "going" if set(left) == {"terminating"} else "used"
        return "offline" if self.offline else "free"

    @property
    def loses(self) -> bool:
        """Whether a pod on it is evicted."""
        return any(occupant.fate == "evicted" for occupant in self.occupants)


@dataclass(frozen=True)
class Island:
    """A domain of the level shown.

    Attributes
    ----------
    title : str
        Such as ``numa n0``.
    slots : tuple of Slot
        Its slots, ascending.
    serves : tuple of str
        Pods of the request whose island this is.
    """

    title: str
    slots: tuple[Slot, ...]
    serves: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the plan changes anything on its slots."""
        return any(slot.arrivals or slot.loses for slot in self.slots)


@dataclass(frozen=True)
class Wire:
    """A link between two slots that counts for the request's island.

    Attributes
    ----------
    slots : tuple of int
        The smaller one first.
    text : str
        What links them, such as ``4 nvlink``.
    serves : bool
        Both slots go to the same pod of the request.
    """

    slots: tuple[int, int]
    text: str
    serves: bool


@dataclass(frozen=True)
class Card:
    """One node.

    Attributes
    ----------
    name, machine : str
        Of the node and of its shape.
    place : str
        Its domain at the level just above node, such as ``z1/r7``; empty without one.
    cordoned : bool
        It takes no new pods.
    refusal : str or None
        Why no slot of it can serve the request.
    islands : tuple of Island
        Domains of the level shown.
    wires : tuple of Wire
        Links, where the request asks for a link island; empty where every pair is linked.
    fully_linked : bool
        Every pair is linked.
    unplaced : tuple of Occupant
        Pods whose slots are not known, and pods without GPUs.
    arrivals : tuple of Arrival
        Pods of the request that come without certain slots.
    holds : tuple of Hold
        Reservations of a number of slots.
    """

    name: str
    machine: str
    place: str
    cordoned: bool
    refusal: str | None
    islands: tuple[Island, ...]
    wires: tuple[Wire, ...]
    fully_linked: bool
    unplaced: tuple[Occupant, ...]
    arrivals: tuple[Arrival, ...]
    holds: tuple[Hold, ...]

    @property
    def slots(self) -> Iterator[Slot]:
        """All slots, island by island."""
        return (slot for island in self.islands for slot in island.slots)

    @property
    def receives(self) -> bool:
        """Whether a pod of the request comes here."""
        return bool(self.arrivals) or any(slot.arrivals for slot in self.slots)

    @property
    def touched(self) -> bool:
        """Whether the plan changes anything here."""
        return (
            self.receives
            or any(slot.loses for slot in self.slots)
            or any(occupant.fate == "evicted" for occupant in self.unplaced)
        )


@dataclass(frozen=True)
class Picture:
    """The cluster as it is and as a plan leaves it.

    Attributes
    ----------
    levels : tuple of str
        The cluster's levels, broadest first.
    level : str
        The level whose domains are the islands.
    wish : str
        What the request asks for, in a line.
    planned : bool
        Whether a plan is shown.
    cards : tuple of Card
        All nodes, in the order of the file.
    groups : tuple of (str, tuple of Card)
        The same nodes by their domain of one level above node (see `grouped_by`); one nameless group without any.
    grouped_by : str or None
        That level.
    shared : str
        The domain that all pods of a placed gang share, such as ``rack z1/r1``; empty without one.
    """

    levels: tuple[str, ...]
    level: str
    wish: str
    planned: bool
    cards: tuple[Card, ...]
    groups: tuple[tuple[str, tuple[Card, ...]], ...]
    grouped_by: str | None
    shared: str
