"""What can go wrong, as a small tree of exceptions; an infeasible request is a result, not an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    Attributes
    ----------
    path : str
        Where it stands, such as ``jobs[3].pods[0].slots[1]``; empty for the whole document.
    value : str
        What was found there, shortened.
    expected : str
        What should have been there.
    """

    path: str
    value: str
    expected: str

    def __str__(self) -> str:
        """Return the one-line message."""
        parts = [f"found {self.value}"] if self.value else []
        parts.append(f"expected {self.expected}")
        return (f"{self.path}: " if self.path else "") + ", ".join(parts)


class TopreemptError(Exception):
    """Base of all errors that this project raises on purpose."""


class InstanceError(TopreemptError):
    """A file or an object that is no valid instance or plan.

    Parameters
    ----------
    problems : sequence of Problem
        All that was found, in the order of the document.
    source : str, optional
        The file's name; ``-`` for standard input.
    """

    def __init__(self, problems: Sequence[Problem], source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return one line a problem, each after the name of the file."""
        prefix = f"{self.source}: " if self.source else ""
        return "\n".join(f"{prefix}{problem}" for problem in self.problems)


class ConfigError(TopreemptError):
    """Options that contradict each other or ask for what does not exist."""


class InternalError(TopreemptError):
    """A fault of ours, such as a plan that the independent checker refutes."""
