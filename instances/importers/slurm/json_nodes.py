"""Nodes of ``scontrol show node --json`` and ``sinfo --json``, and when Slurm printed a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .gres import gpus_of
from .hostlist import expand
from .json_place import Place, places
from .records import NodeRecord


def read_nodes(document: dict[str, Any], *, source: str) -> Iterator[NodeRecord]:
    """Yield the nodes of ``scontrol show node --json`` (and of ``sinfo --json`` up to data parser 0.0.38).

    Parameters
    ----------
    document : dict
        With a list ``nodes``.
    source : str
        The file's name, for messages.

    Yields
    ------
    NodeRecord
        In the order of the file.

    Raises
    ------
    InstanceError
        A field that is not what Slurm prints.
    """
    for place in places(document, "nodes", source=source):
        name = place.text("name", "hostname")
        if not name:
            raise place.refused("name", place.data.get("name"), "the name of a node")
        memory, kept = place.number("real_memory"), place.number("specialized_memory")
        states = place.words("state")
        flags = place.words("state_flags")
        yield NodeRecord(
            name=name,
            where=place.path,
            gres=place.gres("gres"),
            used=used if (used := place.gres("gres_used")) is not None else gpus_of(place.tres("tres_used")),
            drained=place.gres("gres_drained"),
            states=None if states is None else states | (flags or frozenset()),
            cpus=place.number("effective_cpus", "cpus"),
            cpus_in_use=place.number("alloc_cpus"),
            memory_mib=None if memory is None else max(memory - (kept or 0), 0),
            memory_in_use_mib=place.number("alloc_memory"),
            sockets=place.number("sockets"),
            cores_per_socket=place.number("cores"),
            features=place.names("active_features", "features"),
            partitions=place.names("partitions"),
            reason=place.text("reason") or None,
        )


def read_sinfo(document: dict[str, Any], *, source: str) -> Iterator[NodeRecord]:
    """Yield the nodes of ``sinfo --json`` since data parser 0.0.39; it prints equal nodes in groups.

    Parameters
    ----------
    document : dict
        With a list ``sinfo``.
    source : str
        The file's name, for messages.

    Yields
    ------
    NodeRecord
        One a node and partition.

    Raises
    ------
    InstanceError
        A field that is not what Slurm prints.
    """
    for place in places(document, "sinfo", source=source):
        node, names, gres = place.part("node"), place.part("nodes").names("nodes"), place.part("gres")
        cpus, memory, partition = place.part("cpus"), place.part("memory"), place.part("partition").text("name")
        for listed in names or ():
            for name in expand(listed, source=source, where=f"{place.path}.nodes.nodes"):
                yield NodeRecord(
                    name=name,
                    where=place.path,
                    gres=gres.gres("total"),
                    used=gres.gres("used"),
                    states=node.words("state"),
                    cpus=cpus.number("maximum") if cpus.number("maximum") == cpus.number("minimum") else None,
                    memory_mib=memory.number("maximum")
                    if memory.number("maximum") == memory.number("minimum")
                    else None,
                    partitions=(partition,) if partition else None,
                )


def document_time(document: dict[str, Any], *, source: str) -> int | None:
    """Return when Slurm printed a document.

    Parameters
    ----------
    document : dict
        The whole document.
    source : str
        The file's name, for messages.

    Returns
    -------
    int or None
        Seconds since 1970; None if it is not told.

    Raises
    ------
    InstanceError
        The field is no number.
    """
    return Place(source, "(document)", document).number("last_update") or None
