"""Room promised to other requests: kept where it binds, listed where the request takes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..eligibility import binds
from ..jobs import Reservation
from .doubt import doubt_of
from .rules import Rule, Violation
from .site import Site
from .state import State


@dataclass(frozen=True)
class Promises:
    """The reservations of others on one node after the plan.

    Attributes
    ----------
    taken : tuple of Reservation
        Of lower priority, by slots, and the request takes one of them.
    doubtful : tuple of Reservation
        Of lower priority, where the plan names no slots: those by slots that it may take, and all by count.
    counted : tuple of Reservation
        Of lower priority, by count; the smallest first.
    promised : int
        Slots that binding reservations by count need.
    room : int
        Online slots that are wholly free after the plan, less those of slot reservations that stay.
    """

    taken: tuple[Reservation, ...]
    doubtful: tuple[Reservation, ...]
    counted: tuple[Reservation, ...]
    promised: int
    room: int

    @property
    def displaced_counts(self) -> int:
        """How many reservations by count lose their room at least."""
        room, displaced = self.room - self.promised, 0
        for held in self.counted:
            if (held.gpus or 0) <= room:
                room -= held.gpus or 0
            else:
                displaced += 1
        return displaced


def promises_on(site: Site) -> Promises:
    """Return what becomes of the reservations on a node.

    Parameters
    ----------
    site : Site
        A node that the request uses.

    Returns
    -------
    Promises
        The request's own reservations are not among them; a request without GPUs takes nobody's room.
    """
    instance, request = site.instance, site.instance.request
    if not request.gpus:
        return Promises((), (), (), 0, 0)
    bound = [held for held in site.reservations if binds(instance, held)]
    lower = [held for held in site.reservations if not binds(instance, held)]
    taken = tuple(held for held in lower if set(held.slots or ()) & set(site.taken))
    doubt = doubt_of(site)
    doubtful: tuple[Reservation, ...] = ()
    if not site.is_certain:
        reach = [site.named_slots(placement) or doubt.open for placement in site.placements]
        reached = frozenset().union(*reach) & doubt.open
        doubtful = tuple(held for held in lower if held.gpus is not None or set(held.slots or ()) & reached)
    staying = [held for held in (*bound, *lower) if held not in taken and held not in doubtful]
    reserved = {slot for held in staying for slot in held.slots or ()}
    free = site.online - set(site.held) - set(site.taken) - reserved
    room = doubt.certain_of(free) - (0 if site.is_certain else request.gpus * len(site.placements))
    counted = tuple(sorted((h for h in lower if h.gpus is not None), key=lambda held: (held.gpus or 0, held.owner)))
    return Promises(taken, doubtful, counted, sum(held.gpus or 0 for held in bound), room)


def reserved_slots_are_left(state: State) -> Iterator[Violation]:
    """No slot of another's reservation of equal or higher priority serves the request."""
    for site in state.sites:
        for held in site.reservations:
            if binds(state.instance, held):
                for slot in sorted(set(held.slots or ()) & set(site.taken)):
                    text = f"slot {slot} of node {site.node.name} is reserved for {held.owner} at {held.priority}"
                    yield Violation(Rule.RESERVED_SLOT, text)


def reserved_room_is_left(state: State) -> Iterator[Violation]:
    """On a node that the request uses as many online slots stay wholly free as binding reservations count."""
    for site in state.sites:
        if site.reservations:
            promises = promises_on(site)
            if promises.room < promises.promised:
                text = f"node {site.node.name} must keep {promises.promised} slots free, {promises.room} are"
                yield Violation(Rule.RESERVED_ROOM, text)


def displaced_owners_are_listed(state: State) -> Iterator[Violation]:
    """``displaces`` lists the owners of the reservations that lose their room, and nobody else."""
    listed = set(state.plan.displaces)
    may: set[str] = set()
    for site in state.sites:
        if not site.reservations:
            continue
        promises = promises_on(site)
        must = {held.owner for held in promises.taken}
        may |= must | {held.owner for held in promises.doubtful}
        if promises.displaced_counts:
            may |= {held.owner for held in promises.counted}
            kept = sum(held.gpus or 0 for held in promises.counted if held.owner not in listed)
            if kept > max(0, promises.room - promises.promised):
                owners = sorted({held.owner for held in promises.counted} - listed)
                text = f"node {site.node.name} has no room left for the reservations of {owners}, who are not listed"
                yield Violation(Rule.DISPLACES, text)
        for owner in sorted(must - listed):
            text = f"the request takes slots of node {site.node.name} promised to {owner}, who is not listed"
            yield Violation(Rule.DISPLACES, text)
    for owner in sorted(listed - may):
        yield Violation(Rule.DISPLACES, f"{owner} is listed as displaced, but loses no room")


def displaced_reservations_are_counted(state: State) -> Iterator[Violation]:
    """``displaced_reservations`` is the least number of reservations that lose their room.

    Where the plan names no slots, it may be any number from those that surely lose theirs to those that may.
    """
    least = most = 0
    for site in state.sites:
        if site.reservations:
            promises = promises_on(site)
            certain = len(promises.taken) + promises.displaced_counts
            least += certain
            most += max(certain, len(promises.doubtful))
    stated = state.plan.cost.displaced_reservations
    if not least <= stated <= most:
        expected = least if least == most else f"{least} to {most}"
        yield Violation(Rule.DISPLACED_RESERVATIONS, f"{expected} reservations are displaced, the cost says {stated}")
