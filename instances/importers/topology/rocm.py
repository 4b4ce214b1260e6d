"""``rocm-smi --showtopo`` as a reading: XGMI links from the weights, NUMA nodes; its hop counts are not trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..plain_text import beginning, plain_lines, refusal
from .reading import DirectLink, Pair, TopologyReading

_TITLE = re.compile(r"\s*=+\s*([^=]*?)\s*=+\s*")
_NUMA = re.compile(r"\s*GPU\[(\d+)\]\s*:\s*\(Topology\) Numa (Node|Affinity):\s*(\S+)\s*")
_GPU = re.compile(r"GPU(\d+)")
_SECTIONS = {"weight": "weight between", "hops": "hops between", "type": "link type between"}

# The driver counts 15 for each XGMI link of a path, whatever the number of hops it prints.
XGMI_WEIGHT = 15


@dataclass
class _Found:
    matrices: dict[str, dict[Pair, tuple[str, int]]] = field(default_factory=dict)
    gpus: dict[str, int] = field(default_factory=dict)
    numa: dict[int, int] = field(default_factory=dict)


def read_rocm(text: str, *, source: str) -> TopologyReading:
    """Return what ``rocm-smi --showtopo`` says.

    Parameters
    ----------
    text : str
        Its output, or some of its sections.
    source : str
        The file's name, for messages.

    Returns
    -------
    TopologyReading
        One machine.

    Raises
    ------
    InstanceError
        No section that is known, or a damaged or contradictory one, with line and cell.
    """
    found = _sections(plain_lines(text), source)
    if not found.gpus:
        raise refusal(source, "", f"no matrix found in {beginning(text)}", "the output of rocm-smi --showtopo")
    gpus = max(found.gpus.values())
    for section, count in found.gpus.items():
        if count != gpus:
            raise refusal(source, f"section {section}", f"{count} GPUs", f"{gpus} GPUs, as another section has")
    notes: list[str] = []
    links, hops = _links(found, notes, source)
    types = {pair: word for pair, (word, _) in found.matrices.get("type", {}).items()}
    steps = {pair: int(word) for pair, (word, _) in found.matrices.get("hops", {}).items()}
    return TopologyReading(
        tool="rocm-smi",
        gpus=gpus,
        links=links,
        hops=hops,
        pcie_hops={pair: steps[pair] for pair, word in types.items() if word == "PCIE" and pair in steps},
        numa=tuple((found.numa[slot],) if found.numa.get(slot, -1) >= 0 else () for slot in range(gpus)),
        cpus=(None,) * gpus,
        notes=tuple(notes),
    )


def _sections(lines: list[str], source: str) -> _Found:
    found = _Found()
    title = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        heading = _TITLE.fullmatch(line)
        numa = _NUMA.fullmatch(line)
        section = next((name for name, words in _SECTIONS.items() if title.lower().startswith(words)), None)
        if heading:
            title = heading[1]
        elif numa:
            _numa(found, numa, index + 1, source)
        elif section and line.split() and _GPU.fullmatch(line.split()[0]):
            if section in found.matrices:
                raise refusal(source, f"line {index + 1}", title, "each section once")
            index = _matrix(found, lines, index, section, source)
            continue
        index += 1
    if found.numa:
        if sorted(found.numa) != list(range(len(found.numa))):
            raise refusal(source, "section Numa Nodes", str(sorted(found.numa))[:60], "GPUs from 0 without gaps")
        found.gpus["numa"] = len(found.numa)
    return found


def _numa(found: _Found, match: re.Match[str], line: int, source: str) -> None:
    slot, what, word = int(match[1]), match[2], match[3]
    where = f"line {line}, Numa {what} of GPU[{slot}]"
    if not re.fullmatch(r"-1|\d{1,6}|None|N/A", word):
        raise refusal(source, where, word, "a NUMA node's number")
    node = int(word) if word.lstrip("-").isdigit() else -1
    if slot in found.numa and (what == "Node" or node not in (-1, found.numa[slot])):
        raise refusal(source, where, word, f"{found.numa[slot]}, as stated before")
    if what == "Node":
        found.numa[slot] = node


def _matrix(found: _Found, lines: list[str], start: int, section: str, source: str) -> int:
    columns = lines[start].split()
    if columns != [f"GPU{number}" for number in range(len(columns))]:
        raise refusal(
            source, f"line {start + 1}", lines[start].strip()[:60], "the columns GPU0, GPU1, ... without gaps"
        )
    matrix: dict[Pair, tuple[str, int]] = {}
    for row, name in enumerate(columns):
        number = start + 1 + row
        words = lines[number].split() if number < len(lines) else []
        if not words or words[0] != name:
            raise refusal(source, f"line {number + 1}", " ".join(words)[:60], f"the row of {name}")
        if len(words) != 1 + len(columns):
            expected = f"one cell for each of {len(columns)} columns"
            raise refusal(source, f"line {number + 1}, row {name}", f"{len(words) - 1} cells", expected)
        for column, word in enumerate(words[1:]):
            _cell(matrix, row, column, word, section, number + 1, source)
    found.matrices[section] = matrix
    found.gpus[section] = len(columns)
    return start + 1 + len(columns)


def _cell(
    matrix: dict[Pair, tuple[str, int]], row: int, column: int, word: str, section: str, line: int, source: str
) -> None:
    where = f"line {line}, cell GPU{row} x GPU{column}"
    if row == column:
        if word not in ("0", "X"):
            raise refusal(source, where, word, "0 on the diagonal")
        return
    good = word in ("XGMI", "PCIE", "N/A") if section == "type" else re.fullmatch(r"[1-9]\d{0,5}", word)
    if not good:
        raise refusal(source, where, word, "XGMI or PCIE" if section == "type" else "a number above 0")
    if row < column:
        matrix[row, column] = (word, line)
    elif matrix[column, row][0] != word:
        mirror, other = matrix[column, row]
        raise refusal(source, where, word, f"{mirror} as in line {other}: the matrix must be symmetric")


def _links(found: _Found, notes: list[str], source: str) -> tuple[dict[Pair, DirectLink] | None, dict[Pair, int]]:
    types = found.matrices.get("type")
    if types is None:
        notes.append("No link types were printed: links between GPUs are unknown and none were imported.")
        return None, {}
    weights = found.matrices.get("weight", {})
    hops: dict[Pair, int] = {}
    for pair, (word, _) in types.items():
        if word != "XGMI":
            continue
        if pair not in weights:
            notes.append("No weights were printed: which XGMI pairs are direct is unknown, no links were imported.")
            return None, {}
        weight, line = weights[pair]
        if int(weight) % XGMI_WEIGHT:
            where = f"line {line}, cell GPU{pair[0]} x GPU{pair[1]}"
            raise refusal(source, where, weight, f"a multiple of {XGMI_WEIGHT}, the weight of one XGMI link")
        hops[pair] = int(weight) // XGMI_WEIGHT
    if hops:
        notes.append(f"XGMI pairs of weight {XGMI_WEIGHT} are direct (one link each); the hops printed are not used.")
    return {pair: DirectLink("xgmi", 1) for pair, count in hops.items() if count == 1}, hops
