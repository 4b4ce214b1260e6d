"""Rule: where pods of unknown placement stay, the plan holds whatever slots they sit on (problem.md)."""

from __future__ import annotations

from collections.abc import Collection

from ortools.sat.python import cp_model

from ....models.units import MICRO, micro
from .variables import Linear, Variables


def add(v: Variables) -> None:
    """Post for every cell of a node with pods of unknown placement that its pods find room for certain.

    With a(d) = slots of d that no known pod holds, R = slots that unknown pods may sit on, U = GPUs of unknown
    pods that stay, each used cell holds by itself (``a(d) - min(U, |R and d|) >= k * count(d)``); or the node gets
    one pod, its islands are disjoint and ``U < sum of max(0, a(d) - k + 1)`` (the adversary cannot break all).

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


def reachable_slots(v: Variables, node: int) -> set[int]:
    """Return R: the slots of a node that some pod of unknown placement may sit on.

    Parameters
    ----------
    v : Variables
        The region's variables.
    node : int
        A node with such pods.

    Returns
    -------
    set of int
        Slots that no pod of known placement holds; if an unknown pod has a share, those with room for it too.
    """
    snapshot = v.decision.snapshot
    least = min(micro(snapshot.pods[pod].share) for pod in snapshot.unknown_pods[node])
    found: set[int] = set()
    for slot in range(int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1])):
        first, last = int(snapshot.slot_first_hold[slot]), int(snapshot.slot_first_hold[slot + 1])
        held = int(snapshot.hold_share[first:last].sum())
        if not held or held + least <= MICRO:
            found.add(slot)
    return found


def may_sit_in(v: Variables, node: int, pod: int, slots: set[int]) -> bool:
    """Return whether a pod of unknown placement may sit on some of the slots.

    Parameters
    ----------
    v : Variables
        The region's variables.
    node : int
        Its node.
    pod : int
        The pod.
    slots : set of int
        Slots of the node.

    Returns
    -------
    bool
        False only if its known domain is elsewhere.
    """
    snapshot = v.decision.snapshot
    start = int(snapshot.first_slot[node])
    domains = snapshot.shapes[node].domains
    return all(
        any(start + slot in slots for slot in domains[level][domain])
        for level, domain in snapshot.pods[pod].within.items()
    )


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
    inside = set(slots) & reachable_slots(v, node)
    free = sum(not v.decision.slot_fixed[slot] and all(unit in gone for unit, _ in v.holders(slot)) for slot in slots)
    stay = [pod for pod in snapshot.unknown_pods[node] if int(snapshot.pod_unit[pod]) not in gone]
    staying = sum(snapshot.pods[pod].gpus or 0 for pod in stay if may_sit_in(v, node, pod, inside))
    return free - min(staying, len(inside)) >= need


class _Node:
    def __init__(self, v: Variables, node: int) -> None:
        self.v = v
        self.node = node
        snapshot = v.decision.snapshot
        self.pods = snapshot.unknown_pods[node]
        self.reachable = reachable_slots(v, node)
        self.free = {slot: self._free(slot) for slot in range(*snapshot.first_slot[node : node + 2].tolist())}

    def _free(self, slot: int) -> Linear:
        """Whether all known holders of a slot go; a displaceable promise is taken only where nothing is unknown."""
        if self.v.decision.slot_fixed[slot]:
            return 0
        holders = self.v.holders(slot)
        promises = self.v.promised.get(slot, ())
        if not promises and len(holders) <= 1:
            return self.v.evicted(holders[0][0]) if holders else 1
        free = self.v.model.new_bool_var(f"free{slot}")
        for unit, _ in holders:
            self.v.model.add(free <= self.v.evicted(unit))
        for number in promises:
            self.v.model.add(free <= self.v.displaced[number])
        for pod in self.pods if promises else ():
            self.v.model.add(free <= self.v.pod_evicted(pod))
        return free

    def _staying(self, slots: set[int] | None) -> Linear:
        """GPUs of unknown pods that stay and may sit on some of the slots (None: anywhere on the node)."""
        snapshot = self.v.decision.snapshot
        staying: list[Linear] = []
        for number in self.pods:
            if slots is None or may_sit_in(self.v, self.node, number, slots):
                gpus = snapshot.pods[number].gpus
                assert gpus is not None
                staying.append(gpus - gpus * self.v.pod_evicted(number))
        return sum(staying)

    def post(self) -> None:
        v = self.v
        cells = v.cells_of_node[self.node]
        self._one_kind_of_cell(cells)
        together = self._none_can_be_broken(cells)
        for number in cells:
            cell = v.cell(number)
            if cell.patterns is None:
                self._hold(v.count[number], set(cell.slots), together)
            else:
                self._hold_patterns(number, together)

    def _one_kind_of_cell(self, cells: list[int]) -> None:
        kinds = {(self.v.cell(number).rung, self.v.cell(number).slice_rung) for number in cells}
        if len(kinds) > 1:
            used = {kind: self.v.model.new_bool_var(f"kind{self.node}_{kind}") for kind in sorted(kinds)}
            self.v.model.add_at_most_one(used.values())
            for number in cells:
                cell = self.v.cell(number)
                self.v.model.add(self.v.count[number] <= cell.most * used[cell.rung, cell.slice_rung])

    def _hold(self, count: cp_model.IntVar, slots: set[int], together: cp_model.IntVar | None) -> None:
        """Each used cell holds by itself, by what stays or by what could be reached, or all hold together."""
        v = self.v
        room = sum(self.free[slot] for slot in slots)
        need = v.decision.gpus * count
        by_staying = v.model.new_bool_var("staying")
        by_reach = v.model.new_bool_var("reach")
        v.model.add(room - self._staying(slots & self.reachable) >= need).only_enforce_if(by_staying)
        v.model.add(room - len(slots & self.reachable) >= need).only_enforce_if(by_reach)
        unused = v.model.new_bool_var("unused")
        v.model.add(count == 0).only_enforce_if(unused)
        v.model.add_bool_or([by_staying, by_reach, unused, *([] if together is None else [together])])
        v.model.add(room >= need)

    def _hold_patterns(self, number: int, together: cp_model.IntVar | None) -> None:
        v, cell = self.v, self.v.cell(number)
        assert cell.patterns is not None
        chosen = [v.model.new_bool_var(f"pattern{number}_{index}") for index in range(len(cell.patterns))]
        v.patterns[number] = chosen
        v.model.add(sum(chosen) == v.count[number])
        for slot in cell.slots:
            holding = [x for x, pattern in zip(chosen, cell.patterns, strict=True) if slot in pattern]
            v.model.add_at_most_one(holding)
        for x, pattern in zip(chosen, cell.patterns, strict=True):
            self._hold(x, set(pattern), together)

    def _none_can_be_broken(self, cells: list[int]) -> cp_model.IntVar | None:
        """One pod on the node and disjoint islands: the adversary needs more GPUs than stay to break them all."""
        v = self.v
        snapshot = v.decision.snapshot
        below = snapshot.instance.cluster.levels_below
        coarse = all(island not in below and island != "gpu" for island in (*v.rungs.slice, v.rungs.gang))
        aligned = self.node in v.region.alignments
        known_within = any(snapshot.pods[pod].within for pod in self.pods)
        if not coarse or aligned or known_within or any(v.cell(number).patterns is not None for number in cells):
            return None
        together = v.model.new_bool_var(f"together{self.node}")
        v.model.add(v.placed_on(self.node) <= 1).only_enforce_if(together)
        kinds: dict[tuple[int, int], list[int]] = {}
        for number in cells:
            kinds.setdefault((v.cell(number).rung, v.cell(number).slice_rung), []).append(number)
        for numbers in kinds.values():
            to_break: list[Linear] = []
            for number in numbers:
                slots = v.cell(number).slots
                breaks = v.model.new_int_var(0, len(slots), f"breaks{number}")
                room = sum(self.free[slot] for slot in slots)
                v.model.add_max_equality(breaks, [0, room - v.decision.gpus + 1])
                to_break.append(breaks)
            used = sum(v.count[number] for number in numbers)
            some = v.model.new_bool_var("some")
            v.model.add(used >= 1).only_enforce_if(some)
            v.model.add(used == 0).only_enforce_if(some.negated())
            v.model.add(sum(to_break) >= self._staying(None) + 1).only_enforce_if(together, some)
        return together
