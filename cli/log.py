"""What ``-v`` shows on standard error: a line per phase; with ``-vv`` the solver's own log too."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from .terminal import note

Verbosity = Annotated[
    int,
    typer.Option("--verbose", "-v", count=True, help="A line per phase on standard error; -vv: the solver's log too."),
]

ROOT = __name__.split(".", maxsplit=1)[0]


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(self.format(record))


def show_log(verbosity: int) -> None:
    """Send the package's log to standard error.

    Parameters
    ----------
    verbosity : int
        0: nothing; 1: a line per phase; 2 or more: all of it.
    """
    logger = logging.getLogger(ROOT)
    logger.setLevel((logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)])
    if verbosity and not any(isinstance(handler, _Notes) for handler in logger.handlers):
        logger.addHandler(_Notes())
        logger.propagate = False
