"""Disruption budgets: which running pods each covers, what it has left, and the one that a job counts in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..notes import Notes
from .core_objects import Pod, PodDisruptionBudget
from .selection import LabelIndex
from .state import State


def add_budgets(
    jobs: list[dict[str, Any]], pods: Mapping[str, Pod], state: State, notes: Notes
) -> list[dict[str, Any]]:
    """Give every job its budget.

    Parameters
    ----------
    jobs : list of dict
        Jobs of an instance file; changed in place.
    pods : mapping
        Running pods by key.
    state : State
        For the budgets.
    notes : Notes
        Told what one budget a job cannot say.

    Returns
    -------
    list of dict
        Budgets of an instance file: those with members, by name.

    Raises
    ------
    InstanceError
        A selector that cannot be read.
    """
    staying = {key: pod for key, pod in pods.items() if not pod.is_terminating}
    index = LabelIndex(staying.values())
    covers: dict[str, list[PodDisruptionBudget]] = defaultdict(list)
    left: dict[str, int] = {}
    for budget in state.of(PodDisruptionBudget).values():
        if budget.spec.selector is None:
            continue
        members = index.selected(budget.spec.selector, budget)
        left[budget.key] = _left(budget, [item for item in members if isinstance(item, Pod)], notes)
        for member in members:
            covers[member.key].append(budget)
    used: set[str] = set()
    for job in jobs:
        if job.get("state") == "terminating":
            continue
        per_pod = [frozenset(budget.key for budget in covers[pod["name"]]) for pod in job["pods"]]
        names = sorted(frozenset().union(*per_pod), key=lambda name: (left[name], name))
        if not names:
            continue
        if len(names) > 1:
            notes.of(job["name"], "Jobs under several disruption budgets: only the tightest counts.")
        if len(set(per_pod)) > 1:
            notes.of(job["name"], "Jobs of which a budget covers only some pods: it is taken to cover all.")
        job["budget"] = names[0]
        used.add(names[0])
    return [{"name": name, "max_evictions": left[name]} for name in sorted(used)]


def _left(budget: PodDisruptionBudget, members: list[Pod], notes: Notes) -> int:
    """Return how many members may still be evicted, as its status says, else by its spec and the healthy members."""
    allowed = budget.status.disruptions_allowed
    if allowed is not None:
        return allowed
    notes.of(budget.key, "Budgets without status: counted from the pods in the data.")
    healthy = sum(_is_ready(pod) for pod in members)
    most, least = budget.spec.max_unavailable, budget.spec.min_available
    if most is not None:
        return max(0, _amount(most, len(members)) - (len(members) - healthy))
    return max(0, healthy - _amount(least, len(members))) if least is not None else 0


def _amount(value: int | str, expected: int) -> int:
    """Return a number or a percentage of the pods; percentages are rounded up, as the controller does."""
    if isinstance(value, int):
        return value
    return -(-int(value[:-1]) * expected // 100) if value.endswith("%") else int(value)


def _is_ready(pod: Pod) -> bool:
    ready = [condition.status for condition in pod.status.conditions if condition.type == "Ready"]
    return ready == ["True"] if ready else pod.status.phase in ("Running", "")
