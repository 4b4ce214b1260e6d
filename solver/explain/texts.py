"""The one table of texts: what each reason code says about a place, with its numbers filled in."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.explanation import ChangeCode, VictimCode
from ...models.plan import Plan
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
    ReasonCode.SPARED: "held by jobs that stay: {names}",
    ReasonCode.MAX_VICTIMS: "held by jobs of more than {max_victims} pods, the most that may be evicted: {names}",
}
"""After "6 of 8 slots are"."""

PLACE_TEXTS: dict[ReasonCode, str] = {
    ReasonCode.TOO_SMALL: "{slots}, a pod needs {needed}",
    ReasonCode.NO_ISLAND: "{free} of {slots} can be free, but no {needed} of them are a {kind}",
    ReasonCode.RESOURCE: "{asked} {resource} asked, at most {most} of {capacity} can be free",
    ReasonCode.ALIGNMENT: "the kubelet there can never admit such a pod: no NUMA nodes match all it asks for",
    ReasonCode.UNKNOWN_PLACEMENT: "pods that stay hold GPUs nobody knows which; {needed} free slots are not certain",
    ReasonCode.TOGETHER: "counts leave room, the rules together do not",
    ReasonCode.SOFT_BUDGET: "only with more than {violations} evictions beyond the budgets",
    ReasonCode.FEWER_PODS: "only with fewer than {placed} pods placed",
    ReasonCode.MAX_VICTIMS: "at least {evictions} must go, max_victims allows {max_victims}",
    ReasonCode.BUDGET: "at least {evictions} of budget {budget} must go, it allows {allowed}",
}
"""For a single pod."""

REGION_TEXTS: dict[ReasonCode, str] = {
    **PLACE_TEXTS,
    ReasonCode.TOO_SMALL: "room for {empty} of {pods} pods even if nobody ran there",
    ReasonCode.TOO_FEW_PODS: "at most {seats} of {pods} pods fit, {short} too few",
    ReasonCode.RESOURCE: "{resource}: too few on {count} of {nodes} nodes for all pods that would fit otherwise",
    ReasonCode.ALIGNMENT: "on {count} of {nodes} nodes the kubelet admits no such pod, or one only",
    ReasonCode.UNKNOWN_PLACEMENT: "on {count} of {nodes} nodes pods that stay hold GPUs nobody knows which",
}
"""For a gang, or for a request without GPUs."""

ISLAND_TOO_SMALL = "no {kind} there has the {needed} slots that a pod needs"
"""For a gang in whose region not even one pod would fit."""

NAMES_SHOWN = 3


def listed(names: Sequence[str], most: int = NAMES_SHOWN, of: int | None = None) -> str:
    """Return names in a row, the surplus as a number.

    Parameters
    ----------
    names : sequence of str
        In the order wanted.
    most : int
        So many are spelled out.
    of : int, optional
        How many there are in all; default as many as are given.

    Returns
    -------
    str
        Such as ``a, b, c and 4 more``.
    """
    more = (len(names) if of is None else of) - min(most, len(names))
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
    ReasonCode.BUDGET: "budget {name} allows {allowed}",
    ReasonCode.MAX_VICTIMS: "at most {most_victims} may go",
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
NO_RULE_TEXT = "too small whatever the rules: {slots}, for {pods} of {gpus}"

CHANGE_TEXTS: dict[ChangeCode, str] = {
    ChangeCode.PRIORITY: "with priority {new} instead of {old}",
    ChangeCode.MAY_PREEMPT: "if it may preempt",
    ChangeCode.POD_RUNG: "with pod rung {new} instead of {old}",
    ChangeCode.SLICE_RUNG: "with slice rung {new} instead of {old}",
    ChangeCode.GANG_RUNG: "with gang rung {new} instead of {old}",
    ChangeCode.RESOURCE: "with {new} {name} a pod instead of {old}",
    ChangeCode.PODS: "with {new} instead of {old}",
    ChangeCode.GPUS: "with {new} a pod instead of {old}",
    ChangeCode.GPU_MODELS: "with GPU model {new} instead of {old}",
    ChangeCode.NODE_LABELS: "on nodes without {dropped}",
    ChangeCode.BUDGET: "with {more} more allowed by budget {name} ({new} instead of {old})",
    ChangeCode.MAX_VICTIMS: "with max_victims {new} instead of {old}",
    ChangeCode.MIN_RUNNING: "if jobs may go after {new} s instead of {old} s",
    ChangeCode.PROTECTED_LABELS: "if jobs labelled {dropped} may go",
    ChangeCode.PREEMPTIBLE: "if {names} may go",
    ChangeCode.CORDON: "with {names} uncordoned",
    ChangeCode.OFFLINE: "with these slots online again: {names}",
    ChangeCode.RESERVATION: "if the reservations of {names} had a priority below {priority}",
    ChangeCode.TOGETHER: "{parts}",
}
"""The changes that would help."""

CHANGE_COST = "{change}; the cheapest plan then costs {cost} and evicts {pods}"

VICTIM_TEXTS: dict[VictimCode, str] = {
    VictimCode.SLOTS: "without it island {island} is {slots} short",
    VictimCode.RESOURCE: "without it node {node} is {amount} {resource} short",
    VictimCode.NEEDED: "without it the other victims do not make room for {pods}",
    VictimCode.ONLY_WAY: "no plan spares it",
    VictimCode.LOOSER_RUNG: "every plan that spares it gives only {new} instead of {old}; the cheapest costs {cost}",
    VictimCode.VIOLATES: "every plan that spares it evicts {new} beyond soft budgets instead of {old}",
    VictimCode.FEWER_PODS: "every plan that spares it places at most {new} instead of {old}",
    VictimCode.COSTS_MORE: "the cheapest plan that spares it costs {cost} instead of {least}",
    VictimCode.MORE_EVICTIONS: "the cheapest plan that spares it costs as much, but evicts {new} instead of {old}",
    VictimCode.TIE: "a plan that spares it costs as much ({cost}); reservations, whole islands and names decide",
    VictimCode.BETTER_WITHOUT: "there is a better plan that spares it, for {cost} instead of {least}",
    VictimCode.UNCHECKED: "what a plan that spares it costs was not found out in time",
    VictimCode.NEEDLESS: "it need not go: {request} starts without its eviction",
}
"""Why a victim goes."""


def counted(number: int, thing: str) -> str:
    """Return a number with its noun.

    Parameters
    ----------
    number : int
        How many.
    thing : str
        The noun in the singular.

    Returns
    -------
    str
        Such as ``1 slot`` or ``2 slots``.
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def rungs_named(plan: Plan) -> str:
    """Return the rungs that a plan grants.

    Parameters
    ----------
    plan : Plan
        With placements.

    Returns
    -------
    str
        Such as ``pod numa, gang rack``.
    """
    return ", ".join(f"{scope} {rung.granted}" for scope, rung in plan.affinity.items() if rung.granted)


REVIEW_TEXTS: dict[str, str] = {
    "starts": "{request} starts once these pods are gone (proved)",
    "does-not-start": "{request} does not start once these pods are gone (proved)",
    "not-settled": "whether {request} starts once these pods are gone was not found out in time",
    "broken": "it breaks the rule {rule}: {text}",
    "needless": "{pods} of {of} need not go (proved): {jobs}; {lost} GPU-s lost in vain, cost {cost}",
    "all-needed": "none of its victims can be left out",
    "dearer": "it costs {cost}; the cheapest plan costs {least}, {excess} less",
    "cheapest": "it costs {cost}; no plan costs less",
    "least": "the cheapest plan that lets it start costs {least} and evicts {pods}",
    "none-permitted": "no permitted eviction lets the request start",
    "other-terms": "it costs {cost}; the best plan costs {least}, on other rungs or other terms",
    "rightly-none": "there is no plan: no permitted eviction lets the request start",
    "missed": "there is a plan for {least} that evicts {pods}",
}
"""The findings of a review."""
