"""Where an imported instance goes: to the file of ``--out``, else to standard output as JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from ..instances.write import plain_instance, text_of, write_document
from ..models.instance import Instance
from .terminal import emit, note

Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="JSON or YAML file to write; default: JSON on standard output."),
]


def deliver(instance: Instance, out: str | None) -> None:
    """Write an instance and say what it holds.

    Parameters
    ----------
    instance : Instance
        What was imported.
    out : str or None
        The file, or None.
    """
    data = plain_instance(instance)
    if out is None:
        emit(text_of(data, json_only=True))
    else:
        write_document(data, out)
    pods = sum(len(job.pods) for job in instance.jobs)
    note(f"{len(instance.cluster.nodes)} nodes, {len(instance.jobs)} jobs, {pods} pods" + (f": {out}" if out else ""))
