"""``topreempt generate``: seeded instances of a scenario, one file each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..instances.generators import SCENARIOS
from ..instances.write import plain_instance, write_document
from ..models.errors import ConfigError
from .terminal import emit, emit_json

EXAMPLE = "topreempt generate paper --seed 7 --count 3 --nodes 41 --out instances"


def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help=f"One of {', '.join(SCENARIOS)}.")],
    seed: Annotated[int, typer.Option(min=0, max=2**53, metavar="N", help="Seed of the series.")] = 0,
    count: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="How many instances.")] = 1,
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder of the files; made if absent.")] = ".",
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Nodes; default: the scenario's.")] = None,
    fill: Annotated[float | None, typer.Option(metavar="SHARE", help="Share of GPUs in use, 0 to 1.")] = None,
    request_gpus: Annotated[int | None, typer.Option(metavar="N", help="GPUs a pod of the request.")] = None,
    suffix: Annotated[
        Literal["yaml", "json"], typer.Option("--format", metavar="yaml|json", help="Form of the files.")
    ] = "yaml",
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the files as JSON.")] = False,
) -> None:
    """Write instances that can be made again from their seed."""
    if scenario not in SCENARIOS:
        raise ConfigError(f"generate: found {scenario!r}, expected one of {', '.join(SCENARIOS)}")
    sizes = {"nodes": nodes, "fill": fill, "request_gpus": request_gpus}
    given = {name: value for name, value in sizes.items() if value is not None}
    make = SCENARIOS[scenario]
    first = make(seed, 0, **given)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for index in range(count):
        instance = make(seed, index, **given) if index else first
        path = folder / f"{scenario}-{seed}-{index:04d}.{suffix}"
        write_document(plain_instance(instance), path)
        names.append(str(path))
    if as_json:
        emit_json({"files": names})
    else:
        emit("".join(f"{name}\n" for name in names))
