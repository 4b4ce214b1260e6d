"""Machine documents: named machines with their levels, in a form that pastes under an instance's ``cluster``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ...models import Instance, InstanceError, Problem
from ...models.base import Model, Name, Seq
from ...models.document import load_document
from ...models.topology import NODE, Machine

FORMAT = "topreempt/machines/v1"


class Nic(Model):
    """A network card as a topology tool shows it; no field of an instance, kept as a fact."""

    name: Name = Field(description="What the tool calls it, such as NIC0.")
    device: Name | None = Field(None, description="The device, such as mlx5_0.")
    near: dict[Name, Seq[int]] = Field(
        default_factory=dict, description="Slots by PCIe class of their path to it; those across sockets are left out."
    )


class MachineDocument(Model):
    """What ``import topology`` writes: machines by name, the levels they use and what was assumed."""

    format: Literal["topreempt/machines/v1"] = Field(description="The format of the file.")
    comment: Seq[str] = Field((), description="Where the data comes from and what was assumed.")
    levels: Seq[Name] = Field(description="node and the levels below it that the machines use, broadest first.")
    machines: dict[Name, Machine] = Field(description="Shapes by name, as under cluster.machines.")
    nics: dict[Name, Seq[Nic]] = Field(default_factory=dict, description="Network cards by machine.")


def load_machine(path: str | Path) -> tuple[str, Machine, tuple[str, ...]]:
    """Read one machine from a machine document or from what a topology tool printed.

    Parameters
    ----------
    path : str or Path
        ``.json``, ``.yaml`` and ``.yml`` are machine documents; anything else is read as a tool's output.

    Returns
    -------
    name : str
        The machine's name.
    machine : Machine
        Its shape.
    levels : tuple of str
        The levels below node that it uses, broadest first.

    Raises
    ------
    InstanceError
        No readable file, no machine document of exactly one machine, or no sound machine.
    """
    source = str(path)
    if Path(source).suffix.lower() in {".json", ".yaml", ".yml"}:
        document = MachineDocument.parse(load_document(path), source=source)
    else:
        from .topology import import_topology

        document = import_topology(path)
    if len(document.machines) != 1:
        found = ", ".join(document.machines) or "none"
        raise InstanceError([Problem("machines", found, "exactly one machine, to be given to a node")], source=source)
    [(name, machine)] = document.machines.items()
    check_machine(name, machine.model_dump(mode="json", exclude_defaults=True), document.levels, source=source)
    below = document.levels[document.levels.index(NODE) + 1 :]
    return name, machine, tuple(level for level in below if level in machine.domains)


def check_machine(name: str, fields: Mapping[str, Any], levels: tuple[str, ...], *, source: str = "") -> None:
    """Raise if a machine could not stand in an instance.

    Parameters
    ----------
    name : str
        Its name.
    fields : mapping
        Its fields, as plain data.
    levels : tuple of str
        node and the levels below it.
    source : str
        The file's name, for messages.

    Raises
    ------
    InstanceError
        As `Instance.parse` finds it.
    """
    Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {
                "levels": list(levels),
                "machines": {name: dict(fields)},
                "nodes": [{"name": "n", "machine": name}],
            },
            "request": {"name": "r", "priority": 0, "gpus": 0},
        },
        source=source,
    )
