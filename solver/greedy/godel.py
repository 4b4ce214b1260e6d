"""``godel-standard``: the preemption of the Gödel scheduler, the standard of arXiv 2411.11560.

Source: kubewharf/godel-scheduler, ``preemption_test.go`` and the sort plugins, candidate policy Best. Budgets are
never broken: they are spent walking from the least important pod, and who exceeds one stays. Ties of nodes go to the
name. Blind to gangs, islands, the size of work.
"""

from __future__ import annotations

from collections.abc import Collection

from .decision import Decision, names_of
from .dry_run import Candidate, budget_breakers, pod_by_pod
from .oracle import Oracle
from .orderings import most_important_first_later_name
from .situation import Host, Running, Situation


def godel_standard(situation: Situation) -> Decision:
    """Evict on one node a pod; nodes by top priority, sum, number, then start of the victims.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Rigid jobs are broken pod by pod.
    """
    oracle = Oracle(situation)

    def candidates(gone: set[str], nodes: list[str]) -> list[Candidate]:
        found = (victims_on(oracle, host, gone, nodes.count(host.name)) for host in situation.hosts.values())
        return [candidate for candidate in found if candidate is not None]

    return pod_by_pod(oracle, candidates)


def potential_victims(situation: Situation, host: Host, gone: Collection[str]) -> list[Running]:
    """Return the pods of a node that may go at all under strict budgets, the most important first.

    Parameters
    ----------
    situation : Situation
        The decision.
    host : Host
        The node.
    gone : collection of str
        Pods evicted before.

    Returns
    -------
    list of Running
        Without those that exceed a budget when it is spent from the least important.
    """
    lesser = sorted((pod for pod in host.evictable if pod.name not in gone), key=most_important_first_later_name)
    protected = budget_breakers(situation, lesser[::-1], gone)
    return [pod for pod in lesser if pod.name not in protected]


def victims_on(oracle: Oracle, host: Host, gone: Collection[str], seats: int) -> Candidate | None:
    """Return Gödel's victims on one node.

    Parameters
    ----------
    oracle : Oracle
        Its filters.
    host : Host
        The node.
    gone : collection of str
        Pods evicted before.
    seats : int
        Pods of the request that go to this node already.

    Returns
    -------
    Candidate or None
        None if the node is of no use.
    """
    lesser = potential_victims(oracle.situation, host, gone)
    away = {pod.name for pod in host.pods if pod.name in gone} | names_of(lesser)
    if not lesser or oracle.pods_on(host, away) <= seats:
        return None
    victims = []
    for pod in lesser:
        if oracle.pods_on(host, away - {pod.name}) > seats:
            away.discard(pod.name)
        else:
            victims.append(pod)
    return Candidate(host, tuple(victims), 0)
