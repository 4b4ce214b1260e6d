"""Text in a drawing: harmless characters, widths in cells of a fixed-width font, lines of a given width."""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len

ELLIPSIS = "…"
_BREAK_AFTER = "-_/.,:;#@ "
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    r"""Return text without characters that change how the text around them is read.

    Parameters
    ----------
    text : str
        A name from a file.

    Returns
    -------
    str
        Control characters, line and paragraph ends, direction marks and lone surrogates stand as their code
        point, such as ``\u202e``; so do the spaces of a text that has nothing else.
    """
    if text.isspace():
        return "".join(_code(character) for character in text)
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in _BIDI or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return _code(character)
    return character


def _code(character: str) -> str:
    return f"\\u{ord(character):04x}"


def cells(text: str) -> int:
    """Return the width of text in cells of a fixed-width font.

    Parameters
    ----------
    text : str
        One line.

    Returns
    -------
    int
        Wide characters count two.
    """
    return cell_len(text)


def wrapped(text: str, columns: int, most: int) -> tuple[str, ...]:
    """Return text as lines; what does not fit loses its middle, because names differ at their ends.

    Parameters
    ----------
    text : str
        One line of text.
    columns : int
        Cells a line, at least 4.
    most : int
        Lines, at least 1.

    Returns
    -------
    tuple of str
        No line wider than `columns`, none empty; broken after separators where there are any.
    """
    lines: list[str] = []
    rest = text.strip()
    while rest:
        head = _head(rest, columns)
        lines.append(head.rstrip())
        rest = rest[len(head) :].lstrip()
    if len(lines) <= most:
        return tuple(lines)
    return (*lines[: most - 1], _tailed(lines[most - 1] if most == 1 else "", text, columns))


def _head(text: str, columns: int) -> str:
    fitting = _fitting(text, columns)
    if len(fitting) == len(text):
        return text
    breaks = [place + 1 for place, character in enumerate(fitting) if character in _BREAK_AFTER]
    good = [place for place in breaks if place > len(fitting) // 3]
    return fitting[: good[-1]] if good else fitting


def _fitting(text: str, columns: int) -> str:
    used = 0
    for place, character in enumerate(text):
        used += cells(character)
        if used > columns:
            return text[: max(1, place)]
    return text


def _tailed(start: str, text: str, columns: int) -> str:
    head = _fitting(start, (columns - 1) // 2) if start else ""
    room = columns - cells(head) - 1
    tail = _fitting(text[::-1], room)[::-1]
    return f"{head}{ELLIPSIS}{tail}"
