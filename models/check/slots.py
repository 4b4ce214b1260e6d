"""Which nodes and slots may serve the request, and that nobody holds more of a slot than there is."""

from __future__ import annotations

from collections.abc import Iterator

from ..units import MICRO, micro
from .rules import Rule, Violation
from .state import State


def nodes_take_new_pods(state: State) -> Iterator[Violation]:
    """No pod lands on a cordoned node."""
    for site in state.sites:
        if site.node.cordoned:
            yield Violation(Rule.CORDONED_NODE, f"node {site.node.name} is cordoned")


def nodes_carry_the_labels(state: State) -> Iterator[Violation]:
    """Every node carries all labels that the request selects, with exactly these values."""
    for site in state.sites:
        for label, value in state.instance.request.node_labels.items():
            found = site.node.labels.get(label)
            if found != value:
                text = f"node {site.node.name} must have label {label}={value}, it has {found}"
                yield Violation(Rule.NODE_LABELS, text)


def slots_are_online(state: State) -> Iterator[Violation]:
    """No slot that serves the request is offline."""
    for site in state.sites:
        for slot in sorted(set(site.taken) - site.online):
            yield Violation(Rule.OFFLINE_SLOT, f"slot {slot} of node {site.node.name} is offline")


def slots_are_of_an_asked_model(state: State) -> Iterator[Violation]:
    """Every slot is of one of the asked models, compared exactly; any will do if none is asked."""
    models = state.instance.request.gpu_models
    for site in state.sites if models else ():
        for slot in sorted(site.taken):
            if site.shape.models[slot] not in models:
                found = site.shape.models[slot]
                text = f"slot {slot} of node {site.node.name} is of model {found}, not one of {list(models)}"
                yield Violation(Rule.GPU_MODEL, text)


def slots_have_room(state: State) -> Iterator[Violation]:
    """On every slot what stays and what the request takes is at most one whole slot."""
    share = micro(state.instance.request.share)
    for site in state.sites:
        for slot, pods in sorted(site.taken.items()):
            held = site.held.get(slot, 0)
            if held + share * pods > MICRO:
                text = (
                    f"slot {slot} of node {site.node.name}: pods that stay hold {held / MICRO} of it, "
                    f"the request takes {share * pods / MICRO}"
                )
                yield Violation(Rule.SLOT_ROOM, text)
