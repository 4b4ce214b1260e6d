"""Who is evicted: only whom the rules permit to evict, whole where it must be whole, and within the budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..eligibility import protection
from .rules import Rule, Violation
from .state import State


def victims_are_known_once(state: State) -> Iterator[Violation]:
    """Every victim is a job of the instance, named once, with at least one of its pods, each once."""
    seen: set[str] = set()
    for victim in state.plan.victims:
        if victim.job in seen:
            yield Violation(Rule.VICTIM_NAMES, f"job {victim.job} stands twice among the victims")
        seen.add(victim.job)
        job = state.instance.jobs_by_name.get(victim.job)
        if job is None:
            yield Violation(Rule.VICTIM_NAMES, f"no job of the instance is called {victim.job}")
            continue
        if not victim.pods:
            yield Violation(Rule.VICTIM_NAMES, f"job {victim.job} is a victim without an evicted pod")
        own = {pod.name for pod in job.pods}
        for pod, times in Counter(victim.pods).items():
            if pod not in own:
                yield Violation(Rule.VICTIM_NAMES, f"job {victim.job} has no pod {pod}")
            elif times > 1:
                yield Violation(Rule.VICTIM_NAMES, f"pod {pod} of job {victim.job} is evicted {times} times")


def victims_may_be_evicted(state: State) -> Iterator[Violation]:
    """A victim is running, preemptible, of strictly lower priority, old enough and under no protected label."""
    for name in state.victims:
        reason = protection(state.instance, state.job(name))
        if reason is not None:
            yield Violation(Rule.PROTECTED_JOB, f"job {name} may not be evicted: {reason}")


def jobs_die_whole(state: State) -> Iterator[Violation]:
    """A rigid job loses all its pods; an elastic one at most ``n - min_available``, or all."""
    for name, evicted in state.victims.items():
        job = state.job(name)
        if job.is_broken_by(len(evicted)):
            needed = len(job.pods) if job.min_available is None else job.min_available
            text = (
                f"job {name} needs {needed} of its {len(job.pods)} pods, but loses {len(evicted)} of them and not all"
            )
            yield Violation(Rule.WHOLE_JOB, text)


def over_budget(state: State) -> dict[str, int]:
    """Return by how many evictions each budget is exceeded.

    Parameters
    ----------
    state : State
        The plan.

    Returns
    -------
    dict
        Budgets that are exceeded, by name.
    """
    spent: Counter[str] = Counter()
    for name, evicted in state.victims.items():
        job = state.job(name)
        if job.budget is not None and job.state == "running":
            spent[job.budget] += len(evicted)
    if not spent:
        return {}
    most = {budget.name: budget.max_evictions for budget in state.instance.budgets}
    return {name: gone - most[name] for name, gone in sorted(spent.items()) if gone > most[name]}


def hard_budgets_hold(state: State) -> Iterator[Violation]:
    """With hard budgets no more pods of a budget's jobs are evicted than it allows."""
    if state.instance.policy.budgets == "hard":
        for name, excess in over_budget(state).items():
            yield Violation(Rule.HARD_BUDGET, f"budget {name} is exceeded by {excess} evictions")


def victims_are_few_enough(state: State) -> Iterator[Violation]:
    """At most ``policy.max_victims`` pods are evicted."""
    most = state.instance.policy.max_victims
    if most is not None and state.evicted_pods > most:
        yield Violation(Rule.MAX_VICTIMS, f"{state.evicted_pods} pods are evicted, at most {most} may be")
