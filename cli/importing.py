"""``topreempt import``: the list of sources, one file each."""

from __future__ import annotations

import typer

from . import import_kubernetes, import_openb, import_slurm, import_topology

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Turn the state of real tools into an instance.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

for name, source in (
    ("topology", import_topology),
    ("kubernetes", import_kubernetes),
    ("slurm", import_slurm),
    ("openb", import_openb),
):
    app.command(name, epilog=f"Example: {source.EXAMPLE}")(source.run)
