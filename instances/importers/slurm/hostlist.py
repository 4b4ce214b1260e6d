"""Slurm's lists of names: ``gn[01-04,7],login1``, with several brackets in one name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ..plain_text import refusal

MOST = 200_000
_NAME = re.compile(r"(?:[^\[\],\s]|\[[^\[\]]*\])+")
_RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")


def expand(text: str, *, source: str, where: str) -> tuple[str, ...]:
    """Return all names of a list in its order.

    Parameters
    ----------
    text : str
        Names with ranges in brackets, which keep their leading zeros.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    tuple of str
        Each name once.

    Raises
    ------
    InstanceError
        No such list, a range that runs backwards, or more names than any cluster has.
    """
    names: dict[str, None] = {}
    for part in _split(text.strip(), source, where):
        pieces = re.split(r"\[([^\[\]]*)\]", part)
        choices = [
            [piece] if place % 2 == 0 else list(_range(piece, text, source, where))
            for place, piece in enumerate(pieces)
        ]
        size = 1
        for choice in choices:
            size *= len(choice)
        if size + len(names) > MOST:
            raise refusal(source, where, repr(text[:60]), f"at most {MOST} names")
        names |= dict.fromkeys("".join(letters) for letters in product(*choices))
    return tuple(names)


def _split(text: str, source: str, where: str) -> list[str]:
    parts: list[str] = []
    position = 0
    while position < len(text):
        match = _NAME.match(text, position)
        if match is None:
            raise refusal(source, where, repr(text[:60]), "a list of names such as gn[01-04]")
        parts.append(match.group())
        position = match.end()
        if position < len(text) and text[position] != ",":
            raise refusal(source, where, repr(text[:60]), "a list of names such as gn[01-04]")
        position += 1
    return parts


def _range(inside: str, text: str, source: str, where: str) -> Iterator[str]:
    for part in inside.split(","):
        match = _RANGE.fullmatch(part)
        low = int(match[1]) if match else 1
        high = int(match[2] or match[1]) if match else 0
        if match is None or high < low or high - low >= MOST:
            raise refusal(source, where, repr(text[:60]), "ranges of numbers such as [01-04,7]")
        width = len(match[1])
        yield from (f"{number:0{width}d}" for number in range(low, high + 1))
