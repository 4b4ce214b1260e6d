"""``topreempt machines``: the catalogue of machines, and one of them drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ..models.catalogue import Preset, entry_of, presets
from ..models.errors import ConfigError
from .terminal import WIDTH, emit, emit_json

EXAMPLE = "topreempt machines h100-pcie8-irregular"

_SHORT = {"nvlink": "NV", "xgmi": "XG"}


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The machine to draw; default: list all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the machines that a node may name, or draw one: sockets, NUMA nodes, switches and the links of its GPUs."""
    if name is None:
        found = presets()
        if as_json:
            emit_json({"machines": [_summary(name, entry) for name, entry in found.items()]})
        else:
            emit("".join(f"{line}\n" for line in listing(found)))
        return
    entry = entry_of(name)
    if entry is None:
        raise ConfigError(
            f"machines: found {name!r}, expected a machine of the catalogue; `topreempt machines` lists all"
        )
    if as_json:
        emit_json({"name": name, **entry.model_dump(mode="json", exclude_defaults=True)})
    else:
        emit("".join(f"{line}\n" for line in drawing(name, entry)))


def _summary(name: str, entry: Preset) -> dict[str, Any]:
    machine = entry.machine
    return {
        "name": name,
        "description": entry.description,
        "gpus": machine.gpus,
        "gpu_model": machine.gpu_model,
        "levels": list(entry.levels),
        "links": sorted({link.kind for link in machine.links}),
        "fully_linked": machine.fully_linked,
    }


def listing(found: dict[str, Preset]) -> list[str]:
    """Return the lines of the list of machines.

    Parameters
    ----------
    found : dict
        Presets by name.

    Returns
    -------
    list of str
        At most `WIDTH` characters each.
    """
    width = max(map(len, found))
    lines = []
    for name, entry in found.items():
        room = WIDTH - width - 2
        first, *rest = _folded(entry.description, room)
        lines += [f"{name:<{width}}  {first}", *(" " * (width + 2) + line for line in rest)]
    return lines


def drawing(name: str, entry: Preset) -> list[str]:
    """Return the lines of the drawing of one machine.

    Parameters
    ----------
    name : str
        Its name.
    entry : Preset
        The machine.

    Returns
    -------
    list of str
        At most `WIDTH` characters each, but for names that are longer: facts, a row a level, the matrix of links.
    """
    machine = entry.machine
    gpus = machine.gpus or 0
    lines = [name, *_folded(entry.description, WIDTH), *_folded(f"Source: {entry.source}", WIDTH)]
    if entry.note:
        lines += _folded(f"Note: {entry.note}", WIDTH)
    rows: list[tuple[str, list[str]]] = [("GPU", [str(slot) for slot in range(gpus)])]
    for level in entry.levels:
        domain_of = {slot: domain for domain, slots in machine.domains[level].items() for slot in slots}
        rows.append((level, [domain_of[slot] for slot in range(gpus)]))
    rows += [("", []), *((f"GPU {slot}", cells) for slot, cells in enumerate(_matrix(entry)))]
    lines += ["", *_table(rows, gpus)]
    empty = [
        f"{level} {domain}" for level in entry.levels for domain, held in machine.domains[level].items() if not held
    ]
    if empty:
        lines += ["", *_folded(f"Without GPUs: {', '.join(empty)}", WIDTH)]
    lines += ["", *_folded(_legend(entry), WIDTH)]
    return lines


def _matrix(entry: Preset) -> list[list[str]]:
    machine = entry.machine
    gpus = machine.gpus or 0
    cells = [["all" if machine.fully_linked else "."] * gpus for _ in range(gpus)]
    for slot in range(gpus):
        cells[slot][slot] = "X"
    for link in machine.links:
        first, second = link.gpus
        word = f"{_SHORT.get(link.kind, link.kind)}{link.count}"
        for row, column in ((first, second), (second, first)):
            before = cells[row][column]
            cells[row][column] = word if before in (".", "all") else f"{before}+{word}"
    return cells


def _legend(entry: Preset) -> str:
    kinds = sorted({link.kind for link in entry.machine.links})
    words = [f"{_SHORT.get(kind, kind)}<n>: n links of kind {kind}" for kind in kinds]
    if entry.machine.fully_linked:
        words.append("fully linked through a switch")
    return "; ".join(words) or "No links between the GPUs."


def _table(rows: Sequence[tuple[str, list[str]]], gpus: int) -> list[str]:
    label = max(len(name) for name, _ in rows) + 1
    cell = max((len(word) for _, cells in rows for word in cells), default=1) + 1
    fit = max((WIDTH - label) // cell, 1)
    lines: list[str] = []
    for start in range(0, gpus, fit):
        part = [
            f"{name:<{label}}" + "".join(f"{word:>{cell}}" for word in cells[start : start + fit])
            for name, cells in rows
        ]
        lines += [*([""] if start else []), *(line.rstrip() for line in part)]
    return lines


def _folded(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width) or [""]
