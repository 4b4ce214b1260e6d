"""How numbers of the files become the integers that all rules compare: millionths of what they count."""

from __future__ import annotations

from fractions import Fraction

MICRO = 1_000_000
EXACT_INTEGERS = float(1 << 53)
"""Below it every whole number is a float of its own."""


def micro(value: float) -> int:
    """Return a quantity in millionths, rounded to the nearest.

    Parameters
    ----------
    value : float
        A share, an amount of a resource, seconds, GPU-seconds or a price.

    Returns
    -------
    int
        ``value * 10**6``, rounded; exact for every input of up to six decimals.
    """
    if not isinstance(value, float):
        return value * MICRO
    if value.is_integer() and abs(value) < EXACT_INTEGERS:
        return int(value) * MICRO
    return round(Fraction(str(value)) * MICRO)


def from_micro(amount: int) -> float:
    """Return the quantity that ``amount`` millionths stand for.

    Parameters
    ----------
    amount : int
        Millionths.

    Returns
    -------
    float
        The nearest floating-point number.
    """
    return amount / MICRO
