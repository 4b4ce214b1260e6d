"""How devices, zones and addresses are called, in one spelling whoever named them."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_BUS: Final = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")


def json_of(text: str) -> Any:
    """Return what an annotation's JSON says.

    Parameters
    ----------
    text : str
        The annotation.

    Returns
    -------
    Any
        Its data; None if it is no JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def device_id(driver: str, pool: str, device: str) -> str:
    """Return the full name of a device of a slice.

    Parameters
    ----------
    driver, pool, device : str
        As slices and claims have them.

    Returns
    -------
    str
        ``driver/pool/device``.
    """
    return f"{driver}/{pool}/{device}"


def bus_id(text: str) -> str:
    """Return a PCI address in one spelling, whatever tool printed it.

    Parameters
    ----------
    text : str
        Such as ``00000000:1B:00.0``.

    Returns
    -------
    str
        Such as ``0000:1b:00.0``; a text of another form as it is.
    """
    match = _BUS.fullmatch(text.strip().lower())
    return f"{int(match[1] or '0', 16):04x}:{match[2]}" if match else text


def numa_name(number: str) -> str:
    """Return the name of the domain of a NUMA node, the one that our readers of machines use as well.

    Parameters
    ----------
    number : str
        ``3``, or a zone's name such as ``node-3``.

    Returns
    -------
    str
        ``n3``; a text without a number at its end as it is.
    """
    found = trailing_number(number)
    return number if found is None else f"n{found}"


def trailing_number(text: str) -> int | None:
    """Return the number at the end of a name.

    Parameters
    ----------
    text : str
        Such as ``gpu-12``.

    Returns
    -------
    int or None
        None if there is none.
    """
    match = re.search(r"([0-9]{1,9})$", text)
    return int(match[1]) if match else None


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts ``gpu-2`` before ``gpu-10``.

    Parameters
    ----------
    text : str
        A name.

    Returns
    -------
    tuple
        Comparable with those of other names.
    """
    parts = re.split(r"([0-9]+)", text)
    return tuple(
        (0, int(part[:18]), part) if part[:1].isdecimal() and part.isascii() else (1, 0, part) for part in parts
    )
