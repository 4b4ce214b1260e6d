"""Kubernetes quantities, exactly: every spelling that the API accepts, and the units our files use."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

SPELLING: Final = re.compile(
    r"(?P<number>\+?(?:\d+(?:\.\d*)?|\.\d+))(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?\d{1,4}))?",
    re.ASCII,
)
SUFFIXES: Final = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "k": Decimal(10**3),
    **{letter: Decimal(10 ** (3 * power)) for power, letter in enumerate("MGTPE", start=2)},
    **{f"{letter}i": Decimal(1 << (10 * power)) for power, letter in enumerate("KMGTPE", start=1)},
}
MOST: Final = Decimal(2**63 - 1)
GIB: Final = Decimal(1 << 30)
MILLI: Final = Decimal("0.001")
MICRO: Final = Decimal("0.000001")
EXACT: Final = Context(prec=200)

BYTE_RESOURCES: Final = ("memory", "ephemeral-storage")
HUGE_PAGES: Final = "hugepages-"


@lru_cache(maxsize=1 << 16)
def _from_text(text: str) -> Decimal | None:
    if len(text) > 100:
        return None
    match = SPELLING.fullmatch(text)
    if match is None:
        return None
    value = EXACT.multiply(Decimal(match["number"]), SUFFIXES.get(match["suffix"] or "", Decimal(1)))
    if match["exponent"]:
        value = EXACT.scaleb(value, int(match["exponent"]))
    return value if value <= MOST else None


def parse_quantity(value: Any) -> Decimal:
    """Return what a quantity stands for, exactly.

    Parameters
    ----------
    value : Any
        A string such as ``500m``, ``4Gi``, ``1e3``, ``0.5``; or a bare number, as YAML authors write them.

    Returns
    -------
    Decimal
        The amount in the resource's own unit: cores, bytes or pieces.

    Raises
    ------
    PydanticCustomError
        Not a quantity, negative, or more than 2**63 - 1 (the API's own limit).
    """
    found = None
    if isinstance(value, Decimal):
        found = value
    elif isinstance(value, str):
        found = _from_text(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = _from_text(str(value))
    if found is None:
        expected = "a quantity of Kubernetes from 0 to 2^63-1, such as 2, 500m, 1.5, 4Gi, 128974848 or 1e3"
        raise PydanticCustomError("quantity", "{expected}", {"expected": expected})
    return found


Quantity = Annotated[Decimal, BeforeValidator(parse_quantity)]


def rounded(resource: str, amount: Decimal) -> Decimal:
    """Return an amount as the scheduler counts it: cores in thousandths, all else in whole units, rounded up.

    Parameters
    ----------
    resource : str
        The resource's name.
    amount : Decimal
        Cores, bytes or pieces.

    Returns
    -------
    Decimal
        The next multiple of 0.001 for ``cpu``, of 1 for every other resource.
    """
    step = MILLI if resource == "cpu" else Decimal(1)
    return amount.quantize(step, rounding=ROUND_CEILING, context=EXACT)


@lru_cache(maxsize=1 << 12)
def our_name(resource: str) -> str:
    """Return the name of a resource in our files, which says its unit.

    Parameters
    ----------
    resource : str
        Such as ``cpu``, ``memory``, ``hugepages-1Gi``, ``rdma/hca``.

    Returns
    -------
    str
        ``cpus``, ``memory_gib``, ``hugepages-1Gi_gib``; a resource that is counted in pieces keeps its name.
    """
    if resource == "cpu":
        return "cpus"
    return f"{resource}_gib" if _is_bytes(resource) else resource


@lru_cache(maxsize=1 << 16)
def our_amount(resource: str, amount: Decimal) -> int | float:
    """Return an amount in the unit of our files.

    Parameters
    ----------
    resource : str
        The resource's Kubernetes name.
    amount : Decimal
        Cores, bytes or pieces.

    Returns
    -------
    int or float
        Cores, GiB or pieces, to six decimals (for memory half a millionth of a GiB is 537 bytes).
    """
    number = rounded(resource, amount)
    if _is_bytes(resource):
        number = EXACT.divide(number, GIB)
    number = number.quantize(MICRO, context=EXACT)
    return int(number) if number == number.to_integral_value() else float(number)


def whole(amount: Decimal) -> int | None:
    """Return an amount as an integer.

    Parameters
    ----------
    amount : Decimal
        Pieces.

    Returns
    -------
    int or None
        None if it is no whole number.
    """
    return int(amount) if amount == amount.to_integral_value() else None


def count_in(text: str, least: int, most: int) -> int | None:
    """Return the whole number that a label or annotation spells.

    Parameters
    ----------
    text : str
        Decimal digits.
    least, most : int
        The range.

    Returns
    -------
    int or None
        None if the text is anything else, or out of range.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= 12):
        return None
    return int(text) if least <= int(text) <= most else None


def _is_bytes(resource: str) -> bool:
    return resource in BYTE_RESOURCES or resource.startswith(HUGE_PAGES)
