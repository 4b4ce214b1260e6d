"""``slurm-cons-tres``: job preemption of Slurm's cons_tres selection.

Source: Slurm's ``select/cons_tres`` and the documents of ``PreemptType`` and ``PreemptParameters``
(``partition_prio``, reorder_count 1, no strict_order). Candidates by priority, then number of nodes, then name;
removed one by one, each time with the whole test (topology and GPUs included); at the first success once more with
the last one first and the others by how many of their nodes the request would use. Whole jobs; only those that
overlap the chosen nodes stay victims. Blind to cost and to budgets.
"""

from __future__ import annotations

from .decision import Decision, given_up, smallest_prefix, with_extras
from .lowest_first import names_in
from .oracle import EVERYTHING, Oracle
from .orderings import jobs_lowest_priority_smallest_first
from .situation import Running, Situation

REORDER_COUNT = 1


def slurm_cons_tres(situation: Situation) -> Decision:
    """Remove jobs until the request runs, reorder once, keep those in the way.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Whole jobs, elastic ones too.
    """
    oracle, pods = Oracle(situation, EVERYTHING), situation.instance.request.fewest_pods
    jobs = {pod.job.name: pod.job for pod in situation.evictable}
    order = [situation.members(job) for job in sorted(jobs.values(), key=jobs_lowest_priority_smallest_first)]
    for turn in range(REORDER_COUNT + 1):
        number = _removals(oracle, order, pods)
        if number is None:
            return given_up("the request does not run even without all preemptible jobs")
        removed = order[:number]
        nodes = oracle.nodes_for(names_in(removed), pods) or ()
        if turn < REORDER_COUNT and number:
            last = removed[-1]
            rest = [job for job in order if job is not last]
            order = [last, *sorted(rest, key=lambda job: -_overlap(job, nodes))]
    victims = [job for job in removed if _overlap(job, nodes)]
    gone = names_in(victims)
    return Decision(
        with_extras(oracle, gone, nodes),
        {pod.name: "preempted: shares a node with the request" for job in victims for pod in job},
    )


def _removals(oracle: Oracle, order: list[tuple[Running, ...]], pods: int) -> int | None:
    return smallest_prefix(len(order), lambda number: oracle.nodes_for(names_in(order[:number]), pods) is not None)


def _overlap(job: tuple[Running, ...], nodes: tuple[str, ...]) -> int:
    return len({pod.node for pod in job} & set(nodes))
