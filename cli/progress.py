"""A progress bar on standard error, only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def with_progress(items: Iterable[T], what: str, total: int, done: int = 0) -> Iterator[T]:
    """Pass items on and show how many have come.

    Parameters
    ----------
    items : iterable
        What comes one by one.
    what : str
        What they are, in the plural.
    total : int
        How many there will be in the end.
    done : int
        How many were there before.

    Yields
    ------
    T
        The items.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)
        for item in items:
            bar.advance(task)
            yield item
