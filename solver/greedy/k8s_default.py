"""``k8s-default`` and ``k8s-default-filtered``: kube-scheduler's DefaultPreemption, plain and with a topology filter.

Source: Kubernetes, ``defaultpreemption`` and ``preemption`` packages, as of 1.35. All nodes are candidates, from the
first by name (there: at least 10 %, from a random offset); ties of nodes go to the name (there: to chance). Blind to
gangs, victims on several nodes, the size of work, minimum running times of its own, and (unfiltered) everything below
the node. The filter stands for NodeResourceTopologyMatch in preemption mode, for any island kind.
"""

from __future__ import annotations

from .decision import Decision
from .dry_run import Candidate, dry_run, pod_by_pod
from .oracle import BLIND, Knowledge, Oracle
from .orderings import most_important_first
from .situation import Situation


def k8s_default(situation: Situation, knowledge: Knowledge = BLIND) -> Decision:
    """Evict on one node a pod, as DefaultPreemption does.

    Parameters
    ----------
    situation : Situation
        The decision.
    knowledge : Knowledge
        What the filters look at.

    Returns
    -------
    Decision
        Rigid jobs are broken pod by pod; budgets are broken where no node does without.
    """
    oracle = Oracle(situation, knowledge)

    def candidates(gone: set[str], nodes: list[str]) -> list[Candidate]:
        found = (
            dry_run(oracle, host, gone, nodes.count(host.name), most_important_first)
            for host in situation.hosts.values()
        )
        return [candidate for candidate in found if candidate is not None]

    return pod_by_pod(oracle, candidates)


def k8s_default_filtered(situation: Situation) -> Decision:
    """Do the same with filters that know the islands and the kubelet's alignment.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Nobody is evicted in vain for a single pod; which victims go is as blind as before.
    """
    return k8s_default(situation, Knowledge("islands", alignment=True))
