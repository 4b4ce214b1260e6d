"""The matrices in the output of ``nvidia-smi topo``: where they stand, their rows, their columns and their cells."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..plain_text import refusal

_GPU = re.compile(r"GPU(\d+)")
_ROW_LABEL = re.compile(r"(GPU|NIC)\d+|[A-Za-z][\w.:-]*_\d+")
_PROSE = re.compile(r"\s=\s|:$|^Legend|^NIC Legend")
TRAILERS = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
_SQUEEZED = {name.replace(" ", ""): name for name in TRAILERS}


@dataclass(frozen=True)
class Row:
    """One line of a matrix.

    Attributes
    ----------
    line : int
        Its number in the file.
    label : str
        Its device.
    cells : dict
        Word by column.
    trailers : dict
        What stands in the columns after the matrix, blank ones left out.
    """

    line: int
    label: str
    cells: dict[str, str]
    trailers: dict[str, str]


@dataclass(frozen=True)
class Table:
    """One matrix.

    Attributes
    ----------
    line : int
        The number of its header's line.
    columns : tuple of str
        Its devices: GPUs first, then network cards.
    trailers : tuple of str
        Names of the columns after the matrix.
    rows : dict
        Rows by device.
    """

    line: int
    columns: tuple[str, ...]
    trailers: tuple[str, ...]
    rows: dict[str, Row]

    @property
    def gpus(self) -> tuple[str, ...]:
        """The columns that are GPUs."""
        return tuple(name for name in self.columns if _GPU.fullmatch(name))


def find_tables(lines: list[str], *, source: str) -> list[Table]:
    """Return all matrices of an output.

    Parameters
    ----------
    lines : list of str
        Without terminal codes.
    source : str
        The file's name, for messages.

    Returns
    -------
    list of Table
        In the order of the file.

    Raises
    ------
    InstanceError
        A matrix whose rows and columns do not fit each other.
    """
    tables = []
    index = 0
    while index < len(lines):
        if _is_header(lines[index]):
            table, index = _read(lines, index, source)
            tables.append(table)
        else:
            index += 1
    return tables


def _is_header(line: str) -> bool:
    words = line.split()
    if not words or not _GPU.match(words[0]):
        return False
    glued = len(_GPU.findall(words[0])) > 1
    return glued or len(words) == 1 or any(_GPU.match(word) or word == "Affinity" for word in words[1:])


def _read(lines: list[str], header: int, source: str) -> tuple[Table, int]:
    found: list[tuple[int, str]] = []
    index = header + 1
    while index < len(lines):
        line = lines[index].strip()
        if line:
            label = line.split()[0]
            is_row = _ROW_LABEL.fullmatch(label) or label in lines[header].split()
            if _is_header(line) or _PROSE.search(line) or not is_row:
                break
            found.append((index, label))
        index += 1
    columns, trailers = _columns(lines[header], header + 1, [label for _, label in found], source)
    rows: dict[str, Row] = {}
    for number, label in found:
        if label in rows:
            raise refusal(source, f"line {number + 1}", label, "each device in one row")
        rows[label] = _row(lines[number], number + 1, lines[header], columns, trailers, source)
    return Table(header + 1, columns, trailers, rows), index


def _columns(header: str, line: int, labels: list[str], source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    # Old drivers glue cells of the header together or set blanks where the rows have tabs: the rows tell the columns.
    squeezed = "".join(header.split())
    named = [f"GPU{number}" for number in _GPU.findall(header)]
    for number, name in enumerate(named):
        if name != f"GPU{number}":
            raise refusal(source, f"line {line}", name, f"GPU{number}: GPUs are numbered from 0 without gaps")
    for name in named:
        if name not in labels:
            raise refusal(source, f"line {line}", name, f"a row of this name below; rows found: {labels or 'none'}")
    if squeezed.startswith("".join(labels)):
        rest = squeezed.removeprefix("".join(labels))
        columns = list(labels)
    else:
        extra = [label for label in labels if label not in squeezed]
        raise refusal(
            source, f"line {line}", header.strip()[:60], f"columns in the order of the rows {extra or labels}"
        )
    trailers = _trailers(rest)
    if trailers is None and labels == named:
        # Network cards have columns only: their rows were cut off.
        words = header.split()
        cards = [word for word in words if _ROW_LABEL.fullmatch(word) and not _GPU.match(word)]
        trailers = _trailers(rest.removeprefix("".join(cards)))
        columns += cards
    if trailers is None:
        expected = f"after the columns of {len(labels)} rows only {', '.join(TRAILERS)}"
        raise refusal(source, f"line {line}", repr(rest[:60]), expected)
    return tuple(columns), trailers


def _trailers(squeezed: str) -> tuple[str, ...] | None:
    names = []
    while squeezed:
        known = next((short for short in _SQUEEZED if squeezed.startswith(short)), None)
        if known is None:
            return None
        names.append(_SQUEEZED[known])
        squeezed = squeezed.removeprefix(known)
    return tuple(names)


def _row(line: str, number: int, header: str, columns: tuple[str, ...], trailers: tuple[str, ...], source: str) -> Row:
    words = list(re.finditer(r"\S+", line))
    label = words[0].group()
    if len(words) < 1 + len(columns):
        found = f"{len(words) - 1} cells"
        raise refusal(source, f"line {number}, row {label}", found, f"one cell for each of {len(columns)} columns")
    cells = {name: word.group() for name, word in zip(columns, words[1:], strict=False)}
    end = words[len(columns)].end()
    values = _affinities(line, end, number, header, trailers, source)
    return Row(number, label, cells, values)


def _affinities(
    line: str, end: int, number: int, header: str, trailers: tuple[str, ...], source: str
) -> dict[str, str]:
    words = [(match.start() + end, match.group()) for match in re.finditer(r"\S+", line[end:])]
    where = f"line {number}, columns after the matrix"
    if len(words) > len(trailers):
        # Drivers of one age print an affinity that their header does not name yet: blank but for N/A.
        known, beyond = words[: len(trailers)], words[len(trailers) :]
        if any(word != "N/A" for _, word in beyond):
            raise refusal(source, where, beyond[0][1], f"no more than {', '.join(trailers) or 'the matrix'}")
        words = known
    if len(words) == len(trailers):
        return {name: word for name, (_, word) in zip(trailers, words, strict=True)}
    told = [(start, word) for start, word in words if word != "N/A"]
    if "\t" in line[end:]:
        return _by_tabs(line[end:], trailers, source, where)
    values: dict[str, str] = {}
    for start, word in told:
        # A value stands below the beginning of its column's name.
        fits = [name for name in trailers if abs(header.find(name) - start) <= 2]
        if len(fits) != 1:
            raise refusal(source, where, word, f"a value below one of {', '.join(trailers)}; others are blank")
        values[fits[0]] = word
    return values


def _by_tabs(rest: str, trailers: tuple[str, ...], source: str, where: str) -> dict[str, str]:
    # CPU affinity fills the first cell. The driver writes two tabs between the columns that follow.
    cells = [cell.strip() for cell in rest.split("\t")[1:]]
    values: dict[str, str] = {}
    for place, word in enumerate(cells):
        if word in ("", "N/A"):
            continue
        column = 0 if place == 0 else 1 if place <= 2 else 2
        if column >= len(trailers) or trailers[column] in values:
            raise refusal(source, where, word, f"at most one value for each of {', '.join(trailers)}")
        values[trailers[column]] = word
    return values
