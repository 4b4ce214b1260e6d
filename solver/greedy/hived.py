"""``hived-cells``: HiveD's placement by cells, whose holders then go as whole affinity groups.

Source: microsoft/hivedscheduler, ``algorithm/topology_aware_scheduler``. Two passes: first only what nobody runs on
counts as free, then everything below the request's priority. Nodes: most used first (the chain packs across
priorities), then least used by higher priorities, then name. In a node the leaf cells with the tightest common level
are taken, free ones before preemptible ones. The cells of the cell tree are the levels below node; the chosen cells
are the GPUs. Every group that touches a chosen cell dies whole. Binding of virtual cells is a node label of the
request. Blind to the cost of victims, CPUs and memory, links, budgets, slices and gang scopes; whole GPUs only.
"""

from __future__ import annotations

from collections.abc import Collection

from .decision import Decision, given_up
from .situation import Host, Situation

FREE, PREEMPTIBLE = 0, 1


def hived_cells(situation: Situation) -> Decision:
    """Choose cells by packing and affinity, then evict who is on them.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        All pods of the minimum with the GPUs that the cells are, or nobody is evicted.
    """
    request = situation.instance.request
    if not request.gpus or request.share != 1.0:
        return given_up("HiveD hands out whole GPU cells only")
    for may_preempt in (False, True):
        found = _group(situation, may_preempt)
        if found is not None:
            nodes, cells = found
            touched = {
                pod.job.name: pod.job
                for node, slots in zip(nodes, cells, strict=True)
                for pod in situation.hosts[node].pods
                if set(slots) & set(pod.slots)
            }
            why = "its affinity group touches a chosen cell"
            evicted = {pod.name: why for name in sorted(touched) for pod in touched[name].pods}
            return Decision(tuple(nodes), evicted, slots=tuple(cells))
    return given_up("not enough cells below the priority of the request")


def _group(situation: Situation, may_preempt: bool) -> tuple[list[str], list[tuple[int, ...]]] | None:
    request = situation.instance.request
    nodes: list[str] = []
    cells: list[tuple[int, ...]] = []
    for host in sorted((h for h in situation.hosts.values() if h.takes), key=lambda h: _node_order(situation, h)):
        taken: set[int] = set()
        while len(nodes) < request.fewest_pods:
            chosen = _leaf_cells(situation, host, taken, may_preempt)
            if chosen is None:
                break
            taken.update(chosen)
            nodes.append(host.name)
            cells.append(chosen)
    return (nodes, cells) if len(nodes) == request.fewest_pods else None


def _node_order(situation: Situation, host: Host) -> tuple[int, int, str]:
    """1 most used, 2 least used by higher priorities, 3 name."""
    used = sum(pod.gpus for pod in host.pods)
    higher = sum(pod.gpus for pod in host.pods if pod.priority > situation.instance.request.priority)
    return (-used, higher, host.name)


def _leaf_cells(situation: Situation, host: Host, taken: Collection[int], may_preempt: bool) -> tuple[int, ...] | None:
    need = situation.instance.request.gpus
    state = {slot: FREE for slot in sorted(host.usable) if slot not in taken}
    strangers = 0
    for pod in host.pods:
        strangers += pod.unknown
        for slot in pod.slots:
            if slot in state and may_preempt and pod.evictable:
                state[slot] = max(state[slot], PREEMPTIBLE)
            else:
                state.pop(slot, None)
    if strangers:
        return None
    return _tightest(situation, host, state, need)


def _tightest(situation: Situation, host: Host, state: dict[int, int], need: int) -> tuple[int, ...] | None:
    """Return the cells under the lowest common level, with as many free ones as that level allows."""
    instance = situation.instance
    shape = instance.shape(host.name)
    for level in (*reversed(instance.cluster.levels_below), "node"):
        best: tuple[int, tuple[int, ...]] | None = None
        for slots in shape.domains[level].values():
            here = sorted((slot for slot in slots if slot in state), key=lambda slot: (state[slot], slot))
            if len(here) >= need:
                chosen = tuple(sorted(here[:need]))
                held = sum(state[slot] for slot in chosen)
                if best is None or (held, chosen) < best:
                    best = (held, chosen)
        if best is not None:
            return best[1]
    return None
