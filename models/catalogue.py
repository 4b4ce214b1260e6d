"""The catalogue of real machines that a node may name instead of describing its shape."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import Field

from .base import Model, Name, Seq
from .document import parse_document
from .topology import Machine


class Preset(Model):
    """A machine of the catalogue, with where its facts come from."""

    description: str = Field(description="What it is, in a line.")
    source: str = Field(description="Where the facts come from.")
    note: str | None = Field(None, description="What the source does not say and was assumed.")
    levels: Seq[Name] = Field(description="The levels below node that its domains use, broadest first.")
    machine: Machine = Field(description="Its shape.")


@cache
def _files() -> dict[str, Traversable]:
    entries = files(__package__).joinpath("machines").iterdir()
    found = {entry.name.removesuffix(".yaml"): entry for entry in entries if entry.name.endswith(".yaml")}
    return dict(sorted(found.items()))


@cache
def _read(name: str) -> Preset:
    entry = _files()[name]
    return Preset.parse(parse_document(entry.read_bytes(), name=entry.name), source=f"catalogue entry {name}")


def presets() -> dict[str, Preset]:
    """Return all machines of the catalogue by name.

    Returns
    -------
    dict
        Name to preset, in name order.
    """
    return {name: _read(name) for name in _files()}


def entry_of(name: str) -> Preset | None:
    """Return a machine of the catalogue with its facts; only its own file is read.

    Parameters
    ----------
    name : str
        Its name, such as ``dgx-a100-40g``; an underscore stands for a dash.

    Returns
    -------
    Preset or None
        None if the catalogue has no machine of this name.
    """
    written = name.replace("_", "-")
    return _read(written) if written in _files() else None


def preset(name: str) -> Machine | None:
    """Return the shape of a machine of the catalogue.

    Parameters
    ----------
    name : str
        Its name, such as ``dgx-a100-40g``; an underscore stands for a dash.

    Returns
    -------
    Machine or None
        None if the catalogue has no machine of this name.
    """
    entry = entry_of(name)
    return None if entry is None else entry.machine
