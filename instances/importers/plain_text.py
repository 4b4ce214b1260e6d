"""A tool's output as plain lines: encodings, terminal codes and line ends as people really paste them."""

from __future__ import annotations

import re
from pathlib import Path

from ...models import InstanceError, Problem

MAX_BYTES = 1 << 26

# Some programs drop the escape character of a terminal code and keep the rest.
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\[(?:\d{1,3}(?:;\d{1,3})*)?m")


def read_text(path: str | Path) -> str:
    """Return a file's text (``-``: standard input).

    Parameters
    ----------
    path : str or Path
        UTF-8 or, with a byte order mark, UTF-16 text.

    Returns
    -------
    str
        The text without byte order mark.

    Raises
    ------
    InstanceError
        The file cannot be read, is empty, too large or no text.
    """
    import sys

    source = str(path)
    try:
        if source == "-":
            raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InstanceError([Problem("", "", f"a readable file ({reason})")], source=source) from None
    return decoded(raw, source=source)


def decoded(raw: bytes, *, source: str) -> str:
    """Return bytes as text.

    Parameters
    ----------
    raw : bytes
        A file's content.
    source : str
        The file's name, for messages.

    Returns
    -------
    str
        The text without byte order mark.

    Raises
    ------
    InstanceError
        See `read_text`.
    """
    if len(raw) > MAX_BYTES:
        raise InstanceError([Problem("", "", f"at most {MAX_BYTES} bytes")], source=source)
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} at offset {error.start}" if error.start < len(raw) else ""
        raise InstanceError([Problem("", found, f"{encoding[:5].rstrip('-').upper()} text")], source=source) from None
    if not text.strip():
        raise InstanceError([Problem("", "empty input", "the output of a tool")], source=source)
    if "\0" in text:
        where = f"a NUL character at offset {text.index(chr(0))}"
        raise InstanceError([Problem("", where, "text")], source=source)
    return text


def plain_lines(text: str) -> list[str]:
    """Return the lines of a terminal's output without its codes.

    Parameters
    ----------
    text : str
        With any line ends.

    Returns
    -------
    list of str
        Line n of the file is entry n - 1; trailing blanks are gone.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_CODES.sub("", line).rstrip() for line in lines]


def beginning(text: str) -> str:
    """Return the first words of a text, as a message quotes them.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Its first lines that are not blank, at most 200 characters.
    """
    words = " ".join(" ".join(plain_lines(text)).split())
    return repr(words if len(words) <= 200 else words[:197] + "...")


def refusal(source: str, path: str, value: str, expected: str) -> InstanceError:
    """Return the error for one thing that is wrong.

    Parameters
    ----------
    source : str
        The file's name.
    path : str
        Where: a line, a cell, an element.
    value : str
        What was found.
    expected : str
        What should have been there.

    Returns
    -------
    InstanceError
        To be raised.
    """
    return InstanceError([Problem(path, value, expected)], source=source)
