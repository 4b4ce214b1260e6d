"""``koordinator-job``: job-level preemption of Koordinator's coscheduling.

Source: koordinator-sh/koordinator, ``coscheduling/core/preemption``. All lesser pods are taken off every node; a node
costs the sum over the jobs it would lose of the rank of their priority (from 0 among the distinct victim priorities,
a job counts once a node, costs are not updated); the gang goes to the cheapest nodes (ties by name), within one
domain where it must gather; on those nodes pods are reprieved. NUMA nodes and GPU minors of victims are credited
exactly. The intent is kept where the code read differs: the lower cost wins, and reprieve keeps all pods of the gang.
Blind to victim gangs (single pods go), to budgets, to the size of work; lowest-priority pods cost as little as free
room.
"""

from __future__ import annotations

from .decision import Decision, given_up, with_extras
from .oracle import EVERYTHING, Oracle
from .orderings import by_priority_job_and_name
from .situation import Situation


def koordinator_job(situation: Situation) -> Decision:
    """Place the gang on the cheapest nodes, then reprieve.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        All pods of the minimum, or nobody is evicted.
    """
    oracle = Oracle(situation, EVERYTHING)
    lesser = {pod.name for pod in situation.evictable}
    costs = _node_costs(situation)
    nodes = oracle.nodes_for(
        lesser,
        situation.instance.request.fewest_pods,
        rank=lambda name: costs[name],
        choose=lambda nodes: sum(costs[name] for name in nodes),
    )
    if nodes is None:
        return given_up("the gang cannot be placed even without all pods of lower priority")
    evicted: dict[str, str] = {}
    for name in sorted(set(nodes)):
        host = situation.hosts[name]
        away = set(lesser)
        for pod in sorted(host.evictable, key=by_priority_job_and_name):
            if oracle.holds(away - {pod.name}, nodes):
                away.discard(pod.name)
            else:
                evicted[pod.name] = f"not reprieved on {name}"
        lesser = away
    gone = set(evicted)
    return Decision(with_extras(oracle, gone, nodes), evicted)


def _node_costs(situation: Situation) -> dict[str, int]:
    rank = {priority: place for place, priority in enumerate(sorted({pod.priority for pod in situation.evictable}))}
    return {
        name: sum({pod.job.name: rank[pod.priority] for pod in host.evictable}.values())
        for name, host in situation.hosts.items()
    }
