"""How a plan's floating-point numbers are compared with what the rules count in integers."""

from __future__ import annotations

from fractions import Fraction

from ..units import MICRO
from .state import State

RELATIVE = 1e-12


def is_close(stated: float, expected: float, absolute: float) -> bool:
    """Return whether a stated number is the expected one.

    Parameters
    ----------
    stated : float
        What the plan says; NaN is never close.
    expected : float
        What the rules give.
    absolute : float
        The error that is allowed besides a relative one of `RELATIVE`.

    Returns
    -------
    bool
        ``|stated - expected| <= absolute + RELATIVE * |expected|``.
    """
    return abs(stated - expected) <= absolute + RELATIVE * abs(expected)


def slack(state: State) -> float:
    """Return the absolute error allowed for a sum over all evicted pods.

    Parameters
    ----------
    state : State
        The plan.

    Returns
    -------
    float
        A millionth, and half of one a pod: a plan may round the term of every pod to millionths.
    """
    return slack_of(state.evicted_pods)


def slack_of(pods: int) -> float:
    """Return the absolute error allowed for a sum over some evicted pods.

    Parameters
    ----------
    pods : int
        How many.

    Returns
    -------
    float
        As for `slack`.
    """
    return (1 + pods / 2) / MICRO


def number(millionths: int | Fraction) -> float:
    """Return an exact amount of millionths as the nearest floating-point number.

    Parameters
    ----------
    millionths : int or Fraction
        The amount.

    Returns
    -------
    float
        ``millionths / 10**6``.
    """
    return float(Fraction(millionths) / MICRO)
