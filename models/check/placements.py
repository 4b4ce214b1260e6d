"""Which pods of the request are placed: known nodes and slots, enough pods, as many slots as each needs."""

from __future__ import annotations

from collections.abc import Iterator

from .rules import Rule, Violation
from .state import State


def placements_name_what_exists(state: State) -> Iterator[Violation]:
    """A placement is of a pod of the request, each placed once, and names a node and slots of it."""
    seen: set[int] = set()
    for placement in state.plan.placements:
        pod = placement.pod
        if pod in seen:
            yield Violation(Rule.PLACEMENT_NAMES, f"pod {pod} of the request is placed twice")
        seen.add(pod)
        if pod >= state.instance.request.pods:
            text = f"pod {pod} is placed, the request has pods 0 to {state.instance.request.pods - 1}"
            yield Violation(Rule.PLACEMENT_NAMES, text)
        if placement.node not in state.instance.nodes_by_name:
            yield Violation(Rule.PLACEMENT_NAMES, f"pod {pod}: no node is called {placement.node}")
            continue
        gpus = state.instance.shape(placement.node).gpus
        for slot in placement.slots or ():
            if not 0 <= slot < gpus:
                text = f"pod {pod}: node {placement.node} has {gpus} slots, {slot} is none of them"
                yield Violation(Rule.PLACEMENT_NAMES, text)


def enough_pods_are_placed(state: State) -> Iterator[Violation]:
    """Between ``min_pods`` and ``pods`` pods are placed, in whole slices."""
    request, placed = state.instance.request, len(state.plan.placements)
    if not request.fewest_pods <= placed <= request.pods:
        text = f"{placed} pods are placed, {request.fewest_pods} to {request.pods} must be"
        yield Violation(Rule.PLACED_PODS, text)
    elif placed % request.slice_size:
        yield Violation(Rule.PLACED_PODS, f"{placed} pods are placed, slices have {request.slice_size}")


def pods_hold_their_slots(state: State) -> Iterator[Violation]:
    """A pod whose slots are named holds as many different ones as it asks for."""
    for placement in state.placements:
        if placement.slots is not None:
            asked, held = state.instance.request.gpus, len(set(placement.slots))
            if held != asked or held != len(placement.slots):
                text = f"pod {placement.pod} asks for {asked} slots, the plan gives it {list(placement.slots)}"
                yield Violation(Rule.SLOT_COUNT, text)
