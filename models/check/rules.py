"""The closed list of rules that a plan can break, and how a broken one is reported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """What a plan has to keep; each member's value is the name that reports show."""

    REQUEST_NAME = "request-name"
    STATUS = "status"
    BOUND = "bound"
    GAP = "gap"
    VICTIM_NAMES = "victim-names"
    PROTECTED_JOB = "protected-job"
    WHOLE_JOB = "whole-job"
    HARD_BUDGET = "hard-budget"
    MAX_VICTIMS = "max-victims"
    VICTIM_NUMBERS = "victim-numbers"
    EVICTED_PODS = "evicted-pods"
    LOST_WORK = "lost-work"
    WEIGHTED_WORK = "weighted-work"
    BUDGET_VIOLATIONS = "budget-violations"
    TIERS = "tiers"
    NOTHING_CLAIMED = "nothing-claimed"
    PLACEMENT_NAMES = "placement-names"
    PLACED_PODS = "placed-pods"
    SLOT_COUNT = "slot-count"
    CORDONED_NODE = "cordoned-node"
    NODE_LABELS = "node-labels"
    OFFLINE_SLOT = "offline-slot"
    GPU_MODEL = "gpu-model"
    SLOT_ROOM = "slot-room"
    NODE_RESOURCES = "node-resources"
    NODE_PODS = "node-pods"
    NUMA_WIDTH = "numa-width"
    NUMA_ROOM = "numa-room"
    CERTAIN_SLOTS = "certain-slots"
    CERTAIN_ROOM = "certain-room"
    RUNG = "rung"
    ONE_RUNG = "one-rung"
    POD_ISLAND = "pod-island"
    ISLAND_NAME = "island-name"
    SLICE_DOMAIN = "slice-domain"
    GANG_DOMAIN = "gang-domain"
    GRANTED = "granted"
    PRICE = "price"
    RESERVED_SLOT = "reserved-slot"
    RESERVED_ROOM = "reserved-room"
    DISPLACES = "displaces"
    DISPLACED_RESERVATIONS = "displaced-reservations"
    WAITS_FOR = "waits-for"
    WAITS_SECONDS = "waits-seconds"
    BROKEN_ISLANDS = "broken-islands"


@dataclass(frozen=True)
class Violation:
    """One rule that a plan breaks.

    Attributes
    ----------
    rule : Rule
        Which one.
    text : str
        Where and by how much, in one sentence.
    """

    rule: Rule
    text: str

    def __str__(self) -> str:
        """Return the rule and the sentence."""
        return f"{self.rule}: {self.text}"
