"""Rule: where pods of unknown placement stay, the plan holds whatever slots they sit on (problem.md)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ....models.topology import GPU
from ....models.units import MICRO, micro
from .numa import mask_rooms
from .variables import Linear, Variables

MOST_UNIONS = 300
"""On nodes with more overlapping islands the pods of the request use islands of one kind only."""


def add(v: Variables) -> None:
    """Post for every node with pods of unknown placement what its uncertain cells ask.

    Either all those pods go and the node is known (its certain cells serve), or some stay. Then, with a(d) = slots
    of d that no known pod holds, R = slots that unknown pods may sit on, U = GPUs of unknown pods that stay, each
    used cell holds by itself (``a(d) - min(U, |R and d|) >= k * count(d)``); or the node gets one pod, its islands
    are disjoint and ``U < sum of max(0, a(d) - k + 1)``: the adversary cannot break all. The second way names no
    island, so where several pods' slices or gang ask for a domain below node it is not used.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    if not v.decision.gpus:
        return
    for node in v.region.nodes:
        if node in v.decision.snapshot.unknown_pods:
            _Node(v, node).post()


def lair_of(v: Variables, node: int, pod: int) -> set[int]:
    """Return the slots that a pod of unknown placement may sit on.

    Parameters
    ----------
    v : Variables
        The region's variables.
    node : int
        Its node.
    pod : int
        The pod.

    Returns
    -------
    set of int
        Slots of the node where pods of known placement, victims and terminating ones too, leave room for its
        share, inside the domains that it names.
    """
    snapshot = v.decision.snapshot
    start, end = int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1])
    share = micro(snapshot.pods[pod].share)
    found: set[int] = set()
    for slot in range(start, end):
        first, last = int(snapshot.slot_first_hold[slot]), int(snapshot.slot_first_hold[slot + 1])
        held = int(snapshot.hold_share[first:last].sum()) + snapshot.leaving_share.get(slot, 0)
        if held + share <= MICRO:
            found.add(slot)
    for level, domain in snapshot.pods[pod].within.items():
        found &= {start + slot for slot in snapshot.shapes[node].domains[level][domain]}
    return found


def holds_by_itself(v: Variables, node: int, slots: Collection[int], need: int, gone: Collection[int]) -> bool:
    """Return whether an island keeps enough slots for certain, once these units are gone.

    Parameters
    ----------
    v : Variables
        The region's variables.
    node : int
        Its node.
    slots : collection of int
        The island's usable slots.
    need : int
        Slots that the request's pods take there.
    gone : collection of int
        Evicted units.

    Returns
    -------
    bool
        ``a(d) - min(U, |R and d|) >= need``.
    """
    snapshot = v.decision.snapshot
    free = {
        slot for slot in slots if not v.decision.slot_fixed[slot] and all(unit in gone for unit, _ in v.holders(slot))
    }
    stay = [pod for pod in snapshot.unknown_pods[node] if int(snapshot.pod_unit[pod]) not in gone]
    lairs = [(snapshot.pods[pod].gpus or 0, lair_of(v, node, pod) & free) for pod in stay]
    reach = set().union(*(lair for _, lair in lairs))
    return len(free) - min(sum(min(number, len(lair)) for number, lair in lairs), len(reach)) >= need


@dataclass(frozen=True)
class _Island:
    """Slots of which pods take any k together, how many pods do so, and at most how many can."""

    slots: frozenset[int]
    pods: cp_model.IntVar
    most: int


def _unions(islands: list[frozenset[int]]) -> list[frozenset[int]] | None:
    """Return islands and the unions of those that overlap: where each holds its pods, all pods find slots (Hall)."""
    found = list(dict.fromkeys(islands))
    distinct = list(found)
    for union in found:
        for island in distinct:
            if union & island and union | island not in found:
                found.append(union | island)
        if len(found) > MOST_UNIONS:
            return None
    return found


