"""``scontrol show node`` and ``scontrol -d show job`` as text, one line a record or many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..number_list import numbers
from ..plain_text import plain_lines, refusal
from .gres import Gres, gpus_of, memory_mib, parse_gres, parse_tres
from .hostlist import expand
from .records import JobRecord, NodeRecord
from .words import NULL, clock_time, duration, state_words, whole

_FIELD = re.compile(r"(?:^|\s)([A-Za-z][A-Za-z0-9_/:.]*)=")
_FREE_TEXT = frozenset(
    {"JobName", "Command", "WorkDir", "StdErr", "StdIn", "StdOut", "SubmitLine", "Comment", "AdminComment"}
    | {"SystemComment", "Extra", "OS", "Reason"}
)
_DETAIL = frozenset({"Nodes", "CPU_IDs", "Mem", "GRES"})
_USER = re.compile(r"(.*)\(\d+\)")


@dataclass
class _Record:
    source: str
    line: int
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    details: list[dict[str, tuple[str, int]]] = field(default_factory=list)

    def text(self, name: str) -> str:
        return self.fields.get(name, ("", 0))[0]

    def where(self, name: str) -> str:
        return f"line {self.fields.get(name, ('', self.line))[1]}, {name}"

    def number(self, *names: str) -> int | None:
        told = next((name for name in names if self.text(name) not in NULL), names[0])
        return whole(self.text(told), source=self.source, where=self.where(told))

    def gres(self, name: str) -> tuple[Gres, ...] | None:
        if name not in self.fields:
            return None
        return parse_gres(self.text(name), source=self.source, where=self.where(name))

    def names(self, name: str) -> tuple[str, ...] | None:
        if name not in self.fields:
            return None
        text = self.text(name)
        return () if text in NULL else tuple(part for part in text.split(",") if part)


def read_nodes(text: str, *, source: str) -> Iterator[NodeRecord]:
    """Yield the nodes of ``scontrol show node``.

    Parameters
    ----------
    text : str
        Its output, with or without ``-d`` and ``-o``.
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
    for record in _records(text, "NodeName", "State", source):
        yield NodeRecord(
            name=_name(record, "NodeName"),
            where=f"line {record.line}",
            gres=record.gres("Gres") or (() if "Gres" in record.fields else None),
            used=_in_use(record),
            drained=record.gres("GresDrain"),
            states=state_words(record.text("State")) if "State" in record.fields else None,
            cpus=record.number("CPUEfctv", "CPUTot"),
            cpus_in_use=record.number("CPUAlloc"),
            memory_mib=_memory(record),
            memory_in_use_mib=record.number("AllocMem"),
            sockets=record.number("Sockets"),
            cores_per_socket=record.number("CoresPerSocket"),
            features=record.names("ActiveFeatures") or record.names("AvailableFeatures"),
            partitions=record.names("Partitions"),
            reason=record.text("Reason") or None,
        )


def _in_use(record: _Record) -> tuple[Gres, ...] | None:
    # Without -d the indices are missing, and only the count stands among the trackable resources.
    used = record.gres("GresUsed")
    return used if used is not None else gpus_of(_tres(record, "AllocTRES"))


def _memory(record: _Record) -> int | None:
    whole_memory, kept = record.number("RealMemory"), record.number("MemSpecLimit")
    return None if whole_memory is None else max(whole_memory - (kept or 0), 0)


