"""``nvidia-smi topo -m`` as a reading: link counts, PCIe path classes, NUMA and CPU affinity, network cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..number_list import numbers
from ..plain_text import beginning, plain_lines, refusal
from .nvidia_table import Row, Table, find_tables
from .reading import RANK, DirectLink, NicReading, Pair, TopologyReading

_NVLINK = re.compile(r"NV([1-9]\d{0,3})")
_CARD = re.compile(r"\s*(NIC\d+)\s*:\s*(\S+)\s*")
_PEER_CODES = frozenset({"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"})
_EXPECTED = f"one of X, NV<count>, {', '.join(RANK)}"


def read_nvidia(text: str, *, source: str) -> TopologyReading:
    """Return what ``nvidia-smi topo -m`` says.

    Parameters
    ----------
    text : str
        Its output; other matrices (``topo -p2p``) and other text may stand around it.
    source : str
        The file's name, for messages.

    Returns
    -------
    TopologyReading
        One machine.

    Raises
    ------
    InstanceError
        No matrix, a damaged or contradictory one (with line and cell), or several that differ.
    """
    lines = plain_lines(text)
    tables = find_tables(lines, source=source)
    if not tables:
        raise refusal(source, "", f"no matrix found in {beginning(text)}", "the output of nvidia-smi topo -m")
    matrices = [table for table in tables if not _is_peer_matrix(table)]
    if not matrices:
        raise refusal(source, f"line {tables[0].line}", "a peer-to-peer matrix", "the matrix of nvidia-smi topo -m")
    devices = {found[1]: found[2] for line in lines if (found := _CARD.fullmatch(line))}
    first, *others = (_reading(table, devices, source) for table in matrices)
    for table, other in zip(matrices[1:], others, strict=True):
        if other != first:
            raise refusal(source, f"line {table.line}", "a second matrix that differs", "the matrix of one machine")
    return first


def _is_peer_matrix(table: Table) -> bool:
    words = {word for row in table.rows.values() for name, word in row.cells.items() if name != row.label}
    return bool(words) and words <= _PEER_CODES and not table.trailers


def _reading(table: Table, devices: dict[str, str], source: str) -> TopologyReading:
    gpus = table.gpus
    _check_cells(table, source)
    classes: dict[Pair, str] = {}
    links: dict[Pair, DirectLink] = {}
    for i, first in enumerate(gpus):
        for j, second in enumerate(gpus[i + 1 :], start=i + 1):
            word = table.rows[first].cells[second]
            linked = _NVLINK.fullmatch(word)
            if linked:
                links[i, j] = DirectLink("nvlink", int(linked[1]))
            else:
                classes[i, j] = word
    classes |= _shown_by_cards(table, links)
    notes = []
    cards = [name for name in table.columns if name not in gpus]
    if any(name not in table.rows for name in cards):
        notes.append("The rows of the network cards are missing; their columns were read.")
    rows = [table.rows[name] for name in gpus]
    return TopologyReading(
        tool="nvidia-smi",
        gpus=len(gpus),
        classes=classes,
        links=links,
        numa=tuple(_numa(row, source) for row in rows),
        cpus=tuple(_cpus(row, source) for row in rows),
        nics=tuple(NicReading(name, _device(name, devices), _near(table, name)) for name in cards),
        all_to_all=_is_switched(links, len(gpus)),
        notes=tuple(notes),
    )


def _check_cells(table: Table, source: str) -> None:
    for row in table.rows.values():
        for name, word in row.cells.items():
            where = f"line {row.line}, cell {row.label} x {name}"
            if (word == "X") != (name == row.label):
                raise refusal(source, where, word, "X on the diagonal and nowhere else")
            if word != "X" and word not in RANK and not _NVLINK.fullmatch(word):
                raise refusal(source, where, word, _EXPECTED)
    for row in table.rows.values():
        for name, word in row.cells.items():
            mirror = table.rows.get(name)
            if mirror is not None and mirror.cells[row.label] != word:
                where = f"line {row.line}, cell {row.label} x {name}"
                other = f"{mirror.cells[row.label]} as in line {mirror.line}: the matrix must be symmetric"
                raise refusal(source, where, word, other)
    present = [name for name in table.columns if name in table.rows]
    if len(present) not in (len(table.columns), len(table.gpus)):
        missing = next(name for name in table.columns if name not in table.rows)
        raise refusal(source, f"line {table.line}", missing, "a row for this column")
    _check_tree(table, source)


def _check_tree(table: Table, source: str) -> None:
    # PCIe below a host bridge is a tree: what two devices share with a third they share with each other.
    names = [name for name in table.columns if name in table.rows]
    for widest in ("PIX", "PXB", "PHB"):
        near = {
            name: {o for o in names if o != name and RANK.get(table.rows[name].cells[o], 9) <= RANK[widest]}
            for name in names
        }
        for middle in names:
            for first in sorted(near[middle]):
                for second in sorted(near[middle] - near[first] - {first}):
                    word = table.rows[first].cells[second]
                    if word in RANK:
                        where = f"line {table.rows[first].line}, cell {first} x {second}"
                        expected = f"{widest} or nearer, as both have it to {middle}"
                        raise refusal(source, where, word, expected)


def _shown_by_cards(table: Table, links: dict[Pair, DirectLink]) -> Iterator[tuple[Pair, str]]:
    # NVLink hides the PCIe path of a pair. A card near both shows it: they are at most as far apart as the farther.
    gpus = table.gpus
    cards = [name for name in table.columns if name not in gpus]
    for i, j in links:
        paths = [(table.rows[gpus[i]].cells[card], table.rows[gpus[j]].cells[card]) for card in cards]
        shared = [max(path, key=RANK.__getitem__) for path in paths if all(word in RANK for word in path)]
        nearest = min(shared, key=RANK.__getitem__, default="SYS")
        if RANK[nearest] <= RANK["PHB"]:
            yield (i, j), nearest


def _numa(row: Row, source: str) -> tuple[int, ...]:
    word = row.trailers.get("NUMA Affinity", "N/A")
    where = f"line {row.line}, NUMA Affinity of {row.label}"
    return () if word == "N/A" else numbers(word, source=source, where=where)


def _cpus(row: Row, source: str) -> str | None:
    word = row.trailers.get("CPU Affinity", "N/A")
    if word == "N/A":
        return None
    numbers(word, source=source, where=f"line {row.line}, CPU Affinity of {row.label}")
    return word


def _device(name: str, devices: dict[str, str]) -> str | None:
    return devices.get(name) if name.startswith("NIC") else name


def _near(table: Table, card: str) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for slot, gpu in enumerate(table.gpus):
        word = table.rows[gpu].cells[card]
        if RANK.get(word, 0) < RANK["SYS"]:
            found.setdefault(word, []).append(slot)
    return {word: tuple(found[word]) for word in sorted(found, key=lambda word: RANK.get(word, 0))}


def _is_switched(links: dict[Pair, DirectLink], gpus: int) -> bool:
    # No GPU has so many NVLinks that each peer could have these alone: they end in a switch.
    most_links_of_a_gpu = 18
    counts = {link.count for link in links.values()}
    whole = len(links) == gpus * (gpus - 1) // 2 and len(counts) == 1
    return whole and gpus > 2 and max(counts) * (gpus - 1) > most_links_of_a_gpu
