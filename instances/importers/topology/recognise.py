"""Which tool printed a text, and a reading of it."""

from __future__ import annotations

import re
from pathlib import Path

from ..machine_document import FORMAT, MachineDocument, Nic, check_machine
from ..plain_text import read_text, refusal
from .hwloc import read_hwloc
from .machine import machine_fields
from .nccl import read_nccl
from .nvidia import read_nvidia
from .options import MachineOptions
from .reading import TopologyReading
from .rocm import read_rocm
from .xml_tree import parse_xml

_ROCM = re.compile(r"ROCm System Management|\(Topology\) Numa|between two GPUs", re.IGNORECASE)


def read_topology(text: str, *, source: str, gpu_buses: tuple[str, ...] = ()) -> TopologyReading:
    """Return what a topology tool says, whichever it is.

    Parameters
    ----------
    text : str
        Output of ``nvidia-smi topo -m`` or ``rocm-smi --showtopo``, NCCL topology XML or hwloc XML.
    source : str
        The file's name, for messages.
    gpu_buses : tuple of str
        For NCCL files without classes: shell patterns of bus ids that are GPUs.

    Returns
    -------
    TopologyReading
        One machine.

    Raises
    ------
    InstanceError
        None of these, or damaged or contradictory.
    """
    if text.lstrip().startswith("<"):
        root = parse_xml(text, source=source)
        if root.tag == "topology":
            return read_hwloc(root, source=source)
        if root.tag in ("system", "graphs"):
            return read_nccl(root, source=source, gpu_buses=gpu_buses)
        expected = "<system> (NCCL topology) or <topology> (hwloc)"
        raise refusal(source, f"line {root.line}", f"<{root.tag[:40]}>", expected)
    if _ROCM.search(text):
        return read_rocm(text, source=source)
    return read_nvidia(text, source=source)


def import_topology(
    path: str | Path, *, name: str | None = None, options: MachineOptions | None = None
) -> MachineDocument:
    """Return the machine document of a topology tool's output.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is standard input.
    name : str, optional
        The machine's name; default: the file's name without suffix.
    options : MachineOptions, optional
        How to write it.

    Returns
    -------
    MachineDocument
        One machine with its levels, network cards and what was assumed.

    Raises
    ------
    InstanceError
        The file cannot be read or is no sound machine.
    """
    source = str(path)
    options = options or MachineOptions()
    reading = read_topology(read_text(path), source=source, gpu_buses=options.gpu_buses)
    called = name or ("machine" if source == "-" else Path(source).stem)
    fields, below, notes = machine_fields(reading, options)
    levels = ("node", *below)
    check_machine(called, fields, levels, source=source)
    nics = [Nic(name=nic.name, device=nic.device, near=dict(nic.near)) for nic in reading.nics]
    return MachineDocument.parse(
        {
            "format": FORMAT,
            "comment": [f"{called}: read from the output of {reading.tool}.", *dict.fromkeys(notes)],
            "levels": list(levels),
            "machines": {called: fields},
            **({"nics": {called: [nic.model_dump(mode="json") for nic in nics]}} if nics else {}),
        },
        source=source,
    )
