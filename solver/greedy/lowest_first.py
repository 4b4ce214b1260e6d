"""``lowest-first``: evict in ascending order of priority, anywhere, until the request fits.

Source: the classic rule of cluster managers (Borg evicts from the lowest priority up). It knows every rule of
feasibility, keeps gangs whole and hard budgets; of equal priority the youngest goes first, then by name. Blind to
cost and place: what it evicted on the way and turns out not to need stays evicted.
"""

from __future__ import annotations

from collections.abc import Sequence

from .decision import Decision, given_up, smallest_prefix, with_extras, within_budgets
from .oracle import EVERYTHING, Oracle
from .orderings import jobs_lowest_priority_youngest_first
from .situation import Running, Situation


def lowest_first(situation: Situation) -> Decision:
    """Evict the least important until an island is there.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Often far more victims than needed.
    """
    oracle = Oracle(situation, EVERYTHING)
    pods = situation.instance.request.fewest_pods
    steps = within_budgets(situation, steps_of(situation))

    def feasible(number: int) -> bool:
        return oracle.nodes_for(names_in(steps[:number]), pods) is not None

    number = smallest_prefix(len(steps), feasible)
    if number is None:
        return given_up("no room even without all pods of lower priority")
    gone = names_in(steps[:number])
    nodes = with_extras(oracle, gone, oracle.nodes_for(gone, pods) or ())
    return Decision(nodes, {pod.name: "lowest priority first" for step in steps[:number] for pod in step})


def steps_of(situation: Situation) -> list[tuple[Running, ...]]:
    """Return what can go, one after the other, without breaking a gang that is not taken whole.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    list of tuple of Running
        A rigid job in one step; of an elastic one first each pod above its minimum, last one first, then the rest.
    """
    jobs = {pod.job.name: pod.job for pod in situation.evictable}
    steps: list[tuple[Running, ...]] = []
    for job in sorted(jobs.values(), key=jobs_lowest_priority_youngest_first):
        members = situation.members(job)
        needed = len(members) if job.min_available is None else job.min_available
        steps += [(pod,) for pod in members[needed:][::-1]]
        if needed:
            steps.append(members[:needed])
    return steps


def names_in(steps: Sequence[Sequence[Running]]) -> set[str]:
    """Return the names of all pods of some steps.

    Parameters
    ----------
    steps : sequence of sequence of Running
        Pods that go together.

    Returns
    -------
    set of str
        Their names.
    """
    return {pod.name for step in steps for pod in step}
