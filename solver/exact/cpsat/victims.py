"""Rules on who may go together: elastic minima, disruption budgets and the limit on victims."""

from __future__ import annotations

from collections import defaultdict

from .variables import Linear, Variables


def add_elastic(v: Variables) -> None:
    """Post that an elastic job loses at most its surplus, or all of its pods wherever they run.

    ``sum of evicted pods <= n - min_available`` unless the whole job goes; ``evicted(q) >= whole(j)`` for each pod.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    snapshot = v.decision.snapshot
    by_job: dict[int, list[int]] = defaultdict(list)
    for unit in v.units:
        by_job[int(snapshot.unit_job[unit])].append(unit)
    for job, units in by_job.items():
        needed = snapshot.jobs[job].min_available
        total = len(snapshot.jobs[job].pods)
        if needed is None or not snapshot.jobs[job].is_elastic or len(units) <= total - needed:
            continue
        whole = v.model.new_bool_var(f"whole{job}")
        v.whole[job] = whole
        gone = sum(v.evicted(unit) for unit in units)
        v.model.add(gone <= total - needed + (len(units) - total + needed) * whole)
        for unit in units:
            v.model.add(v.evicted(unit) >= whole)
        first, last = snapshot.job_first_unit[job : job + 2]
        inside = set(units)
        outside = [unit for unit in range(int(first), int(last)) if unit not in inside]
        v.outside[job] = outside
        if not all(v.decision.unit_evictable[unit] for unit in outside):
            v.model.add(whole == 0)


def evicted_pods(v: Variables, budget: str | None = None) -> Linear:
    """Return the number of evicted pods, of all jobs or of one budget's members.

    Parameters
    ----------
    v : Variables
        The region's variables.
    budget : str, optional
        Count only members of this budget.

    Returns
    -------
    linear expression
        Pods outside the region that go with a whole elastic job are counted.
    """
    snapshot = v.decision.snapshot

    def counts(job: int) -> bool:
        return budget is None or snapshot.jobs[job].budget == budget

    inside: list[Linear] = [
        int(snapshot.unit_pods[unit]) * v.evicted(unit) for unit in v.units if counts(int(snapshot.unit_job[unit]))
    ]
    outside: list[Linear] = [len(v.outside[job]) * whole for job, whole in v.whole.items() if counts(job)]
    return sum(inside + outside)


def add_limits(v: Variables) -> None:
    """Post ``evicted pods <= max_victims`` and, for hard budgets, ``evicted members <= max_evictions``.

    Soft budgets count their excess instead: ``violations(b) >= evicted members - max_evictions``.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    snapshot, policy = v.decision.snapshot, v.decision.policy
    if policy.max_victims is not None:
        v.model.add(evicted_pods(v) <= policy.max_victims)
    members: dict[str, int] = defaultdict(int)
    for job in {int(snapshot.unit_job[unit]) for unit in v.units}:
        name = snapshot.jobs[job].budget
        if name is not None:
            members[name] += len(snapshot.jobs[job].pods)
    for budget in sorted(v.decision.instance.budgets, key=lambda budget: budget.name):
        most = members.get(budget.name, 0)
        if most <= budget.max_evictions:
            continue
        gone = evicted_pods(v, budget.name)
        if policy.budgets == "hard":
            v.model.add(gone <= budget.max_evictions)
        else:
            excess = v.model.new_int_var(0, most, f"violations_{budget.name}")
            v.model.add(excess >= gone - budget.max_evictions)
            v.violations.append(excess)
