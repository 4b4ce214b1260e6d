"""``dcm-cpsat``: preemption as DCM models it, keep the most priority, solved by CP-SAT.

Source: VMware's declarative cluster management: each lesser pod stays on its node or goes, and the sum of the
priorities of those that stay is maximal. The request must be placed here; ties keep more pods. Counts only: blind to
islands, gangs, budgets, and to how much work a pod loses; negative priorities count as 0.
"""

from __future__ import annotations

from .counts import free_amounts
from .decision import Decision, given_up, with_extras
from .oracle import Oracle
from .situation import Situation


def dcm_cpsat(situation: Situation) -> Decision:
    """Keep the highest sum of priorities.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        All pods of the minimum, or nobody is evicted.
    """
    from ..exact.cpsat.dcm import HostRow, keep_most_priority

    lesser = {pod.name for pod in situation.evictable}
    hosts = [host for host in situation.hosts.values() if host.takes]
    rows = [
        HostRow(free_amounts(host, lesser), [(max(pod.priority, 0), pod.amounts) for pod in host.evictable])
        for host in hosts
    ]
    found = keep_most_priority(rows, situation.need, situation.instance.request.fewest_pods)
    if found is None:
        return given_up("no node takes enough pods of the request, even without all pods of lower priority")
    nodes = [name for host, answer in zip(hosts, found, strict=True) for name in [host.name] * answer.seats]
    gone = [
        pod.name
        for host, answer in zip(hosts, found, strict=True)
        for pod, kept in zip(host.evictable, answer.kept, strict=True)
        if not kept
    ]
    oracle = Oracle(situation)
    return Decision(with_extras(oracle, set(gone), nodes), dict.fromkeys(gone, "keeps the most priority without it"))
