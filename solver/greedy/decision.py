"""What a baseline decides, before anyone asks whether it works: whom it evicts and where it sends the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .oracle import Oracle
from .situation import Running, Situation


@dataclass(frozen=True)
class Decision:
    """The outcome of one baseline's rule.

    Attributes
    ----------
    nodes : tuple of str
        The node of each placed pod of the request.
    evicted : mapping of str to str
        Why each victim goes, by pod, in the order of eviction.
    moved : mapping of str to str
        Those of the victims that start again elsewhere at once, with their new node.
    slots : tuple or None
        The slots of each placed pod where the rule itself chooses them; None: the kubelet does.
    gave_up : str or None
        Why the rule has no answer; then nobody goes.
    """

    nodes: tuple[str, ...] = ()
    evicted: Mapping[str, str] = field(default_factory=dict)
    moved: Mapping[str, str] = field(default_factory=dict)
    slots: tuple[tuple[int, ...], ...] | None = None
    gave_up: str | None = None


Rule = Callable[[Situation], Decision]


def given_up(reason: str) -> Decision:
    """Return the decision of a rule that found nothing or does not apply.

    Parameters
    ----------
    reason : str
        Why, in a sentence.

    Returns
    -------
    Decision
        Without victims and nodes.
    """
    return Decision(gave_up=reason)


def names_of(pods: Sequence[Running]) -> set[str]:
    """Return the names of pods.

    Parameters
    ----------
    pods : sequence of Running
        Running pods.

    Returns
    -------
    set of str
        Their names.
    """
    return {pod.name for pod in pods}


def with_extras(oracle: Oracle, gone: set[str], nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the nodes of the placed pods and of those above the minimum that free room takes as well.

    Parameters
    ----------
    oracle : Oracle
        The rule's own view.
    gone : set of str
        Evicted pods.
    nodes : sequence of str
        Where the pods of the minimum go.

    Returns
    -------
    tuple of str
        More nodes only where the request has no slices and no gang scope that the rule would have to keep.
    """
    request = oracle.situation.instance.request
    found = list(nodes)
    if request.affinity.gang is not None or request.slice_size > 1:
        return tuple(found)
    for host in oracle.situation.hosts.values():
        while len(found) < request.pods and oracle.pods_on(host, gone) > found.count(host.name):
            found.append(host.name)
    return tuple(found)


def budget_allows(situation: Situation, pods: Sequence[Running]) -> bool:
    """Return whether evictions keep within all disruption budgets.

    Parameters
    ----------
    situation : Situation
        For the budgets.
    pods : sequence of Running
        All victims.

    Returns
    -------
    bool
        True if no budget is exceeded.
    """
    left = dict(situation.budgets)
    for pod in pods:
        if pod.job.budget is not None:
            left[pod.job.budget] -= 1
    return all(rest >= 0 for rest in left.values())


def within_budgets(situation: Situation, groups: Sequence[Sequence[Running]]) -> list[tuple[Running, ...]]:
    """Return those groups of pods that can go one after the other under hard budgets.

    Parameters
    ----------
    situation : Situation
        For the budgets; soft ones keep nobody back.
    groups : sequence of sequence of Running
        Pods of one job that go together, in order.

    Returns
    -------
    list of tuple of Running
        Without the groups that would exceed what is left of a budget when their turn comes.
    """
    if not situation.budgets_bind:
        return [tuple(group) for group in groups]
    left = dict(situation.budgets)
    chosen = []
    for group in groups:
        budget = group[0].job.budget
        if budget is None or left[budget] >= len(group):
            chosen.append(tuple(group))
            if budget is not None:
                left[budget] -= len(group)
    return chosen


def smallest_prefix(length: int, feasible: Callable[[int], bool]) -> int | None:
    """Return how many candidates must go, in order, until the request fits.

    Parameters
    ----------
    length : int
        Number of candidates.
    feasible : callable
        Whether the request fits once so many are gone; more room never hurts, so it is monotone.

    Returns
    -------
    int or None
        None if it does not fit even without all of them.
    """
    if not feasible(length):
        return None
    low, high = 0, length
    while low < high:
        middle = (low + high) // 2
        if feasible(middle):
            high = middle
        else:
            low = middle + 1
    return low
