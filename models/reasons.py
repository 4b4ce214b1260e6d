"""The closed list of facts that can block a request; docs/reasons.md shows each with an example."""

from __future__ import annotations

from enum import StrEnum

from .eligibility import Protection, Unusable


class ReasonCode(StrEnum):
    """What blocks a request, or a tighter rung of its ladder; each value is the code that plans carry."""

    CORDONED = Unusable.CORDONED
    LABELS = Unusable.LABELS
    OFFLINE = Unusable.OFFLINE
    RESERVED = Unusable.RESERVED
    MODEL = Unusable.MODEL
    PRIORITY = Protection.PRIORITY
    NO_PREEMPTION = Protection.NO_PREEMPTION
    NOT_PREEMPTIBLE = Protection.NOT_PREEMPTIBLE
    TOO_YOUNG = Protection.TOO_YOUNG
    PROTECTED_LABEL = Protection.LABEL
    BUDGET = "budget-spent"
    MAX_VICTIMS = "max-victims"
    SPARED = "spared"
    TOO_SMALL = "too-small"
    NO_ISLAND = "no-island"
    RESOURCE = "resource-short"
    ALIGNMENT = "numa-alignment"
    UNKNOWN_PLACEMENT = "unknown-placement"
    TOO_FEW_PODS = "too-few-pods"
    SOFT_BUDGET = "soft-budget"
    FEWER_PODS = "fewer-pods"
    TOGETHER = "rules-together"
    WHOLE_JOBS = "jobs-go-whole"
    POD_ISLAND = "pod-island"
    SLICE_ISLAND = "slice-island"
    GANG_ISLAND = "gang-island"
    GAVE_UP = "gave-up"
    REFUSED = "refused-after-eviction"
