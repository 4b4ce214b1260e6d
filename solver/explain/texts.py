"""The one table of texts: what each reason code says about a place, with its numbers filled in."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.reasons import ReasonCode

SLOT_TEXTS: dict[ReasonCode, str] = {
    ReasonCode.CORDONED: "on a cordoned node",
    ReasonCode.LABELS: "on a node without the labels {labels}",
    ReasonCode.OFFLINE: "offline",
    ReasonCode.RESERVED: "reserved for {names}",
    ReasonCode.MODEL: "not of model {models}",
    ReasonCode.PRIORITY: "held by priority {priority} or more: {names}",
    ReasonCode.NO_PREEMPTION: "held, and {request} may not preempt: {names}",
    ReasonCode.NOT_PREEMPTIBLE: "held by jobs that are not preemptible: {names}",
    ReasonCode.TOO_YOUNG: "held by jobs that ran less than {min_running} s: {names}",
    ReasonCode.PROTECTED_LABEL: "held by jobs with a protected label: {names}",
    ReasonCode.BUDGET: "held by jobs whose budget allows too few evictions: {names}",
    ReasonCode.MAX_VICTIMS: "held by jobs of more than {max_victims} pods, the most that may be evicted: {names}",
}
"""After "6 of 8 slots are"."""

PLACE_TEXTS: dict[ReasonCode, str] = {
    ReasonCode.TOO_SMALL: "{slots} {slots_word}, a pod needs {needed}",
    ReasonCode.NO_ISLAND: "{free} of {slots} slots can be free, but no {needed} of them are a {kind}",
    ReasonCode.RESOURCE: "{asked} {resource} asked, at most {most} of {capacity} can be free",
    ReasonCode.ALIGNMENT: "the kubelet there can never admit such a pod: no NUMA nodes match all it asks for",
    ReasonCode.UNKNOWN_PLACEMENT: "pods that stay hold GPUs nobody knows which; {needed} free slots are not certain",
    ReasonCode.TOGETHER: "counts leave room, the rules together do not",
    ReasonCode.SOFT_BUDGET: "only with more than {violations} evictions beyond the budgets",
    ReasonCode.FEWER_PODS: "only with fewer than {pods} pods placed",
    ReasonCode.MAX_VICTIMS: "at least {evictions} pods must go, max_victims allows {max_victims}",
    ReasonCode.BUDGET: "at least {evictions} pods of budget {budget} must go, it allows {allowed}",
}
"""For a single pod."""

REGION_TEXTS: dict[ReasonCode, str] = {
    **PLACE_TEXTS,
    ReasonCode.TOO_SMALL: "room for {empty} of {pods} pods even if nobody ran there",
    ReasonCode.TOO_FEW_PODS: "at most {seats} of {pods} pods fit, {short} too few",
    ReasonCode.RESOURCE: "{resource}: on {count} of {nodes} nodes too few for a pod on every free island",
    ReasonCode.ALIGNMENT: "on {count} of {nodes} nodes the kubelet can never admit such pods on every free island",
    ReasonCode.UNKNOWN_PLACEMENT: "on {count} of {nodes} nodes pods that stay hold GPUs nobody knows which",
}
"""For a gang, or for a request without GPUs."""

ISLAND_TOO_SMALL = "no {kind} there has the {needed} slots that a pod needs"
"""For a gang in whose region not even one pod would fit."""

NAMES_SHOWN = 3


def listed(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """Return names in a row, the surplus as a number.

    Parameters
    ----------
    names : sequence of str
        In the order wanted.
    most : int
        So many are spelled out.

    Returns
    -------
    str
        Such as ``a, b, c and 4 more``.
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def span(values: Sequence[int]) -> str:
    """Return the smallest and the largest of some numbers.

    Parameters
    ----------
    values : sequence of int
        At least one.

    Returns
    -------
    str
        Such as ``4 to 6``, or ``6`` where all are equal.
    """
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def amount(value: float) -> str:
    """Return a quantity without needless digits.

    Parameters
    ----------
    value : float
        Any.

    Returns
    -------
    str
        Up to six decimals.
    """
    return f"{value:,.6f}".rstrip("0").rstrip(".")


RULE_TEXTS: dict[ReasonCode, str] = {
    ReasonCode.CORDONED: "cordoned nodes take no pods",
    ReasonCode.LABELS: "nodes must carry {labels}",
    ReasonCode.OFFLINE: "offline slots serve nobody",
    ReasonCode.RESERVED: "reserved room is kept for requests of equal or higher priority",
    ReasonCode.MODEL: "slots must be of model {models}",
    ReasonCode.PRIORITY: "only jobs of priority below {priority} may go",
    ReasonCode.NO_PREEMPTION: "{request} may not preempt",
    ReasonCode.NOT_PREEMPTIBLE: "some jobs are not preemptible",
    ReasonCode.TOO_YOUNG: "jobs that ran less than {min_running} s stay",
    ReasonCode.PROTECTED_LABEL: "jobs labelled {protected} stay",
    ReasonCode.BUDGET: "budget {name} allows {allowed} evictions",
    ReasonCode.MAX_VICTIMS: "at most {max_victims} pods may go",
    ReasonCode.RESOURCE: "{amount} {name} a pod",
    ReasonCode.ALIGNMENT: "the kubelet admits a pod only on matching NUMA nodes",
    ReasonCode.UNKNOWN_PLACEMENT: "some pods hold GPUs nobody knows which",
    ReasonCode.WHOLE_JOBS: "a job goes whole or keeps its minimum",
    ReasonCode.POD_ISLAND: "the slots of a pod share one {pod}",
    ReasonCode.SLICE_ISLAND: "pods come in slices of {size} in one {slice}",
    ReasonCode.GANG_ISLAND: "all pods share one {gang}",
}
"""The rules of a core."""

NODE_PODS_TEXT = "a node runs at most so many pods"
"""The rule of the resource ``pods``, which every pod uses one of."""

CORE_TEXT = "these rules alone leave no room: {rules}; without any one of them there would be room"
OPEN_CORE_TEXT = "these rules alone leave no room: {rules}; whether all of them are needed was not checked in time"
ONE_RULE_TEXT = "this rule alone leaves no room: {rules}"
NO_RULE_TEXT = "too small whatever the rules: {slots} slots; {pods} x {gpus} are asked"
