"""All files of one Slurm cluster read into one state, each by what it contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....models.document import parse_document
from ..plain_text import beginning, read_text, refusal
from . import json_jobs, json_nodes, scontrol_text
from .fabric import Fabric, read_topology_conf, read_topology_yaml
from .gres_conf import GresConf, read_gres_conf
from .options import SlurmOptions
from .records import JobRecord, NodeRecord
from .sinfo_text import read_sinfo_table

_KNOWN = (
    "scontrol show node|job (text or --json), squeue --json, sinfo --json or a sinfo table, gres.conf, topology.conf or"
    " topology.yaml"
)


@dataclass
class SlurmState:
    """What all files say together.

    Attributes
    ----------
    nodes : dict
        Nodes by name.
    jobs : dict
        Jobs by id.
    gres : GresConf or None
        GPUs as configured.
    fabric : Fabric
        What stands above the nodes.
    now : int or None
        When Slurm printed, in seconds since 1970.
    notes : list of str
        What was assumed or left out.
    """

    nodes: dict[str, NodeRecord] = field(default_factory=dict)
    jobs: dict[int, JobRecord] = field(default_factory=dict)
    gres: GresConf | None = None
    fabric: Fabric = field(default_factory=Fabric)
    now: int | None = None
    notes: list[str] = field(default_factory=list)

    def add_nodes(self, records: Iterable[NodeRecord], source: str) -> None:
        """Join nodes to those that are known."""
        for record in records:
            known = self.nodes.get(record.name)
            self.nodes[record.name] = record if known is None else known.joined(record, source=source)

    def add_jobs(self, records: Iterable[JobRecord], source: str) -> None:
        """Add jobs; the same job twice is a contradiction unless both say the same."""
        for record in records:
            known = self.jobs.setdefault(record.number, record)
            if known != record and (known.nodes != record.nodes or known.states != record.states):
                raise refusal(
                    source, record.where, f"job {record.number}", f"one state of each job; {known.where} has another"
                )


def read_state(paths: Sequence[str | Path], options: SlurmOptions) -> SlurmState:
    """Return what files of Slurm say.

    Parameters
    ----------
    paths : sequence of str or Path
        Files in any order.
    options : SlurmOptions
        Columns of sinfo and the topology to use.

    Returns
    -------
    SlurmState
        Everything together.

    Raises
    ------
    InstanceError
        A file that is none of Slurm's, or is damaged, or contradicts another.
    """
    state = SlurmState()
    for path in paths:
        _read(state, read_text(path), str(path), options)
    return state


def _read(state: SlurmState, text: str, source: str, options: SlurmOptions) -> None:
    suffix = Path(source).suffix.lower()
    if text.lstrip()[:1] == "{" or suffix in (".yaml", ".yml"):
        document = parse_document(text.encode("utf-8", "surrogatepass"), name=source)
        if isinstance(document, dict):
            _read_json(state, document, source)
        else:
            _set_fabric(state, read_topology_yaml(document, source=source, name=options.topology), source)
    elif re.search(r"^\s*JobId=", text, re.MULTILINE):
        state.add_jobs(scontrol_text.read_jobs(text, source=source), source)
    elif re.search(r"^\s*(SwitchName|BlockName|BlockSizes)\s*=", text, re.MULTILINE | re.IGNORECASE):
        _set_fabric(state, read_topology_conf(text, source=source), source)
    elif re.search(r"^[^#\n]*\b(Name|AutoDetect)\s*=", text, re.MULTILINE | re.IGNORECASE) and not _is_node_text(text):
        if state.gres is not None:
            raise refusal(source, "", "a second gres.conf", "one gres.conf for all nodes")
        state.gres = read_gres_conf(text, source=source)
        state.notes += state.gres.notes
    elif _is_node_text(text):
        state.add_nodes(scontrol_text.read_nodes(text, source=source), source)
    elif re.search(r"^\s*\w+=", text, re.MULTILINE):
        raise refusal(source, "", f"fields without NodeName= or JobId= in {beginning(text)}", _KNOWN)
    else:
        state.add_nodes(read_sinfo_table(text, source=source, columns=options.sinfo_columns), source)


def _is_node_text(text: str) -> bool:
    return re.search(r"^\s*NodeName=\S+\s+(?!.*\bName\s*=\s*\w)", text, re.MULTILINE) is not None


def _read_json(state: SlurmState, document: dict[str, Any], source: str) -> None:
    errors = document.get("errors")
    if isinstance(errors, list) and errors:
        raise refusal(source, "errors[0]", repr(errors[0])[:120], "output of Slurm without errors")
    known = [key for key in ("nodes", "jobs", "sinfo") if key in document]
    if not known:
        raise refusal(source, "", f"the keys {', '.join(map(str, document))[:60] or 'none'}", "nodes, jobs or sinfo")
    if "nodes" in known:
        state.add_nodes(json_nodes.read_nodes(document, source=source), source)
    if "sinfo" in known:
        state.add_nodes(json_nodes.read_sinfo(document, source=source), source)
    if "jobs" in known:
        state.add_jobs(json_jobs.read_jobs(document, source=source), source)
    printed = json_nodes.document_time(document, source=source)
    if printed is not None:
        state.now = max(printed, state.now or printed)


def _set_fabric(state: SlurmState, fabric: Fabric, source: str) -> None:
    if state.fabric.tiers:
        raise refusal(source, "", "a second topology", "one topology.conf or topology.yaml")
    state.fabric = fabric
    state.notes += fabric.notes
