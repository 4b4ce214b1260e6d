"""``scontrol``, ``squeue`` and ``sinfo`` with ``--json``, in the shapes of old and new data parsers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..plain_text import refusal
from .gres import Gres, gpus_of, parse_gres, parse_tres
from .hostlist import expand
from .records import JobRecord, NodeRecord
from .words import NULL, state_words


@dataclass(frozen=True)
class _Place:
    source: str
    path: str
    data: dict[str, Any]

    def refused(self, name: str, value: Any, expected: str) -> Exception:
        return refusal(self.source, f"{self.path}.{name}", repr(value)[:60], expected)

    def number(self, *names: str) -> int | None:
        """Return the first number that is told: plain, or as ``{set, infinite, number}``."""
        for name in names:
            value = self.data.get(name)
            if isinstance(value, dict):
                if not {"set", "number"} <= value.keys():
                    raise self.refused(name, value, "a number with set and infinite")
                value = value["number"] if value["set"] and not value.get("infinite") else None
            if value is None or (isinstance(value, str) and value in NULL):
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**53:
                raise self.refused(name, value, "a number")
            return int(value)
        return None

    def text(self, *names: str) -> str:
        for name in names:
            value = self.data.get(name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise self.refused(name, value, "a text")
            if value not in NULL:
                return value
        return ""

    def words(self, name: str) -> frozenset[str] | None:
        """Return a state: a text up to data parser 0.0.39, a list of texts since."""
        value = self.data.get(name)
        if value is None:
            return None
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in parts):
            raise self.refused(name, value, "a text or a list of texts")
        return frozenset(word for part in parts for word in state_words(part))

    def names(self, *names: str) -> tuple[str, ...] | None:
        """Return a list of texts, which old versions print as one text with commas."""
        for name in names:
            value = self.data.get(name)
            if value is None:
                continue
            parts = value.split(",") if isinstance(value, str) else value
            if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
                raise self.refused(name, value, "a list of texts")
            return tuple(part for part in parts if part not in NULL)
        return None

    def gres(self, name: str) -> tuple[Gres, ...] | None:
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.refused(name, value, "generic resources as a text")
        return parse_gres(value, source=self.source, where=f"{self.path}.{name}")

    def tres(self, *names: str) -> dict[str, float]:
        name = next((name for name in names if self.text(name)), names[0])
        return parse_tres(self.text(name), source=self.source, where=f"{self.path}.{name}")

    def part(self, name: str) -> _Place:
        value = self.data.get(name) or {}
        if not isinstance(value, dict):
            raise self.refused(name, value, "an object")
        return _Place(self.source, f"{self.path}.{name}", value)


def places(document: dict[str, Any], key: str, *, source: str) -> Iterator[_Place]:
    """Yield the objects of a list of a document, each with its path."""
    entries = document[key]
    if not isinstance(entries, list):
        raise refusal(source, key, repr(entries)[:60], "a list")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise refusal(source, f"{key}[{index}]", repr(entry)[:60], "an object")
        yield _Place(source, f"{key}[{index}]", entry)


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


def read_jobs(document: dict[str, Any], *, source: str) -> Iterator[JobRecord]:
    """Yield the jobs of ``squeue --json`` and ``scontrol show job --json``.

    Parameters
    ----------
    document : dict
        With a list ``jobs``.
    source : str
        The file's name, for messages.

    Yields
    ------
    JobRecord
        In the order of the file.

    Raises
    ------
    InstanceError
        A field that is not what Slurm prints.
    """
    for place in places(document, "jobs", source=source):
        number = place.number("job_id")
        if number is None or number < 0:
            raise place.refused("job_id", place.data.get("job_id"), "the number of a job")
        text = place.text("nodes")
        nodes = expand(text, source=source, where=f"{place.path}.nodes") if text else ()
        cpus, memory = _by_node(place)
        words = {"qos": "qos", "partition": "partition", "account": "account", "user": "user_name"}
        yield JobRecord(
            number=number,
            where=place.path,
            name=place.text("name"),
            states=place.words("job_state") or frozenset(),
            priority=place.number("priority"),
            labels={label: place.text(name) for label, name in words.items() if place.text(name)},
            nodes=nodes,
            detail=_detail(place, nodes),
            cpus_by_node=cpus,
            memory_mib_by_node=memory,
            allocated=place.tres("tres_alloc_str"),
            asked=place.tres("tres_req_str"),
            per_node=place.gres("tres_per_node") or None,
            node_count=place.number("node_count"),
            start=place.number("start_time") or None,
            preemptable_from=place.number("preemptable_time") or None,
            het_job=place.number("het_job_id") or None,
            features=place.text("features"),
            most_switches=place.number("required_switches") or None,
        )


def _detail(place: _Place, nodes: tuple[str, ...]) -> tuple[tuple[Gres, ...], ...] | None:
    value = place.data.get("gres_detail")
    if value is None or not nodes:
        return None
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise place.refused("gres_detail", value, "a list of texts, one a node")
    if not value:
        return None
    if len(value) != len(nodes):
        raise place.refused("gres_detail", value, f"one entry for each of {len(nodes)} nodes")
    where = f"{place.path}.gres_detail"
    return tuple(parse_gres(entry, source=place.source, where=f"{where}[{index}]") for index, entry in enumerate(value))


def _by_node(place: _Place) -> tuple[dict[str, int], dict[str, float]]:
    """Return CPUs and memory (MiB) by node, as ``job_resources`` tells them in its changing shapes."""
    resources = place.part("job_resources")
    holder = resources.part("nodes") if isinstance(resources.data.get("nodes"), dict) else resources
    key = next((name for name in ("allocation", "allocated_nodes") if isinstance(holder.data.get(name), list)), None)
    cpus: dict[str, int] = {}
    memory: dict[str, float] = {}
    for entry in places(holder.data, key, source=place.source) if key else ():
        name = entry.text("name", "nodename")
        cores = entry.part("cpus").number("count") if isinstance(entry.data.get("cpus"), dict) else None
        cores = entry.number("cpus_used") if cores is None else cores
        held = entry.part("memory").number("allocated") if isinstance(entry.data.get("memory"), dict) else None
        held = entry.number("memory_allocated") if held is None else held
        if name and cores is not None:
            cpus[name] = cores
        if name and held is not None:
            memory[name] = float(held)
    return cpus, memory


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
    return _Place(source, "(document)", document).number("last_update") or None
