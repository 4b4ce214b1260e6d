"""The dry run of the Kubernetes family: take every lesser pod off a node, then give back whom the request can spare."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .decision import Decision, given_up, names_of
from .oracle import Oracle
from .orderings import node_choice
from .situation import Host, Running, Situation

Order = Callable[[Running], Any]


@dataclass(frozen=True)
class Candidate:
    """A node that a pod of the request could start on, and at whose expense.

    Attributes
    ----------
    host : Host
        The node.
    victims : tuple of Running
        Who must go there.
    violations : int
        How many of them break a disruption budget.
    """

    host: Host
    victims: tuple[Running, ...]
    violations: int


def budget_breakers(situation: Situation, pods: Sequence[Running], spent: Collection[str]) -> set[str]:
    """Return the pods that would break a budget if all went, in the order given.

    Parameters
    ----------
    situation : Situation
        For the budgets.
    pods : sequence of Running
        Potential victims, those that use up a budget first.
    spent : collection of str
        Pods that are evicted already.

    Returns
    -------
    set of str
        Names; each pod uses its budget up, whether or not it will go in the end.
    """
    left = dict(situation.budgets)
    breakers = set()
    for pod in (*(situation.pods[name] for name in spent), *pods):
        if pod.job.budget is not None:
            left[pod.job.budget] -= 1
            if left[pod.job.budget] < 0:
                breakers.add(pod.name)
    return breakers - set(spent)


def dry_run(oracle: Oracle, host: Host, gone: Collection[str], seats: int, order: Order) -> Candidate | None:
    """Return the victims of one node as kube-scheduler's dry run finds them.

    Parameters
    ----------
    oracle : Oracle
        The scheduler's filters.
    host : Host
        The node.
    gone : collection of str
        Pods evicted before.
    seats : int
        Pods of the request that go to this node already.
    order : callable
        Most important first.

    Returns
    -------
    Candidate or None
        None if even without all lesser pods one more pod of the request does not fit. Those that break a budget are
        reprieved first, each group from its most important; the victims are minimal for that order, not the fewest.
    """
    lesser = sorted((pod for pod in host.evictable if pod.name not in gone), key=order)
    away = {pod.name for pod in host.pods if pod.name in gone} | names_of(lesser)
    if not lesser or oracle.pods_on(host, away) <= seats:
        return None
    breakers = budget_breakers(oracle.situation, lesser, gone)
    victims = []
    for pod in sorted(lesser, key=lambda pod: pod.name not in breakers):
        if oracle.pods_on(host, away - {pod.name}) > seats:
            away.discard(pod.name)
        else:
            victims.append(pod)
    victims.sort(key=order)
    return Candidate(host, tuple(victims), sum(pod.name in breakers for pod in victims))


def roomiest(oracle: Oracle, gone: Collection[str], nodes: Sequence[str]) -> Host | None:
    """Return where one more pod of the request fits without an eviction.

    Parameters
    ----------
    oracle : Oracle
        The scheduler's filters.
    gone : collection of str
        Pods evicted before.
    nodes : sequence of str
        Where the pods of the request before it went.

    Returns
    -------
    Host or None
        Of several the one with the most free usable GPUs, then by name.
    """
    best: tuple[int, Host] | None = None
    for host in oracle.situation.hosts.values():
        if oracle.pods_on(host, gone) > nodes.count(host.name):
            held = sum(pod.amounts[0] for pod in host.pods if pod.name not in gone)
            free = host.capacity[0] - held - nodes.count(host.name) * oracle.situation.need[0]
            if best is None or free > best[0]:
                best = (free, host)
    return None if best is None else best[1]


def pod_by_pod(
    oracle: Oracle, candidates: Callable[[set[str], list[str]], list[Candidate]], *, with_budgets: bool = True
) -> Decision:
    """Let every pod of the request find its node by itself, evicting on one node where none has room.

    Parameters
    ----------
    oracle : Oracle
        The scheduler's filters.
    candidates : callable
        The candidates for the next pod, given who is gone and where the pods before it went.
    with_budgets : bool
        Whether broken budgets count in the choice of the node.

    Returns
    -------
    Decision
        Pods that find no node wait; those evicted for the others are gone all the same.
    """
    request = oracle.situation.instance.request
    gone: set[str] = set()
    nodes: list[str] = []
    evicted: dict[str, str] = {}
    for _ in range(request.pods):
        host = roomiest(oracle, gone, nodes)
        if host is None:
            found = candidates(gone, nodes)
            if not found:
                break
            best = min(
                found, key=lambda each: (*node_choice(each.victims, each.violations * with_budgets), each.host.name)
            )
            host = best.host
            gone |= names_of(best.victims)
            evicted |= {pod.name: f"in the way of the request on {host.name}" for pod in best.victims}
        nodes.append(host.name)
    if len(nodes) < request.fewest_pods and not evicted:
        return given_up("no node takes enough pods of the request, even without all pods of lower priority")
    return Decision(tuple(nodes), evicted)
