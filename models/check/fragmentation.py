"""Wholly free islands that the plan breaks, counted by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..domains import domain_of_node
from ..instance import Instance
from ..jobs import Pod
from ..topology import NODE
from .rules import Rule, Violation
from .site import Site
from .state import State


def broken_islands_are_counted(state: State) -> Iterator[Violation]:
    """``broken_islands`` says by level how many domains were wholly free before and serve the request now.

    A domain was whole if it has online slots and no running pod that is not terminating sat on them; a domain
    where a pod of unknown placement may have sat was not. Where the plan names no slots, nothing below the node
    counts.
    """
    expected = broken_islands(state)
    stated = {level: number for level, number in state.plan.cost.broken_islands.items() if number}
    for level in sorted(set(expected) | set(stated)):
        if expected.get(level, 0) != stated.get(level, 0):
            text = (
                f"{expected.get(level, 0)} wholly free {level} domains are broken, the cost says {stated.get(level, 0)}"
            )
            yield Violation(Rule.BROKEN_ISLANDS, text)


def broken_islands(state: State) -> dict[str, int]:
    """Return how many whole domains of each level the request takes slots of.

    Parameters
    ----------
    state : State
        The plan.

    Returns
    -------
    dict
        Levels with at least one, by name.
    """
    if not state.instance.request.gpus:
        return {}
    broken: Counter[str] = Counter()
    whole_sites = []
    for site in state.sites:
        busy = _busy_slots(site)
        for level in state.instance.cluster.levels_below:
            for _, slots in site.domains(level):
                online = slots & site.online
                broken[level] += bool(online & set(site.taken)) and not online & busy
        if site.online and not site.online & busy:
            whole_sites.append(site)
    broken[NODE] = len(whole_sites)
    for level, number in _broken_above(state, whole_sites).items():
        broken[level] = number
    return {level: number for level, number in broken.items() if number}


def _busy_slots(site: Site) -> frozenset[int]:
    """Return the slots on which pods of the node sit, or may sit, before the plan."""
    now = (*site.kept, *site.evicted)
    busy = frozenset(slot for pod in now for slot in pod.slots or ())
    if any(pod.gpus is not None for pod in now):
        busy |= frozenset(range(site.shape.gpus))
    return busy


def _broken_above(state: State, whole_sites: list[Site]) -> dict[str, int]:
    """Return the broken domains above node; such a domain needs every node with online slots to be free."""
    instance = state.instance
    above = instance.cluster.levels_above
    if not whole_sites or not above:
        return {}
    firsts = {site.node.within.get(above[0]) for site in state.sites}
    nodes = [node for node in instance.cluster.nodes if node.within.get(above[0]) in firsts]
    busy = _busy_nodes(instance, {node.name for node in nodes})
    broken = {}
    for level in above:
        used = {domain_of_node(instance, site.node, level) for site in state.sites}
        names = {site.node.within.get(level) for site in state.sites}
        for node in nodes:
            if not used:
                break
            if node.within.get(level) in names and node.name in busy:
                used.discard(domain_of_node(instance, node, level))
        broken[level] = len(used)
    return broken


def _busy_nodes(instance: Instance, among: set[str]) -> set[str]:
    """Return the nodes with a running pod on an online slot."""
    offline = {node.name: set(node.offline_slots) for node in instance.cluster.nodes if node.offline_slots}
    busy: set[str] = set()
    for job in instance.jobs:
        if job.state == "running":
            for pod in job.pods:
                if pod.node in among and pod.node not in busy and _holds_online(pod, offline):
                    busy.add(pod.node)
    return busy


def _holds_online(pod: Pod, offline: dict[str, set[int]]) -> bool:
    if pod.slots is None:
        return pod.gpus is not None
    return pod.node not in offline or not offline[pod.node].issuperset(pod.slots)
