"""Timestamps and durations as Kubernetes and its users write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_FRACTION: Final = re.compile(r"\.(\d{1,9})")
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)", re.ASCII)
_UNITS: Final = {
    "d": Decimal(86400),
    "h": Decimal(3600),
    "m": Decimal(60),
    "s": Decimal(1),
    "ms": Decimal("1e-3"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "ns": Decimal("1e-9"),
}


def parse_time(value: Any) -> datetime:
    """Return the moment that a timestamp names.

    Parameters
    ----------
    value : Any
        RFC 3339 with an offset, such as ``2026-03-01T12:00:00Z``; or a datetime that YAML made of one.

    Returns
    -------
    datetime
        In UTC, to the microsecond.

    Raises
    ------
    PydanticCustomError
        Anything else.
    """
    found = None
    if isinstance(value, str):
        found = _from_text(value)
    elif isinstance(value, datetime):
        found = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    elif isinstance(value, date):
        found = None
    if found is None:
        expected = "a timestamp such as 2026-03-01T12:00:00Z"
        raise PydanticCustomError("timestamp", "{expected}", {"expected": expected})
    return found


@lru_cache(maxsize=1 << 16)
def _from_text(text: str) -> datetime | None:
    if not _STAMP.fullmatch(text):
        return None
    text = _FRACTION.sub(lambda match: "." + match[1].ljust(6, "0")[:6], text)
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


Time = Annotated[datetime, BeforeValidator(parse_time)]


def seconds_of(text: str) -> float | None:
    """Return the seconds that a user wrote in an annotation.

    Parameters
    ----------
    text : str
        A number of seconds, or a duration such as ``90s``, ``1h30m``, ``2d``.

    Returns
    -------
    float or None
        To six decimals; None if the text is neither, is negative or exceeds 10**15.
    """
    text = text.strip()
    if len(text) > 40:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        total = Decimal(text)
    elif text and _PART.sub("", text) == "":
        total = sum((Decimal(number) * _UNITS[unit] for number, unit in _PART.findall(text)), Decimal(0))
    else:
        return None
    return float(round(total, 6)) if total <= 10**15 else None


def seconds_between(start: datetime, end: datetime) -> int | float:
    """Return the seconds from one moment to another; 0 if the second is earlier.

    Parameters
    ----------
    start, end : datetime
        Both with a time zone.

    Returns
    -------
    int or float
        A whole number where there is no fraction.
    """
    delta = max(0.0, (end - start).total_seconds())
    return int(delta) if delta == int(delta) else round(delta, 6)
