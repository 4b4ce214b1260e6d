"""Rule: room promised to others stays theirs, unless the request outranks them and takes it."""

from __future__ import annotations

from collections import defaultdict

from ....models.eligibility import binds, yields
from ....models.units import MICRO
from .variables import Linear, Variables


def add(v: Variables) -> None:
    """Post what reservations ask: by slots (``taken(g) <= slots(g) * displaced(r)``) and by count.

    By count, on each used node: slots left wholly free, and in no reservation that stands, are at least the sum of
    the counts that bind or are not displaced. Binding reservations by slots made their slots unusable before.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    snapshot, instance = v.decision.snapshot, v.decision.instance
    inside = set(v.region.nodes)
    for number in v.decision.displaceable:
        if snapshot.node_index[instance.reservations[number].node] in inside:
            v.displaced[number] = v.model.new_bool_var(f"displaced{number}")
    for index, group in enumerate(v.groups):
        for number in v.promised.get(group.slots[0], ()):
            most = len(group.slots) * (MICRO // v.decision.share)
            v.model.add(v.taken(index) <= most * v.displaced[number])
    counted: dict[int, list[int]] = defaultdict(list)
    for number, held in enumerate(instance.reservations):
        node = snapshot.node_index[held.node]
        if held.gpus is not None and node in inside and (binds(instance, held) or yields(instance, held)):
            counted[node].append(number)
    for node, numbers in counted.items():
        _leave_room(v, node, numbers)


def _leave_room(v: Variables, node: int, numbers: list[int]) -> None:
    instance = v.decision.instance
    promised: Linear = 0
    for number in numbers:
        gpus = instance.reservations[number].gpus
        assert gpus is not None
        promised = promised + (gpus - gpus * v.displaced[number] if number in v.displaced else gpus)
    v.model.add(_left_free(v, node) >= promised).only_enforce_if(v.uses(node))
    for number in numbers:
        if number in v.displaced:
            v.model.add(v.displaced[number] == 0).only_enforce_if(v.uses(node).negated())


def _left_free(v: Variables, node: int) -> Linear:
    """Slots of a node that are online, held by nobody, not taken, and not in a reservation that stands."""
    decision, snapshot = v.decision, v.decision.snapshot
    start, end = int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1])
    binding = {
        start + slot
        for held in decision.instance.reservations
        if held.slots is not None and binds(decision.instance, held) and snapshot.node_index[held.node] == node
        for slot in held.slots
    }
    group_of = {slot: index for index, group in enumerate(v.groups) for slot in group.slots}
    in_group = [index for index in dict.fromkeys(group_of.get(slot, -1) for slot in range(start, end)) if index >= 0]
    left: list[Linear] = []
    for slot in range(start, end):
        if snapshot.online[slot] and slot not in binding and slot not in group_of and not decision.slot_fixed[slot]:
            free = v.model.new_bool_var(f"left{slot}")
            for unit, _ in v.holders(slot):
                v.model.add(free <= v.evicted(unit))
            for number in v.promised.get(slot, ()):
                v.model.add(free <= v.displaced[number])
            left.append(free)
    for index in in_group:
        group = v.groups[index]
        if decision.slot_fixed[group.slots[0]]:
            continue
        size = len(group.slots)
        free = v.model.new_int_var(0, size, f"left_group{index}")
        for unit, _ in group.holders:
            v.model.add(free <= size * v.evicted(unit))
        for number in v.promised.get(group.slots[0], ()):
            v.model.add(free <= size * v.displaced[number])
        if decision.share == MICRO:
            v.model.add(free + v.taken(index) <= size)
        else:
            untouched = v.model.new_bool_var(f"untouched{index}")
            v.model.add(v.taken(index) == 0).only_enforce_if(untouched)
            v.model.add(free <= untouched)
        left.append(free)
    staying: Linear = 0
    for number in snapshot.unknown_pods.get(node, []):
        gpus = snapshot.pods[number].gpus
        assert gpus is not None
        staying = staying + gpus - gpus * v.pod_evicted(number)
    unseen = sum(v.count[number] for number in v.cells_of_node[node] if not v.cell(number).certain)
    return sum(left) - staying - decision.gpus * unseen
