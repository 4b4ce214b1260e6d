"""Jobs of ``squeue --json`` and ``scontrol show job --json``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .gres import Gres, parse_gres
from .hostlist import expand
from .json_place import Place, places
from .records import JobRecord


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


def _detail(place: Place, nodes: tuple[str, ...]) -> tuple[tuple[Gres, ...], ...] | None:
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


def _by_node(place: Place) -> tuple[dict[str, int], dict[str, float]]:
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