def read_jobs(text: str, *, source: str) -> Iterator[JobRecord]:
    """Yield the jobs of ``scontrol show job``; only ``-d`` prints which GPUs they hold.

    Parameters
    ----------
    text : str
        Its output, with or without ``-o``.
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
    for record in _records(text, "JobId", "JobState", source):
        number = record.number("JobId")
        if number is None:
            raise refusal(source, record.where("JobId"), repr(record.text("JobId")), "the number of a job")
        nodes = _nodes(record)
        detail, cpus, memory = _details(record, nodes)
        start = _time(record, "StartTime")
        yield JobRecord(
            number=number,
            where=f"line {record.line}",
            name=record.text("JobName"),
            states=state_words(record.text("JobState")),
            priority=record.number("Priority"),
            labels=_labels(record),
            nodes=nodes,
            detail=detail,
            cpus_by_node=cpus,
            memory_mib_by_node=memory,
            allocated=_tres(record, "AllocTRES", "TRES"),
            asked=_tres(record, "ReqTRES", "TRES"),
            per_node=record.gres("TresPerNode") or record.gres("Gres") or None,
            node_count=_node_count(record),
            start=start,
            preemptable_from=_time(record, "PreemptEligibleTime"),
            running_seconds=duration(record.text("RunTime"), source=source, where=record.where("RunTime")),
            het_job=record.number("HetJobId", "PackJobId"),
            features="" if record.text("Features") in NULL else record.text("Features"),
            most_switches=_switches(record),
        )


def _records(text: str, key: str, state: str, source: str) -> Iterator[_Record]:
    record: _Record | None = None
    one_line = False
    for number, line in enumerate(plain_lines(text), start=1):
        begins = re.match(rf"\s*{key}=", line) is not None
        if not line.strip() or (line.lstrip().startswith("#") and not begins):
            continue
        if begins:
            if record is not None:
                yield record
            record = _Record(source, number)
            # With --oneliner all fields share a line; a free text ends where the next field begins.
            one_line = f" {state}=" in line and len(_FIELD.findall(line)) > 8
        if record is None:
            raise refusal(source, f"line {number}", repr(line.strip()[:60]), f"a record that begins with {key}=")
        _add_fields(record, line, number, one_line)
    if record is not None:
        yield record


def _add_fields(record: _Record, line: str, number: int, one_line: bool) -> None:
    matches = list(_FIELD.finditer(line))
    for place, match in enumerate(matches):
        name = match[1]
        free = name in _FREE_TEXT and not one_line
        end = len(line) if free or place + 1 == len(matches) else matches[place + 1].start()
        value = (line[match.end() : end].strip(), number)
        if name == "Nodes" and "NumNodes" in record.fields:
            record.details.append({})
        if name in _DETAIL and record.details and name not in record.details[-1]:
            record.details[-1][name] = value
        else:
            record.fields.setdefault(name, value)
        if free:
            return


def _name(record: _Record, field_name: str) -> str:
    name = record.text(field_name)
    if name in NULL or re.search(r"[\[\],\s]", name):
        raise refusal(record.source, record.where(field_name), repr(name[:60]), "the name of one node")
    return name


def _nodes(record: _Record) -> tuple[str, ...]:
    text = record.text("NodeList")
    return () if text in NULL else expand(text, source=record.source, where=record.where("NodeList"))


def _details(
    record: _Record, nodes: tuple[str, ...]
) -> tuple[tuple[tuple[Gres, ...], ...] | None, dict[str, int], dict[str, float]]:
    gres: dict[str, tuple[Gres, ...]] = {}
    cpus: dict[str, int] = {}
    memory: dict[str, float] = {}
    for detail in record.details:
        names, line = detail["Nodes"]
        where = f"line {line}, Nodes"
        for name in expand(names, source=record.source, where=where):
            if name not in nodes:
                raise refusal(record.source, where, name, "a node of the job's NodeList")
            if name in gres:
                raise refusal(record.source, where, name, "each node of the job once")
            gres[name] = parse_gres(detail.get("GRES", ("", 0))[0], source=record.source, where=where)
            ids = detail.get("CPU_IDs", ("", 0))[0]
            if ids not in NULL:
                cpus[name] = len(numbers(ids, source=record.source, where=where))
            if detail.get("Mem", ("", 0))[0] not in NULL:
                memory[name] = memory_mib(detail["Mem"][0], source=record.source, where=where)
    if set(gres) != set(nodes) or not nodes:
        return None, cpus, memory
    return tuple(gres[name] for name in nodes), cpus, memory


def _labels(record: _Record) -> dict[str, str]:
    user = _USER.fullmatch(record.text("UserId"))
    words = {
        "qos": record.text("QOS"),
        "partition": record.text("Partition"),
        "account": record.text("Account"),
        "user": user[1] if user else record.text("UserId"),
    }
    return {name: word for name, word in words.items() if word not in NULL}


def _tres(record: _Record, *names: str) -> dict[str, float]:
    told = next((name for name in names if record.text(name) not in NULL), names[0])
    return parse_tres(record.text(told), source=record.source, where=record.where(told))


def _node_count(record: _Record) -> int | None:
    # A range such as 2-4 is what a pending job may have; its fewest are what it needs.
    text = record.text("NumNodes").partition("-")[0]
    return whole(text, source=record.source, where=record.where("NumNodes"))


def _switches(record: _Record) -> int | None:
    return whole(record.text("ReqSwitch"), source=record.source, where=record.where("ReqSwitch")) or None


def _time(record: _Record, name: str) -> int | None:
    return clock_time(record.text(name), source=record.source, where=record.where(name))
