"""Several topology files to one machine document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....models import ConfigError
from ..machine_document import FORMAT, MachineDocument
from ..merge import MachineShelf
from .options import MachineOptions
from .recognise import import_topology


def import_topologies(
    paths: Sequence[str | Path], *, name: str | None = None, options: MachineOptions | None = None
) -> MachineDocument:
    """Return one machine document for the outputs of topology tools, one machine a file.

    Parameters
    ----------
    paths : sequence of str or Path
        The files; ``-`` is standard input.
    name : str, optional
        The machine's name where there is one file; default: the file's name without suffix.
    options : MachineOptions, optional
        How to write the machines.

    Returns
    -------
    MachineDocument
        All machines; its levels agree with the order of each.

    Raises
    ------
    InstanceError
        A file that cannot be read or is no sound machine.
    ConfigError
        One name for several files, or two files of one name.
    """
    if name is not None and len(paths) > 1:
        raise ConfigError(f"--name {name}: one file was expected, {len(paths)} are given")
    documents = [import_topology(path, name=name, options=options) for path in paths]
    if len(documents) == 1:
        return documents[0]
    names = [machine for document in documents for machine in document.machines]
    twice = sorted({machine for machine in names if names.count(machine) > 1})
    if twice:
        raise ConfigError(f"two files make a machine {twice[0]!r}: files with names of their own were expected")
    shelf = MachineShelf()
    for document in documents:
        shelf.place({}, name="", levels=document.levels)
    return MachineDocument.parse(
        {
            "format": FORMAT,
            "comment": [line for document in documents for line in document.comment],
            "levels": shelf.levels_below(),
            "machines": {machine: shape for document in documents for machine, shape in document.machines.items()},
            "nics": {machine: nics for document in documents for machine, nics in document.nics.items()},
        }
    )
