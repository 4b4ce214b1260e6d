"""What commands write: results to standard output in its own encoding and width, notes to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 80


def encodable(text: str, stream: TextIO) -> str:
    """Return text with every character escaped that a stream cannot carry.

    Parameters
    ----------
    text : str
        What shall be written.
    stream : TextIO
        Where.

    Returns
    -------
    str
        The same text where the stream speaks Unicode.
    """
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def emit(text: str) -> None:
    """Write a result to standard output; a reader that has gone (``| head``) is no error.

    Parameters
    ----------
    text : str
        The result, with its line ends.
    """
    try:
        sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(*lines: str) -> None:
    """Write lines to standard error.

    Parameters
    ----------
    *lines : str
        Messages.
    """
    sys.stderr.write("".join(encodable(line, sys.stderr) + "\n" for line in lines))


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show on standard error that work goes on, where that is a terminal.

    Parameters
    ----------
    text : str
        What is being done.

    Yields
    ------
    None
        While it is done.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True, markup=False).status(text):
        yield


def emit_json(data: Any) -> None:
    """Write plain data to standard output as indented JSON.

    Parameters
    ----------
    data : Any
        Dicts, lists and scalars.
    """
    emit(json.dumps(data, indent=2, ensure_ascii=not speaks_unicode(), allow_nan=False) + "\n")


def speaks_unicode() -> bool:
    """Return whether standard output can carry line-drawing characters."""
    return (sys.stdout.encoding or "ascii").lower().replace("-", "").startswith("utf")


def page_width() -> int:
    """Return the columns of a page: the terminal's, or `WIDTH` where the output is piped."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH


def emit_rich(*parts: RenderableType) -> None:
    """Render tables and texts for standard output: colour only on a terminal, 80 columns where it is piped.

    Parameters
    ----------
    *parts : RenderableType
        Printed one below the other.
    """
    from rich.console import Console

    terminal = sys.stdout.isatty()
    page = Console(
        file=StringIO(),
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        width=page_width(),
        markup=False,
        highlight=False,
        emoji=False,
    )
    with page.capture() as capture:
        for part in parts:
            page.print(part)
    emit("\n".join(line.rstrip() for line in capture.get().split("\n")))
