"""Why each slot cannot serve the request, as one number a slot: the facts that all counts are made of."""

from __future__ import annotations

import numpy as np

from ...models.eligibility import binds
from ...models.reasons import ReasonCode
from ...models.units import MICRO, micro
from ..exact.decision import Decision
from ..exact.layout import Ints
from .narrow import Narrowed

CODES = tuple(ReasonCode)
FREE = -1
"""Number of a slot that can serve the request, whoever has to go for it."""

HOLDERS = frozenset(
    {
        ReasonCode.PRIORITY,
        ReasonCode.NO_PREEMPTION,
        ReasonCode.NOT_PREEMPTIBLE,
        ReasonCode.TOO_YOUNG,
        ReasonCode.PROTECTED_LABEL,
        ReasonCode.BUDGET,
        ReasonCode.MAX_VICTIMS,
        ReasonCode.SPARED,
    }
)
"""Codes of slots that somebody keeps."""


def unit_facts(decision: Decision) -> Ints:
    """Return why each unit may not be evicted.

    Parameters
    ----------
    decision : Decision
        The request.

    Returns
    -------
    ndarray of int64, shape (units,)
        Position in `CODES`; `FREE` where some plan may evict it. The first fact of `models.eligibility.protection`,
        then a unit of more pods than its hard budget or ``max_victims`` still allow.
    """
    snapshot, policy = decision.snapshot, decision.policy
    job = snapshot.unit_job
    found = np.full(len(job), FREE, dtype=np.int64)

    def mark(code: ReasonCode, where: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        found[where & (found == FREE)] = CODES.index(code)

    if isinstance(decision, Narrowed):
        mark(ReasonCode.SPARED, decision.spared_units)
    mark(ReasonCode.PRIORITY, snapshot.job_priority[job] >= decision.request.priority)
    if not decision.request.may_preempt:
        mark(ReasonCode.NO_PREEMPTION, np.ones(len(job), dtype=np.bool_))
    mark(ReasonCode.NOT_PREEMPTIBLE, ~snapshot.job_preemptible[job])
    mark(ReasonCode.TOO_YOUNG, snapshot.job_running[job] < micro(policy.min_running_seconds))
    mark(ReasonCode.PROTECTED_LABEL, ~decision.job_evictable[job])
    if policy.budgets == "hard" and decision.instance.budgets:
        most = {budget.name: budget.max_evictions for budget in decision.instance.budgets}
        beyond = np.array(
            [
                pods > most.get(snapshot.jobs[j].budget or "", pods)
                for j, pods in zip(job, snapshot.unit_pods, strict=True)
            ],
            dtype=np.bool_,
        )
        mark(ReasonCode.BUDGET, beyond)
    mark(ReasonCode.MAX_VICTIMS, ~decision.unit_evictable)
    return found


def slot_facts(decision: Decision, by_unit: Ints) -> Ints:
    """Return why each slot cannot serve the request.

    Parameters
    ----------
    decision : Decision
        The request.
    by_unit : ndarray of int64, shape (units,)
        As `unit_facts` gives them.

    Returns
    -------
    ndarray of int64, shape (slots,)
        Position in `CODES`; `FREE` where one pod of the request can use the slot. What is wrong with the node comes
        before what is wrong with the slot, and that before who holds it.
    """
    snapshot = decision.snapshot
    found = np.full(len(snapshot.online), FREE, dtype=np.int64)
    cordoned = snapshot.cordoned[snapshot.node_of_slot]
    unlabelled = ~decision.node_usable[snapshot.node_of_slot]
    reserved = np.zeros(len(found), dtype=np.bool_)
    for held in decision.instance.reservations:
        if held.slots is not None and binds(decision.instance, held):
            start = snapshot.first_slot[snapshot.node_index[held.node]]
            reserved[start + np.array(held.slots, dtype=np.int64)] = True
    for code, where in (
        (ReasonCode.CORDONED, cordoned),
        (ReasonCode.LABELS, unlabelled),
        (ReasonCode.OFFLINE, ~snapshot.online),
        (ReasonCode.RESERVED, reserved),
        (ReasonCode.MODEL, ~decision.slot_usable),
    ):
        found[where & (found == FREE)] = CODES.index(code)
    kept = by_unit[snapshot.hold_unit] != FREE
    holder = np.full(len(found), len(CODES), dtype=np.int64)
    np.minimum.at(holder, snapshot.hold_slot[kept], by_unit[snapshot.hold_unit[kept]])
    full = (decision.slot_fixed > MICRO - decision.share) & (found == FREE)
    found[full] = holder[full]
    return found
