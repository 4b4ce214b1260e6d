"""The catalogue of real machines that a node may name instead of describing its shape."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import Field

from .base import Model, Name, Seq
from .document import parse_document
from .topology import Machine


class Preset(Model):
    """A machine of the catalogue, with where its facts come from."""

    description: str = Field(description="What it is, in a line.")
    source: str = Field(description="Where the facts come from.")
    levels: Seq[Name] = Field(description="The levels below node that its domains use, broadest first.")
    machine: Machine = Field(description="Its shape.")


@cache
def presets() -> dict[str, Preset]:
    """Return all machines of the catalogue by name.

    Returns
    -------
    dict
        Name to preset, in name order.
    """
    found: dict[str, Any] = {}
    for entry in files(__package__).joinpath("machines").iterdir():
        if entry.name.endswith(".yaml"):
            found |= parse_document(entry.read_bytes(), name=entry.name)
    return {name: Preset.parse(found[name], source=f"catalogue entry {name}") for name in sorted(found)}


def preset(name: str) -> Machine | None:
    """Return the shape of a machine of the catalogue.

    Parameters
    ----------
    name : str
        Its name, such as ``dgx-a100``.

    Returns
    -------
    Machine or None
        None if the catalogue has no machine of this name.
    """
    entry = presets().get(name)
    return None if entry is None else entry.machine
