"""``yunikorn-node``: the preemption of YuniKorn's queues, node by node.

Source: apache/yunikorn-core, ``scheduler/objects/preemption``. Allocations newest first, those that do not shrink the
shortfall behind those that do; a node's score is the index of the first fit (-1 where there is room), the lowest
wins, then the name. The list is then cut as soon as the victims' own sum covers the ask in the types both name, and
preemption fails if it does not: free room is ignored there. Victims there are of other queues and of at most the
ask's priority; here strictly lower, as everywhere. Blind to priorities among victims, gangs, islands, budgets.
"""

from __future__ import annotations

from collections.abc import Sequence

from .counts import free_amounts
from .decision import Decision, given_up, names_of
from .oracle import Oracle
from .orderings import newest_first
from .situation import Amounts, Host, Running, Situation


def yunikorn_node(situation: Situation) -> Decision:
    """Evict the newest allocations of the node with the lowest index of first fit.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Every pod of the request asks for itself; one that finds nothing waits.
    """
    oracle, request = Oracle(situation), situation.instance.request
    gone: set[str] = set()
    nodes: list[str] = []
    evicted: dict[str, str] = {}
    for _ in range(request.pods):
        scored = [
            (len(victims) - 1, name, victims)
            for name, host in situation.hosts.items()
            if (victims := first_fit(oracle, host, gone, nodes.count(name))) is not None
        ]
        if not scored:
            break
        index, name, victims = min(scored, key=lambda each: each[:2])
        if index >= 0:
            cut = _cut(situation, victims)
            if cut is None:
                break
            gone |= names_of(cut)
            evicted |= {pod.name: f"newest on {name}" for pod in cut}
        nodes.append(name)
    if len(nodes) < request.fewest_pods and not evicted:
        return given_up("no node fits, or the victims' own sum stays below the ask")
    return Decision(tuple(nodes), evicted)


def first_fit(oracle: Oracle, host: Host, gone: set[str], seats: int) -> list[Running] | None:
    """Return the allocations of a node up to the first with which the ask fits.

    Parameters
    ----------
    oracle : Oracle
        Counts.
    host : Host
        The node.
    gone : set of str
        Pods evicted before.
    seats : int
        Pods of the request that go to this node already.

    Returns
    -------
    list of Running or None
        Empty where there is room; None where even all of them do not suffice.
    """
    if oracle.pods_on(host, gone) > seats:
        return []
    need = oracle.situation.need
    free = [left - seats * amount for left, amount in zip(free_amounts(host, gone), need, strict=True)]
    head: list[Running] = []
    tail: list[Running] = []
    for pod in sorted((pod for pod in host.evictable if pod.name not in gone), key=newest_first):
        short = [max(0, amount - left) for amount, left in zip(need, free, strict=True)]
        if any(lack and held for lack, held in zip(short, pod.amounts, strict=True)):
            head.append(pod)
            free = [left + held for left, held in zip(free, pod.amounts, strict=True)]
        else:
            tail.append(pod)
    results = [*head, *tail]
    for number in range(1, len(results) + 1):
        if oracle.pods_on(host, gone | names_of(results[:number])) > seats:
            return results[:number]
    return None


def _cut(situation: Situation, victims: Sequence[Running]) -> list[Running] | None:
    """Return the victims up to where their own sum covers the ask in the types that both name."""
    total: Amounts = (0,) * len(situation.need)
    for number, pod in enumerate(victims, start=1):
        total = tuple(held + more for held, more in zip(total, pod.amounts, strict=True))
        if all(held >= amount for held, amount in zip(total, situation.need, strict=True) if held and amount):
            return list(victims[:number])
    return None
