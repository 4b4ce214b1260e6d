"""Where pods of the request fit on one node, slot by slot: in islands, and as the kubelet aligns them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...models.alignment import Alignment, alignment, domain_holdings
from ...models.domains import domain_of_slot, label_of
from ...models.topology import BLOCK, GPU, LINK_ISLANDS, NODE
from ...models.units import MICRO, micro
from ..exact.patterns import patterns_of
from .counts import free_amounts, pods_by_counts
from .packing import any_slots, of_a_list
from .situation import Host, Running, Situation


@dataclass(frozen=True)
class Spot:
    """Room for one pod of the request on a node.

    Attributes
    ----------
    island : str or None
        The island's name; None where only its kind is certain.
    slots : tuple of int or None
        Its slots; None where pods of unknown placement stay on the node.
    """

    island: str | None
    slots: tuple[int, ...] | None


class Slots:
    """The slots of one node under a set of evicted pods, and the spots that they make.

    Parameters
    ----------
    situation : Situation
        The decision.
    host : Host
        The node.
    gone : collection of str
        Pods that no longer run.
    """

    def __init__(self, situation: Situation, host: Host, gone: Collection[str]) -> None:
        self._situation = situation
        self._gone = gone
        self._request = situation.instance.request
        self._host = host
        self._kept = tuple(pod for pod in host.pods if pod.name not in gone)
        self._share = micro(self._request.share)
        self._strangers = tuple(pod for pod in self._kept if pod.unknown)

    @cached_property
    def room(self) -> dict[int, int]:
        """How many pods of the request each usable slot could serve.

        Beside pods of unknown placement only slots that nobody else holds count, each for one pod.
        """
        left = dict.fromkeys(sorted(self._host.usable), MICRO)
        for pod in self._kept:
            for slot in pod.slots:
                if slot in left:
                    left[slot] -= pod.share
        if self._strangers:
            return {slot: 1 for slot, amount in left.items() if amount == MICRO}
        return {slot: amount // self._share for slot, amount in left.items() if amount >= self._share}

    @cached_property
    def _open(self) -> frozenset[int]:
        """Slots on which pods of unknown placement may sit: those that no pod of known placement holds."""
        held = self._situation.known_slots.get(self._host.name, frozenset())
        return frozenset(range(self._situation.instance.shape(self._host.name).gpus)) - held

    @cached_property
    def _alignment(self) -> Alignment | None:
        return alignment(self._situation.instance, self._host.node)

    def spots(self, rung: str, limit: int, *, within: frozenset[int] | None = None, aligned: bool = True) -> list[Spot]:
        """Return as many spots of one rung as there are, up to a limit.

        Parameters
        ----------
        rung : str
            An island kind of the pod scope.
        limit : int
            How many are wanted.
        within : frozenset of int, optional
            Only these slots.
        aligned : bool
            Whether the kubelet's topology manager is reckoned with.

        Returns
        -------
        list of Spot
            They can all be used together.
        """
        free = free_amounts(self._host, self._gone)
        need = self._situation.need
        rest = pods_by_counts((0, *need[1:]), (0, *free[1:]))
        limit = min(limit, rest)
        if not self._host.takes or limit <= 0:
            return []
        if not self._request.gpus:
            return self._without_gpus(limit, aligned)
        if self._host.held_back:
            whole = sum(1 for slot in self.room if self._is_empty(slot))
            limit = min(limit, max(0, whole - self._host.held_back) // self._request.gpus)
        allowed = self._host.usable if within is None else self._host.usable & within
        if aligned and self._alignment is not None:
            return self._aligned(self._alignment, rung, limit, allowed)
        return self._in_islands(rung, limit, allowed)

    def island_of(self, rung: str, slots: Sequence[int]) -> str | None:
        """Return the name of the island of a rung that some slots are.

        Parameters
        ----------
        rung : str
            An island kind of the pod scope.
        slots : sequence of int
            Slots of this node.

        Returns
        -------
        str or None
            None if they are no such island.
        """
        if rung in (*LINK_ISLANDS, BLOCK) and rung not in self._situation.instance.cluster.levels:
            shape, pod = self._situation.instance.shape(self._host.name), self._request.affinity.pod
            patterns = patterns_of(shape, rung, pod, len(slots))
            sets = patterns.sets if patterns.groups is None else patterns.groups
            whole = patterns.groups is None
            fits = any(set(slots) == set(s) if whole else set(slots) <= set(s) for s in sets)
            return self._pattern_name(slots) if fits else None
        return next((name for name, members in self._domains(rung) if members.issuperset(slots)), None)

    def _is_empty(self, slot: int) -> bool:
        return not any(slot in pod.slots for pod in self._kept)

    def _without_gpus(self, limit: int, aligned: bool) -> list[Spot]:
        found = self._alignment if aligned else None
        if found is not None:
            masks = [self._pods_of_mask(found, mask) for mask in found.masks()]
            limit = min(limit, max(masks, default=0) if found.width != 1 else sum(masks))
        return [Spot(self._host.name, ())] * limit

    def _aligned(self, found: Alignment, rung: str, limit: int, allowed: frozenset[int]) -> list[Spot]:
        spots: list[Spot] = []
        for mask in found.masks():
            most = min(limit - len(spots), self._pods_of_mask(found, mask))
            if most > 0:
                members = allowed.intersection(*[{slot for domain in mask for slot in found.domains[domain]}])
                spots += self._in_islands(rung, most, members)
            if spots and found.width != 1:
                break
        return spots

    def _pods_of_mask(self, found: Alignment, mask: Sequence[str]) -> int:
        """Return how many pods the aligned resources of a mask allow; at most one on a mask of several domains."""
        instance, most = self._situation.instance, 1 << 30 if len(mask) == 1 else 1
        left: Fraction | int
        given = instance.shape(self._host.name).domain_resources.get(found.level, {})
        for name, amount in found.amounts.items():
            left = sum(given.get(domain, {}).get(name, 0) for domain in mask)
            for pod in self._kept:
                running = instance.pods_by_name[pod.name][1]
                left -= domain_holdings(instance, running, found.level).in_mask(mask, name)
            most = min(most, max(0, int(left // amount)))
        return most

    def _in_islands(self, rung: str, limit: int, allowed: frozenset[int]) -> list[Spot]:
        if rung in (*LINK_ISLANDS, BLOCK) and rung not in self._situation.instance.cluster.levels:
            shape, pod = self._situation.instance.shape(self._host.name), self._request.affinity.pod
            patterns = patterns_of(shape, rung, pod, self._request.gpus)
            if patterns.groups is None:
                return self._in_patterns(patterns.sets, limit, allowed)
            named = [(self._pattern_name(group), frozenset(group)) for group in patterns.groups]
            return self._in_domains(named, limit, allowed)
        return self._in_domains(list(self._domains(rung)), limit, allowed)

    def _pattern_name(self, slots: Sequence[int]) -> str:
        return f"{self._host.name}/{'+'.join(map(str, sorted(slots)))}"

    def _domains(self, rung: str) -> Iterator[tuple[str, frozenset[int]]]:
        instance, node = self._situation.instance, self._host.node
        if rung == GPU:
            for slot in sorted(self._host.usable):
                yield label_of(domain_of_slot(instance, node, GPU, slot)), frozenset({slot})
        elif rung == NODE:
            yield node.name, self._host.usable
        else:
            for name, slots in instance.shape(node.name).domains[rung].items():
                yield label_of(("node", node.name, "in", name)), frozenset(slots)

    def _in_domains(self, named: list[tuple[str, frozenset[int]]], limit: int, allowed: frozenset[int]) -> list[Spot]:
        if self._strangers:
            return self._whatever_strangers_hold(named, limit, allowed)
        spots: list[Spot] = []
        for name, slots in named:
            if len(spots) < limit:
                room = {slot: self.room[slot] for slot in sorted(slots & allowed) if slot in self.room}
                spots += [Spot(name, taken) for taken in any_slots(room, self._request.gpus, limit - len(spots))]
        return spots

    def _whatever_strangers_hold(
        self, named: list[tuple[str, frozenset[int]]], limit: int, allowed: frozenset[int]
    ) -> list[Spot]:
        size, spots, spare, roomy = self._request.gpus, [], 0, False
        everywhere = min(sum(pod.unknown for pod in self._strangers), len(self._open))
        confined = any(self._confined(pod) for pod in self._strangers)
        for name, slots in named:
            open_to_us = [slot for slot in slots & allowed if slot in self.room]
            most = len(open_to_us)
            risk = sum(1 for slot in open_to_us if slot in self._open)
            lost = min(risk, sum(pod.unknown for pod in self._strangers if self._may_sit_in(pod, slots)), everywhere)
            spots += [Spot(name, None)] * ((most - lost) // size)
            if most >= size:
                roomy, spare = True, spare + most - size + 1
        if not spots and roomy and not confined and everywhere < spare:
            spots = [Spot(None, None)]
        return spots[:limit]

    def _confined(self, pod: Running) -> bool:
        return bool(self._situation.instance.pods_by_name[pod.name][1].within)

    def _may_sit_in(self, pod: Running, slots: frozenset[int]) -> bool:
        shape = self._situation.instance.shape(self._host.name)
        within = self._situation.instance.pods_by_name[pod.name][1].within
        return all(slots.intersection(shape.domains[level][domain]) for level, domain in within.items())

    def _in_patterns(self, sets: Sequence[tuple[int, ...]], limit: int, allowed: frozenset[int]) -> list[Spot]:
        risky = self._open if self._strangers else frozenset()
        fits = [island for island in sets if all(slot in self.room and slot in allowed for slot in island)]
        fits = [island for island in fits if not risky.intersection(island)]
        packed = of_a_list(fits, self.room, limit)
        return [Spot(self._pattern_name(taken), None if self._strangers else taken) for taken in packed]
