"""Answers that a person can argue with: what blocks a request, and why a plan is what it is."""

from .explain import Ask, explained, with_reasons
from .reasons import reasons_of
from .review import review_plan
from .whatif import only_nodes, sparing

__all__ = ["Ask", "explained", "only_nodes", "reasons_of", "review_plan", "sparing", "with_reasons"]