class _Node:
    def __init__(self, v: Variables, node: int) -> None:
        self.v = v
        self.node = node
        snapshot = v.decision.snapshot
        self.pods = snapshot.unknown_pods[node]
        self.lairs = {pod: lair_of(v, node, pod) for pod in self.pods}
        self.reachable = set().union(*self.lairs.values())
        self.cells = [number for number in v.cells_of_node[node] if not v.cell(number).certain]
        self.free = {slot: self._free(slot) for number in self.cells for slot in v.cell(number).slots}

    def _free(self, slot: int) -> Linear:
        """Whether all known holders of a slot go."""
        if self.v.decision.slot_fixed[slot]:
            return 0
        holders = self.v.holders(slot)
        if len(holders) <= 1:
            return self.v.evicted(holders[0][0]) if holders else 1
        free = self.v.model.new_bool_var(f"free{slot}")
        for unit, _ in holders:
            self.v.model.add(free <= self.v.evicted(unit))
        self.v.model.add(free >= 1 - sum(1 - self.v.evicted(unit) for unit, _ in holders))
        return free

    def _staying(self, slots: Collection[int]) -> Linear:
        """GPUs of unknown pods that stay and may sit on some of the slots."""
        staying: list[Linear] = []
        for pod in self.pods:
            number = min(self.v.decision.snapshot.pods[pod].gpus or 0, len(self.lairs[pod].intersection(slots)))
            if number:
                staying.append(number - number * self.v.pod_evicted(pod))
        return sum(staying)

    def post(self) -> None:
        v = self.v
        clear = v.model.new_bool_var(f"clear{self.node}")
        for pod in self.pods:
            v.model.add(clear <= v.pod_evicted(pod))
        v.model.add(clear >= 1 - sum(1 - v.pod_evicted(pod) for pod in self.pods))
        for number in v.cells_of_node[self.node]:
            cell = v.cell(number)
            v.model.add(v.count[number] <= cell.most * (clear if cell.certain else 1 - clear))
        together = self._none_can_be_broken()
        islands = self._islands()
        unions = _unions([island.slots for island in islands])
        if unions is None:
            self._one_kind_of_cell()
            self._disjoint_patterns()
            unions = list(dict.fromkeys(island.slots for island in islands))
        for slots in unions:
            inside = [island for island in islands if island.slots <= slots]
            self._hold(sum(island.pods for island in inside), sum(island.most for island in inside), slots, together)
        self._displace(together)

    def _islands(self) -> list[_Island]:
        """Every island that pods may be put into: a cell of which any slots do, or one pattern of an irregular cell."""
        v = self.v
        found: list[_Island] = []
        for number in self.cells:
            cell = v.cell(number)
            if cell.patterns is None:
                found.append(_Island(frozenset(cell.slots), v.count[number], cell.most))
                continue
            chosen = [v.model.new_bool_var(f"pattern{number}_{index}") for index in range(len(cell.patterns))]
            v.patterns[number] = chosen
            v.model.add(sum(chosen) == v.count[number])
            found += [_Island(frozenset(own), x, 1) for x, own in zip(chosen, cell.patterns, strict=True)]
        return found

    def _disjoint_patterns(self) -> None:
        for number in self.cells:
            cell = self.v.cell(number)
            for slot in cell.slots if cell.patterns is not None else ():
                chosen = zip(self.v.patterns[number], cell.patterns or (), strict=True)
                self.v.model.add_at_most_one(x for x, pattern in chosen if slot in pattern)

    def _one_kind_of_cell(self) -> None:
        kinds = {(self.v.cell(number).rung, self.v.cell(number).slice_rung) for number in self.cells}
        if len(kinds) > 1:
            used = {kind: self.v.model.new_bool_var(f"kind{self.node}_{kind}") for kind in sorted(kinds)}
            self.v.model.add_at_most_one(used.values())
            for number in self.cells:
                cell = self.v.cell(number)
                self.v.model.add(self.v.count[number] <= cell.most * used[cell.rung, cell.slice_rung])

    def _hold(self, count: Linear, most: int, slots: frozenset[int], together: cp_model.IntVar | None) -> None:
        """Each used cell, with those inside it, holds by what stays or by what could be reached, or all together."""
        v = self.v
        room = sum(self.free[slot] for slot in slots)
        need = v.decision.gpus * count
        by_staying = v.model.new_bool_var("staying")
        by_reach = v.model.new_bool_var("reach")
        v.model.add(room - self._staying(slots) >= need).only_enforce_if(by_staying)
        beyond_reach = sum(self.free[slot] for slot in slots - self.reachable)
        v.model.add(beyond_reach >= need).only_enforce_if(by_reach)
        unused = v.model.new_bool_var("unused")
        v.model.add(count <= most * (1 - unused))
        v.model.add_bool_or([by_staying, by_reach, unused, *([] if together is None else [together])])
        v.model.add(room >= need)

    def _none_can_be_broken(self) -> cp_model.IntVar | None:
        """One pod on the node and disjoint islands: the adversary needs more GPUs than stay to break them all."""
        v = self.v
        snapshot = v.decision.snapshot
        wide = any(len(v.cell(number).mask or ()) > 1 for number in self.cells)
        if wide or any(v.cell(number).patterns is not None for number in self.cells):
            return None
        together = v.model.new_bool_var(f"together{self.node}")
        v.model.add(v.placed_on(self.node) <= 1).only_enforce_if(together)
        for pod in self.pods:
            if snapshot.pods[pod].within:
                v.model.add(together <= v.pod_evicted(pod))
        kinds: dict[tuple[int, int], list[int]] = {}
        for number in self.cells:
            kinds.setdefault((v.cell(number).rung, v.cell(number).slice_rung), []).append(number)
        for numbers in kinds.values():
            to_break = [self._breaks(number) for number in numbers]
            everywhere = set().union(*(v.cell(number).slots for number in numbers))
            some = v.model.new_bool_var("some")
            used = sum(v.count[number] for number in numbers)
            if self._is_cut(numbers[0]):
                v.model.add(used == 0).only_enforce_if(together)
                continue
            v.model.add(used >= 1).only_enforce_if(some)
            v.model.add(used == 0).only_enforce_if(some.negated())
            v.model.add(sum(to_break) >= self._staying(everywhere) + 1).only_enforce_if(together, some)
        return together

    def _is_cut(self, number: int) -> bool:
        """Whether slices or the gang of several pods ask for a domain below node: then an island must be named."""
        v = self.v
        domains = v.decision.snapshot.shapes[self.node].domains
        asked = (v.rungs.slice[v.cell(number).slice_rung], v.rungs.gang)
        cuts = [island == GPU or (island in domains and len(domains[island]) > 1) for island in asked]
        return v.decision.pods_most > 1 and any(cuts)

    def _breaks(self, number: int) -> cp_model.IntVar:
        """How many slots of an island the adversary must hold; 0 if its mask has no room for a pod."""
        v, cell = self.v, self.v.cell(number)
        breaks = v.model.new_int_var(0, len(cell.slots), f"breaks{number}")
        least = sum(self.free[slot] for slot in cell.slots) - v.decision.gpus + 1
        some = v.model.new_bool_var(f"breakable{number}")
        v.model.add(breaks <= least).only_enforce_if(some)
        v.model.add(breaks == 0).only_enforce_if(some.negated())
        for amount, free, back in mask_rooms(v, cell.node, cell.mask):
            given = sum(share * v.pod_evicted(pod) for pod, share in back)
            v.model.add(free + given >= amount).only_enforce_if(some)
        return breaks

    def _displace(self, together: cp_model.IntVar | None) -> None:
        """A promise of lower priority counts as taken where an island in use may touch it."""
        v = self.v
        for slot, free in self.free.items():
            for number in v.promised.get(slot, ()):
                if together is not None:
                    v.model.add(v.displaced[number] >= free + together - 1).only_enforce_if(v.uses(self.node))
                for index in self.cells:
                    cell = v.cell(index)
                    if slot in cell.slots:
                        used = v.uses_cell(index)
                        v.model.add(v.displaced[number] >= free + used - 1)
