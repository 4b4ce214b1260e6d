"""Answers that a person can argue with: what blocks a request, and why a plan is what it is."""

from .reasons import reasons_of

__all__ = ["reasons_of"]
