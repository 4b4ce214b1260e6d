"""``topreempt import topology``: what nvidia-smi, rocm-smi, NCCL or hwloc print, to machines that nodes may name."""

from __future__ import annotations

from typing import Annotated

import typer

from ..instances.write import text_of, writable, write_document
from .terminal import emit, note

EXAMPLE = "topreempt import topology topo.txt --name h100-box --gpu-model H100-PCIe-80GB --out machine.yaml"


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="nvidia-smi topo -m, rocm-smi --showtopo, NCCL topology XML or hwloc XML; - is standard input.",
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="JSON or YAML file to write; default: YAML on standard output."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The machine's name; default: the file's without suffix.")
    ] = None,
    gpu_model: Annotated[str | None, typer.Option(metavar="MODEL", help="The model of its GPUs.")] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="KIND=NAME",
            help="Name of the level of a kind, empty to leave it out; kinds: socket, numa, cpu-set, host-bridge,"
            " pcie-root, switch; may be repeated.",
        ),
    ] = None,
    link_classes: Annotated[
        list[str] | None,
        typer.Option(
            "--link-class", metavar="CLASS", help="PCIe path class that counts as a link, such as PIX; may be repeated."
        ),
    ] = None,
    gpu_buses: Annotated[
        list[str] | None,
        typer.Option(
            "--gpu-bus", metavar="PATTERN", help="Bus ids of GPUs, for NCCL files that do not tell; may be repeated."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")] = False,
) -> None:
    """Turn the topology of machines into a machine document: domains, links, NUMA nodes, network cards.

    Its machines paste under cluster.machines of an instance; --topology NODE=FILE of other imports takes the file. A
    damaged or contradictory matrix is refused. What was assumed is said on standard error and kept as its comment.
    """
    from ..instances.importers.topology import MachineOptions, import_topologies

    if out is not None:
        writable(out)
    options = MachineOptions.from_words(
        levels=levels or (), gpu_model=gpu_model, path_links=link_classes or (), gpu_buses=gpu_buses or ()
    )
    document = import_topologies(files, name=name, options=options)
    data = document.model_dump(mode="json", exclude_unset=True)
    note(*document.comment)
    if out is None:
        emit(text_of(data, json_only=as_json))
    else:
        write_document(data, out)
        note(f"{len(document.machines)} machines: {out}")
