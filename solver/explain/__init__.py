"""Answers that a person can argue with: what blocks a request, and why a plan is what it is."""

from .explain import Ask, explained, with_reasons
from .reasons import reasons_of

__all__ = ["Ask", "explained", "reasons_of", "with_reasons"]
