"""``sinfo`` as a table of text, with the columns that the user asked it for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..plain_text import plain_lines, refusal
from .gres import memory_mib, parse_gres
from .hostlist import expand
from .records import NodeRecord
from .words import state_words

# The columns of ``sinfo -N --noheader -O nodehost,allocmem,memory,cpusstate,statelong,gres,gresused``.
DEFAULT_COLUMNS: Final = ("name", "memory_in_use", "memory", "cpus_by_state", "state", "gres", "gres_used")
COLUMNS: Final = (*DEFAULT_COLUMNS, "cpus", "partition", "reason", "other")

_HEADINGS: Final = {
    "HOSTNAMES": "name",
    "NODELIST": "name",
    "NODEHOST": "name",
    "ALLOCMEM": "memory_in_use",
    "MEMORY": "memory",
    "CPUS(A/I/O/T)": "cpus_by_state",
    "CPUS": "cpus",
    "STATE": "state",
    "GRES": "gres",
    "GRES_USED": "gres_used",
    "PARTITION": "partition",
}


def read_sinfo_table(text: str, *, source: str, columns: Sequence[str] = DEFAULT_COLUMNS) -> Iterator[NodeRecord]:
    """Yield the nodes of a table.

    Parameters
    ----------
    text : str
        The output of ``sinfo``; a line of headings, if it has one, tells the columns.
    source : str
        The file's name, for messages.
    columns : sequence of str
        The columns of a table without headings, each of `COLUMNS`.

    Yields
    ------
    NodeRecord
        One a node and line.

    Raises
    ------
    InstanceError
        A line that does not have these columns.
    """
    names = list(columns)
    for number, line in enumerate(plain_lines(text), start=1):
        cells = line.split()
        if not cells or line.lstrip().startswith("#"):
            continue
        if cells[0] in _HEADINGS and len(set(cells) & set(_HEADINGS)) > 1:
            names = [_HEADINGS.get(cell, "other") for cell in cells]
            continue
        if "name" not in names:
            raise refusal(source, f"line {number}", " ".join(names), "a column with the name of the node")
        if len(cells) != len(names):
            expected = f"{len(names)} columns: {' '.join(names)}"
            raise refusal(source, f"line {number}", repr(line.strip()[:60]), expected)
        yield from _nodes(dict(zip(names, cells, strict=True)), number, source)


def _nodes(row: dict[str, str], line: int, source: str) -> Iterator[NodeRecord]:
    def where(name: str) -> str:
        return f"line {line}, column {name}"

    def amount(name: str) -> int | None:
        return None if name not in row else int(memory_mib(row[name].rstrip("+"), source=source, where=where(name)))

    idle = re.fullmatch(r"(\d{1,9})/(\d{1,9})/(\d{1,9})/(\d{1,9})", row.get("cpus_by_state", "0/0/0/0"))
    if idle is None:
        found = row["cpus_by_state"]
        raise refusal(source, where("cpus_by_state"), found, "allocated/idle/other/total CPUs such as 34/22/0/56")
    in_use, _, _, total = map(int, idle.groups())
    state = row.get("state")
    if state is not None and not re.fullmatch(r"[A-Za-z_+]+[*~#!%$@^-]*", state):
        raise refusal(source, where("state"), state, "a state such as idle or mixed")
    for name in expand(row.get("name", ""), source=source, where=where("name")):
        yield NodeRecord(
            name=name,
            where=f"line {line}",
            gres=parse_gres(row["gres"], source=source, where=where("gres")) if "gres" in row else None,
            used=parse_gres(row["gres_used"], source=source, where=where("gres_used")) if "gres_used" in row else None,
            states=None if state is None else state_words(state),
            cpus=total if "cpus_by_state" in row else amount("cpus"),
            cpus_in_use=in_use if "cpus_by_state" in row else None,
            memory_mib=amount("memory"),
            memory_in_use_mib=amount("memory_in_use"),
            partitions=(row["partition"].rstrip("*"),) if "partition" in row else None,
        )
