"""Single values of Slurm's text: whole numbers, states, durations and times."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..plain_text import refusal

NULL = frozenset({"", "(null)", "N/A", "n/a", "None", "NONE", "Unknown", "UNLIMITED", "INVALID"})
_DURATION = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})")
_MARKS = {
    "*": "NOT_RESPONDING",
    "~": "POWERED_DOWN",
    "#": "POWERING_UP",
    "!": "POWER_DOWN",
    "%": "POWERING_DOWN",
    "$": "MAINT",
    "@": "REBOOT_REQUESTED",
    "^": "REBOOT_ISSUED",
    "-": "PLANNED",
}


def whole(text: str, *, source: str, where: str) -> int | None:
    """Return a whole number; None for Slurm's words for nothing.

    Parameters
    ----------
    text : str
        As printed.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    int or None
        The number.

    Raises
    ------
    InstanceError
        Something else.
    """
    if text in NULL:
        return None
    if not re.fullmatch(r"-?\d{1,15}", text):
        raise refusal(source, where, repr(text[:40]), "a whole number")
    return int(text)


def state_words(text: str) -> frozenset[str]:
    """Return the words of a state such as ``IDLE+DRAIN`` or ``down*``, in capitals.

    Parameters
    ----------
    text : str
        As printed; the marks that may follow a word become words.

    Returns
    -------
    frozenset of str
        Without empty words.
    """
    words: set[str] = set()
    for part in re.split(r"[+,\s]+", text.strip()):
        while part and part[-1] in _MARKS:
            words.add(_MARKS[part[-1]])
            part = part[:-1]
        if part:
            words.add(part.upper())
    return frozenset(words)


def duration(text: str, *, source: str, where: str) -> int | None:
    """Return seconds of ``[days-][hours:]minutes:seconds``; None for Slurm's words for nothing.

    Parameters
    ----------
    text : str
        As printed.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    int or None
        Seconds.

    Raises
    ------
    InstanceError
        Something else.
    """
    if text in NULL:
        return None
    match = _DURATION.fullmatch(text)
    if match is None:
        raise refusal(source, where, repr(text[:40]), "a time such as 1-02:03:04")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def clock_time(text: str, *, source: str, where: str) -> int | None:
    """Return seconds since 1970 of ``2025-06-15T12:00:00``; None for Slurm's words for nothing.

    Parameters
    ----------
    text : str
        As printed. The cluster's time zone is not told: only differences of two such times mean something.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    int or None
        Seconds.

    Raises
    ------
    InstanceError
        Something else.
    """
    if text in NULL:
        return None
    try:
        return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise refusal(source, where, repr(text[:40]), "a time such as 2025-06-15T12:00:00") from None
