"""Lists of numbers as tools print them: ``0-3,8,10-11``."""

from __future__ import annotations

import re

from .plain_text import refusal

_PART = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def numbers(text: str, *, source: str, where: str) -> tuple[int, ...]:
    """Return the numbers of a list with ranges.

    Parameters
    ----------
    text : str
        Such as ``0-3,8``.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    tuple of int
        In increasing order, each once.

    Raises
    ------
    InstanceError
        No such list, or a range that runs backwards.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        low = int(match[1]) if match else 1
        high = int(match[2] or match[1]) if match else 0
        if high < low:
            raise refusal(source, where, repr(text), "a list of numbers such as 0-3,8")
        found.update(range(low, high + 1))
    return tuple(sorted(found))
