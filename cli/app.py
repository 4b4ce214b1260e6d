"""The command line: the list of commands, one file each."""

from __future__ import annotations

from typing import Annotated

import typer

from . import bench, compare, explain, generate, importing, machines, schema, show, solve, verify
from .exits import GuardedGroup

app = typer.Typer(
    name="topreempt",
    cls=GuardedGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done; 1 a fault of ours; 2 bad usage or input; 3 infeasible or refuted; 4 out of time.",
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from .terminal import emit

        emit(f"topreempt {version('topreempt')}\n")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Choose which pods to evict so that a request gets its GPUs together, at the least work lost, with proof."""


for name, command in (
    ("solve", solve),
    ("verify", verify),
    ("explain", explain),
    ("show", show),
    ("machines", machines),
    ("schema", schema),
    ("generate", generate),
    ("compare", compare),
    ("bench", bench),
):
    app.command(name, epilog=f"Example: {command.EXAMPLE}")(command.run)
app.add_typer(importing.app, name="import")


def main() -> None:
    """Run the command line."""
    app()
