"""A plan in another place, and how such plans are compared while they are looked for."""

from __future__ import annotations

from dataclasses import dataclass

from ..exact.cpsat.read import Solution
from ..exact.decision import Decision
from ..exact.rungs import Rungs
from ..exact.search import Key


@dataclass(frozen=True)
class Candidate:
    """The best plan of another place.

    Attributes
    ----------
    key : tuple of int
        Its objectives, as `key_of` gives them.
    solution : Solution
        The plan.
    rungs : Rungs
        The rungs that it was found on.
    label, level : str
        Name and kind of the place.
    proved : bool
        Whether it is the best one there.
    """

    key: Key
    solution: Solution
    rungs: Rungs
    label: str
    level: str
    proved: bool


def leading(decision: Decision, key: Key) -> Key:
    """Return what a plan of fewer nodes can only worsen.

    Parameters
    ----------
    decision : Decision
        For the number of tiers.
    key : tuple of int
        As `key_of` gives it.

    Returns
    -------
    tuple of int
        Violations, pods not placed, and costs.
    """
    return key[: 2 + len(decision.tiers)]


def costs_of(decision: Decision, key: Key) -> Key:
    """Return violations and costs of a key, as bounds have them.

    Parameters
    ----------
    decision : Decision
        For the number of tiers.
    key : tuple of int
        As `key_of` gives it, or as `leading` does.

    Returns
    -------
    tuple of int
        Lower is better.
    """
    return (key[0], *key[2 : 2 + len(decision.tiers)])


def cost_of(decision: Decision, costs: Key) -> float:
    """Return costs in the unit of the files.

    Parameters
    ----------
    decision : Decision
        For the step of the cost.
    costs : tuple of int
        As `costs_of` gives them.

    Returns
    -------
    float
        All tiers together.
    """
    return sum(costs[1:]) * decision.cost_step / 10**12
