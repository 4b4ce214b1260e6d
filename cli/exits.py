"""How a command ends: the exit statuses, and every error as a few clear lines on standard error."""

from __future__ import annotations

import traceback
from enum import IntEnum
from typing import Any, Final

import typer
from typer.core import TyperGroup

from ..models.errors import InternalError, TopreemptError
from ..models.plan import Status
from .terminal import note

MAX_LINES: Final = 20


class Exit(IntEnum):
    """Exit statuses of every command."""

    DONE = 0
    FAULT = 1
    BAD_INPUT = 2
    REFUTED = 3
    NO_ANSWER = 4
    INTERRUPTED = 130


STATUS_EXIT: Final[dict[Status, Exit]] = {
    "optimal": Exit.DONE,
    "feasible": Exit.DONE,
    "infeasible": Exit.REFUTED,
    "unknown": Exit.NO_ANSWER,
}

# Typer carries its own copy of click from some version on; the base of its usage errors is the same in all.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[2]


class GuardedGroup(TyperGroup):
    """The root command: no exception leaves it as a traceback unless ``--debug`` asks for one."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command and turn what it raises into a message and an exit status."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, _USAGE_ERROR):
            raise
        except BaseException as error:
            if ctx.params.get("debug"):
                traceback.print_exc()
            status = report(error)
            if status is None:
                raise
            raise typer.Exit(status) from None


def report(error: BaseException) -> Exit | None:
    """Say on standard error what went wrong.

    Parameters
    ----------
    error : BaseException
        What a command raised.

    Returns
    -------
    Exit or None
        The exit status; None for what is no error, such as ``SystemExit``.
    """
    match error:
        case InternalError():
            complain(f"internal error: {error}", "This is a fault of topreempt, not of the input.")
            return Exit.FAULT
        case TopreemptError():
            complain(*str(error).splitlines())
            return Exit.BAD_INPUT
        case KeyboardInterrupt():
            return Exit.INTERRUPTED
        case OSError():
            complain(f"{error.filename or 'input or output'}: {error.strerror or error}")
            return Exit.BAD_INPUT
        case Exception():
            complain(f"internal error: {type(error).__name__}: {error}", "Run again with --debug for the traceback.")
            return Exit.FAULT
        case _:
            return None


def complain(*lines: str) -> None:
    """Write lines to standard error, at most `MAX_LINES` of them.

    Parameters
    ----------
    *lines : str
        One problem each.
    """
    note(*lines if len(lines) <= MAX_LINES else (*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES} more"))
