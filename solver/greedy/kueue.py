"""``kueue-classical``: Kueue's classical preemption within one ClusterQueue, with topology-aware scheduling.

Source: kubernetes-sigs/kueue, ``scheduler/preemption``. The cluster is the one queue's quota; nodes are assigned by
the topology-aware scheduler, whose finest level is the node and which keeps slice and gang scopes. Candidates use a
resource that is short of quota; where quota suffices and only the topology fails, any resource asked for. Order:
lower priority, newest, name; then what was taken is filled back from the last but one. Whole workloads, elastic ones
too. Blind to GPUs and NUMA nodes below the node, to cost, to budgets; the order is blind to the topology as well.
"""

from __future__ import annotations

from .decision import Decision, given_up, smallest_prefix
from .lowest_first import names_in
from .oracle import Knowledge, Oracle
from .orderings import jobs_lowest_priority_youngest_first
from .situation import Running, Situation


def kueue_classical(situation: Situation) -> Decision:
    """Remove workloads in order until the request is admitted, then put back whom it does not need.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Fewer pods of the request (partial admission) only where the full number fails.
    """
    oracle, request = Oracle(situation, Knowledge(gang=True)), situation.instance.request
    for pods in range(request.pods, request.fewest_pods - 1, -1):
        if pods % request.slice_size:
            continue
        for short in (_short_of_quota(situation, pods), set(range(len(situation.things)))):
            found = _removed(oracle, pods, _candidates(situation, short))
            if found is not None:
                gone, nodes = found
                return Decision(nodes, dict.fromkeys(gone, "workload of lower priority in the same queue"))
    return given_up("the request is not admitted even without all candidates")


def _short_of_quota(situation: Situation, pods: int) -> set[int]:
    short = set()
    for index, need in enumerate(situation.need):
        quota = sum(host.capacity[index] for host in situation.hosts.values())
        used = sum(pod.amounts[index] for pod in situation.pods.values())
        if need and quota - used < need * pods:
            short.add(index)
    return short


def _candidates(situation: Situation, short: set[int]) -> list[tuple[Running, ...]]:
    jobs = {
        pod.job.name: pod.job
        for pod in situation.evictable
        if any(pod.amounts[index] for index in short if situation.need[index])
    }
    return [situation.members(job) for job in sorted(jobs.values(), key=jobs_lowest_priority_youngest_first)]


def _removed(
    oracle: Oracle, pods: int, candidates: list[tuple[Running, ...]]
) -> tuple[list[str], tuple[str, ...]] | None:
    number = smallest_prefix(
        len(candidates), lambda number: oracle.nodes_for(names_in(candidates[:number]), pods) is not None
    )
    if number is None:
        return None
    targets = candidates[:number]
    for workload in targets[-2::-1]:
        rest = [other for other in targets if other is not workload]
        if oracle.nodes_for(names_in(rest), pods) is not None:
            targets = rest
    gone = [pod.name for workload in targets for pod in workload]
    return gone, oracle.nodes_for(set(gone), pods) or ()
