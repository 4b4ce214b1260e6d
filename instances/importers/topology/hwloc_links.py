"""Links between GPUs in hwloc XML: the bandwidth matrices NVLinkBandwidth and XGMIBandwidth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Final

import networkx as nx

from ..plain_text import refusal
from .reading import DirectLink, Pair
from .xml_tree import Element

_KINDS: Final[Mapping[str, str]] = {"NVLinkBandwidth": "nvlink", "XGMIBandwidth": "xgmi"}

# One direction of one NVLink, in MB/s, by generation: hwloc prints 20000 for the first and 25000 for later ones.
_ONE_LINK: Final = (25_000, 20_000)


def read_links(
    root: Element, gpus: list[Element], notes: list[str], source: str
) -> tuple[dict[Pair, DirectLink] | None, bool]:
    """Return the links between GPUs.

    Parameters
    ----------
    root : Element
        The ``topology`` element.
    gpus : list of Element
        The PCI device of each slot.
    notes : list of str
        Grows by what was assumed.
    source : str
        The file's name, for messages.

    Returns
    -------
    links : dict or None
        Links by pair of slots; None if the file has no such matrix.
    all_to_all : bool
        Every pair is joined through link switches.
    """
    matrices = [child for tag in ("distances2", "distances2hetero") for child in root.named(tag)]
    matrices = [matrix for matrix in matrices if matrix.get("name") in _KINDS]
    if not matrices:
        notes.append("The file has no link bandwidths: links between GPUs are unknown and none were imported.")
        return None, False
    slots = {owner: slot for slot, gpu in enumerate(gpus) for owner in _names(gpu)}
    switches = {name for element in _objects(root) if element.get("subtype") == "NVSwitch" for name in _names(element)}
    links: dict[Pair, DirectLink] = {}
    switched = False
    for matrix in matrices:
        kind = _KINDS[matrix.get("name")]
        names, values = _matrix(matrix, source)
        graph = _graph(names, values, matrix, source)
        found = {
            pair: DirectLink(kind, _count(speed, kind, notes))
            for first, second, speed in graph.edges(data="speed")
            if (pair := _pair(slots, first, second)) is not None
        }
        through = _through_switches(graph, slots, switches)
        if through and len(through) < len(gpus) * (len(gpus) - 1) // 2:
            notes.append(f"{matrix.get('name')}: link switches join only some GPUs; pairs across count as not linked.")
        switched |= len(through) == len(gpus) * (len(gpus) - 1) // 2 > 0
        found |= {pair: DirectLink(kind, _count(speed, kind, notes)) for pair, speed in through.items()}
        if any(name not in slots and name not in switches for edge in graph.edges for name in edge):
            notes.append(f"{matrix.get('name')}: links to what is no GPU were left out.")
        links |= found
    return links, switched


def _matrix(matrix: Element, source: str) -> tuple[list[str], list[int]]:
    names = [word for part in matrix.named("indexes") for word in part.text.split()]
    if matrix.tag == "distances2":
        names = [f"{matrix.get('type')}:{name}" for name in names]
    words = [word for part in matrix.named("u64values") for word in part.text.split()]
    where = f"line {matrix.line}, {matrix.get('name')}"
    if len(words) != len(names) ** 2 or str(len(names)) != matrix.get("nbobjs"):
        found = f"{len(names)} objects and {len(words)} values"
        raise refusal(source, where, found, f"nbobjs={matrix.get('nbobjs')!r} objects and a square of values")
    if len(set(names)) < len(names):
        raise refusal(source, where, "an object stands twice", "each object once")
    for word in words:
        if not re.fullmatch(r"\d{1,12}", word):
            raise refusal(source, where, word[:40], "a bandwidth in MB/s")
    return names, [int(word) for word in words]


def _graph(names: list[str], values: list[int], matrix: Element, source: str) -> nx.Graph:
    graph = nx.Graph()
    size = len(names)
    for i, j in combinations(range(size), 2):
        speed, back = values[i * size + j], values[j * size + i]
        if speed != back:
            where = f"line {matrix.line}, {matrix.get('name')}, cell {names[i]} x {names[j]}"
            raise refusal(source, where, str(speed), f"{back}, as the other way round: the matrix must be symmetric")
        if speed:
            graph.add_edge(names[i], names[j], speed=speed)
    return graph


def _through_switches(graph: nx.Graph, slots: dict[str, int], switches: set[str]) -> dict[Pair, int]:
    # GPUs whose links end in connected link switches reach each other with the bandwidth of the slower one.
    found: dict[Pair, int] = {}
    for group in nx.connected_components(graph.subgraph(switches)):
        into: dict[str, int] = {}
        for switch in group:
            for name in graph[switch]:
                if name in slots:
                    into[name] = into.get(name, 0) + graph[switch][name]["speed"]
        for first, second in combinations(sorted(into, key=slots.__getitem__), 2):
            pair = (slots[first], slots[second])
            found[pair] = found.get(pair, 0) + min(into[first], into[second])
    return found


def _count(speed: int, kind: str, notes: list[str]) -> int:
    unit = next((unit for unit in _ONE_LINK if speed % unit == 0), None) if kind == "nvlink" else None
    if unit is None:
        note = f"How many links make {speed} MB/s of {kind} is not known: counted as one."
        count = 1
    else:
        note = f"Link counts are bandwidth / {unit} MB/s."
        count = speed // unit
    if note not in notes:
        notes.append(note)
    return count


def _pair(slots: dict[str, int], first: str, second: str) -> Pair | None:
    if first not in slots or second not in slots or slots[first] == slots[second]:
        return None
    return min(slots[first], slots[second]), max(slots[first], slots[second])


def _names(element: Element) -> list[str]:
    # Matrices name an object by its type and its gp_index; a GPU by itself or by a device that the system makes of it.
    owners = [element, *element.named("object")]
    return [f"{owner.get('type')}:{owner.get('gp_index')}" for owner in owners if owner.get("gp_index")]


def _objects(element: Element) -> list[Element]:
    found = [element]
    for child in element.named("object"):
        found += _objects(child)
    return found
