"""What is certain about a node on which pods of unknown placement stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..jobs import Pod
from ..units import MICRO, micro
from .site import Site, held_by


@dataclass(frozen=True)
class Doubt:
    """What may be free on a node where pods of unknown placement stay.

    Attributes
    ----------
    site : Site
        The node.
    strangers : tuple of Pod
        Pods of unknown placement that stay.
    known : tuple of Pod
        Pods of known placement that stay.
    inside : frozenset of int or None
        The request may only use these slots; None: all.
    """

    site: Site
    strangers: tuple[Pod, ...]
    known: tuple[Pod, ...]
    inside: frozenset[int] | None = None

    @cached_property
    def open(self) -> frozenset[int]:
        """Usable slots that no known pod keeps: the most that can be there."""
        usable = self.site.usable if self.inside is None else self.site.usable & self.inside
        return usable - set(held_by(self.known))

    @cached_property
    def lairs(self) -> tuple[tuple[int, frozenset[int]], ...]:
        """For each pod of unknown placement its number of slots and where they may be.

        Today it sits where pods of known placement, victims too, leave room for its share, and in the domains that
        its ``within`` names.
        """
        site = self.site
        now = held_by((*site.kept, *site.evicted, *site.leaving))
        found = []
        for pod in self.strangers:
            share = micro(pod.share)
            room = {slot for slot in range(site.shape.gpus) if now.get(slot, 0) + share <= MICRO}
            for level, domain in pod.within.items():
                room &= set(site.shape.domains.get(level, {}).get(domain, ()))
            found.append((pod.gpus or 0, frozenset(room)))
        return tuple(found)

    def certain(self, slots: frozenset[int]) -> int:
        """Return how many slots of a set are free wherever the pods of unknown placement sit.

        Parameters
        ----------
        slots : frozenset of int
            Slots of the node.

        Returns
        -------
        int
            ``a - min(U, |R|)``, both within the set, with U counted over pods that may sit there.
        """
        return self.certain_of(slots & self.open)

    def certain_of(self, there: frozenset[int]) -> int:
        """Return how many of some slots that no known pod keeps are free wherever the others sit.

        Parameters
        ----------
        there : frozenset of int
            Such slots, usable for the request or not.

        Returns
        -------
        int
            Their number less the most of them that pods of unknown placement may hold.
        """
        each = sum(min(number, len(room & there)) for number, room in self.lairs)
        reach = frozenset().union(*(room for _, room in self.lairs)) & there
        return len(there) - min(each, len(reach))

    @cached_property
    def number(self) -> int:
        """U: how many open slots the pods of unknown placement may hold at most."""
        reach = frozenset().union(*(room for _, room in self.lairs)) & self.open
        return min(sum(number for number, _ in self.lairs), len(reach))


def doubt_of(site: Site, *, inside: frozenset[int] | None = None) -> Doubt:
    """Return what is certain about a node once the victims and the terminating pods are gone.

    Parameters
    ----------
    site : Site
        The node.
    inside : frozenset of int, optional
        The request may only use these slots.

    Returns
    -------
    Doubt
        With the kept pods of the site.
    """
    return Doubt(site, site.strangers, tuple(pod for pod in site.kept if pod.gpus is None), inside)
