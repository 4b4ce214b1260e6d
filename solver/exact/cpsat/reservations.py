"""Rule: room promised to others stays theirs, unless the request outranks them and takes it."""

from __future__ import annotations

from collections import defaultdict

from ....models.eligibility import binds, yields
from ....models.units import MICRO
from .unknown import lair_of
from .variables import Linear, Variables


def add(v: Variables) -> None:
    """Post what reservations ask: by slots (``displaced(r)`` if, and only if, a slot of it is taken) and by count.

    By count, on each used node: slots left wholly free, and in no reservation that stands, are at least the sum of
    the counts that bind or are not displaced. Binding reservations by slots made their slots unusable before. A
    request without GPUs takes nobody's room.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    snapshot, instance = v.decision.snapshot, v.decision.instance
    if not v.decision.gpus:
        return
    inside = set(v.region.nodes)
    for number in v.decision.displaceable:
        if snapshot.node_index[instance.reservations[number].node] in inside:
            v.displaced[number] = v.model.new_bool_var(f"displaced{number}")
    touches: dict[int, list[Linear]] = defaultdict(list)
    for index, group in enumerate(v.groups):
        for number in v.promised.get(group.slots[0], ()):
            most = len(group.slots) * (MICRO // v.decision.share)
            v.model.add(v.taken(index) <= most * v.displaced[number])
            touches[number].append(v.taken(index))
    for number, displaced in v.displaced.items():
        held = instance.reservations[number]
        if held.slots is not None:
            node = snapshot.node_index[held.node]
            unsure: list[Linear] = [v.count[cell] for cell in v.cells_of_node[node] if not v.cell(cell).certain]
            v.model.add(displaced <= sum([*touches[number], *unsure]))
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
    stands = v.model.new_bool_var(f"stands{node}")
    v.model.add(promised == 0).only_enforce_if(stands.negated())
    free = _left_free(v, node)
    unseen = sum(v.count[number] for number in v.cells_of_node[node] if not v.cell(number).certain)
    rooms = []
    for lost, slots in _lost_to_strangers(v, node, set(free)):
        enough = v.model.new_bool_var(f"enough{node}")
        room = sum(free[slot] for slot in slots)
        v.model.add(room - lost - v.decision.gpus * unseen >= promised).only_enforce_if(enough)
        rooms.append(enough)
    v.model.add_bool_or([*rooms, stands.negated(), v.uses(node).negated()])
    for number in numbers:
        if number in v.displaced:
            v.model.add(v.displaced[number] == 0).only_enforce_if(v.uses(node).negated())


def _lost_to_strangers(v: Variables, node: int, slots: set[int]) -> list[tuple[Linear, set[int]]]:
    """Ways to count what pods of unknown placement may hold: as many as stay, or every slot within their reach."""
    snapshot = v.decision.snapshot
    lost: Linear = 0
    reach: set[int] = set()
    for pod in snapshot.unknown_pods.get(node, []):
        lair = lair_of(v, node, pod) & slots
        number = min(snapshot.pods[pod].gpus or 0, len(lair))
        lost = lost + number - number * v.pod_evicted(pod)
        reach |= lair
    return [(lost, slots), (0, slots - reach)] if reach else [(0, slots)]


def _left_free(v: Variables, node: int) -> dict[int, Linear]:
    """Return the slots of a node that may count, and whether they do: held by nobody known, not taken, not promised."""
    decision, snapshot = v.decision, v.decision.snapshot
    start, end = int(snapshot.first_slot[node]), int(snapshot.first_slot[node + 1])
    binding = {
        start + slot
        for held in decision.instance.reservations
        if held.slots is not None and binds(decision.instance, held) and snapshot.node_index[held.node] == node
        for slot in held.slots
    }
    left: dict[int, Linear] = {}
    for slot in range(start, end):
        if snapshot.online[slot] and slot not in binding and not decision.slot_fixed[slot]:
            free = v.model.new_bool_var(f"left{slot}")
            for unit, _ in v.holders(slot):
                v.model.add(free <= v.evicted(unit))
            for number in v.promised.get(slot, ()):
                v.model.add(free <= v.displaced[number])
            left[slot] = free
    for index, group in enumerate(v.groups):
        free_slots = [left[slot] for slot in group.slots if slot in left]
        if free_slots and decision.share == MICRO:
            v.model.add(sum(free_slots) + v.taken(index) <= len(group.slots))
        elif free_slots:
            v.model.add(v.taken(index) == 0).only_enforce_if(free_slots[0])
    return left
