"""``topology.conf`` and ``topology.yaml``: switches or blocks above the nodes, as a path of domains for each node."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from ..plain_text import plain_lines, refusal
from .hostlist import expand

_WORD = re.compile(r"([A-Za-z]\w*)\s*=\s*(\S+)")
_PLACED = {"ring": ("rings", "ring"), "torus3d": ("toruses", "name")}


@dataclass(frozen=True)
class Fabric:
    """Where nodes stand.

    Attributes
    ----------
    tiers : int
        How many levels there are above the nodes.
    paths : mapping
        For each node its domains, tightest first, `tiers` long.
    notes : tuple of str
        What was assumed or left out.
    """

    tiers: int = 0
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_topology_conf(text: str, *, source: str) -> Fabric:
    """Return what ``topology.conf`` says.

    Parameters
    ----------
    text : str
        The file: switches (tree) or blocks.
    source : str
        Its name, for messages.

    Returns
    -------
    Fabric
        The path of every node.

    Raises
    ------
    InstanceError
        A line that Slurm would not read so, a circle, or a node below two switches.
    """
    switches: list[tuple[str, str, str, str]] = []
    blocks: list[tuple[str, str, str]] = []
    sizes = ""
    for number, raw in enumerate(plain_lines(text), start=1):
        line = raw.partition("#")[0].strip()
        words = {name.lower(): word for name, word in _WORD.findall(line)}
        where = f"line {number}"
        if not line:
            continue
        if "switchname" in words:
            switches.append((words["switchname"], words.get("switches", ""), words.get("nodes", ""), where))
        elif "blockname" in words:
            blocks.append((words["blockname"], words.get("nodes", ""), where))
        elif "blocksizes" in words:
            sizes = words["blocksizes"]
        else:
            raise refusal(source, where, repr(line[:60]), "SwitchName=, BlockName= or BlockSizes=")
    if switches and blocks:
        raise refusal(source, "", "switches and blocks", "one kind of topology")
    return _tree(switches, source) if switches else _blocks(blocks, _sizes(sizes, source), source)


def read_topology_yaml(document: Any, *, source: str, name: str | None = None) -> Fabric:
    """Return what ``topology.yaml`` says.

    Parameters
    ----------
    document : Any
        Its plain data: a list of topologies.
    source : str
        The file's name, for messages.
    name : str, optional
        Which topology; default: the cluster's default, or the only one.

    Returns
    -------
    Fabric
        The path of every node.

    Raises
    ------
    InstanceError
        No such file, an unknown topology, or as `read_topology_conf`.
    """
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise refusal(source, "", "", "a list of topologies")
    chosen = [entry for entry in document if (entry.get("topology") == name if name else entry.get("cluster_default"))]
    chosen = chosen or ([] if name else document)
    if len(chosen) != 1:
        names = ", ".join(str(entry.get("topology")) for entry in document)
        raise refusal(source, "", names[:60], f"one topology {name or 'that is the default'}; name it")
    entry = chosen[0]
    kind = next((kind for kind in ("tree", "block", "ring", "torus3d", "flat") if kind in entry), None)
    if kind is None:
        raise refusal(source, str(entry.get("topology")), "", "one of tree, block, ring, torus3d, flat")
    if kind == "flat":
        return Fabric(notes=(f"{source}: a flat topology has no domains above the nodes.",))
    path, body = f"{entry.get('topology')}.{kind}", entry[kind]
    if kind == "tree":
        rows = _rows(body, "switches", path, source)
        return _tree([(_text(r, "switch", w, source), _text(r, "children", w, source), _text(r, "nodes", w, source), w)
                      for r, w in rows], source)  # fmt: skip
    if kind == "block":
        rows = _rows(body, "blocks", path, source)
        sizes = body.get("block_sizes", [])
        if not isinstance(sizes, list):
            raise refusal(source, f"{path}.block_sizes", repr(sizes)[:60], "a list of numbers")
        listed = [(_text(r, "block", w, source), _text(r, "nodes", w, source), w) for r, w in rows]
        return _blocks(listed, _sizes(",".join(map(str, sizes)), source), source)
    rows = _rows(body, _PLACED[kind][0], path, source)
    listed = [(_text(r, _PLACED[kind][1], w, source), _text(r, "nodes", w, source), w) for r, w in rows]
    fabric = _blocks(listed, (), source)
    note = f"{source}: of a {kind} only who belongs to it was imported, not the order inside."
    return Fabric(fabric.tiers, fabric.paths, (*fabric.notes, note))


def _rows(body: Any, key: str, path: str, source: str) -> list[tuple[dict[str, Any], str]]:
    entries = body.get(key) if isinstance(body, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise refusal(source, f"{path}.{key}", repr(entries)[:60], "a list of objects")
    return [(entry, f"{path}.{key}[{index}]") for index, entry in enumerate(entries)]


def _text(row: dict[str, Any], name: str, where: str, source: str) -> str:
    value = row.get(name, "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise refusal(source, f"{where}.{name}", repr(value)[:60], "a text")
    return str(value)


def _sizes(text: str, source: str) -> tuple[int, ...]:
    if not text:
        return ()
    if not re.fullmatch(r"[1-9]\d{0,5}(,[1-9]\d{0,5})*", text):
        raise refusal(source, "BlockSizes", repr(text[:60]), "numbers of nodes such as 18,36")
    return tuple(sorted({int(part) for part in text.split(",")}))


def _tree(switches: list[tuple[str, str, str, str]], source: str) -> Fabric:
    graph = nx.DiGraph()
    leaf_of: dict[str, str] = {}
    for name, children, nodes, where in switches:
        if name in graph and graph.nodes[name].get("told"):
            raise refusal(source, where, name, "each switch once")
        if not name:
            raise refusal(source, where, "", "the name of a switch")
        graph.add_node(name, told=True)
        for child in expand(children, source=source, where=where):
            if child in graph and graph.in_degree(child):
                raise refusal(source, where, child, "a switch below one other only")
            graph.add_edge(name, child)
        for node in expand(nodes, source=source, where=where):
            if node in leaf_of:
                raise refusal(source, where, node, f"a node below one switch only; {leaf_of[node]} has it too")
            leaf_of[node] = name
    untold = sorted(name for name in graph if not graph.nodes[name].get("told"))
    if untold:
        raise refusal(source, "", untold[0], "a SwitchName= line for each switch that is named below another")
    if not nx.is_directed_acyclic_graph(graph):
        raise refusal(source, "", " > ".join(map(str, next(iter(nx.simple_cycles(graph))))), "a tree without circles")
    return _paths(graph, leaf_of)


def _paths(graph: nx.DiGraph, leaf_of: dict[str, str]) -> Fabric:
    # A switch stands on the tier of its longest way down; where a branch is shorter, its top stands for itself above.
    tier: dict[str, int] = {}
    for name in reversed(list(nx.topological_sort(graph))):
        tier[name] = 1 + max((tier[child] for child in graph.successors(name)), default=0)
    tiers = max((tier[leaf] for leaf in _with_ancestors(graph, leaf_of)), default=0)
    paths: dict[str, tuple[str, ...]] = {}
    uneven = False
    for node, leaf in leaf_of.items():
        above = {tier[leaf]: leaf}
        here = leaf
        while parents := list(graph.predecessors(here)):
            here = parents[0]
            above[tier[here]] = here
        path: list[str] = []
        for level in range(1, tiers + 1):
            at = max((t for t in above if t <= level), default=min(above))
            path.append(above[at])
        uneven |= len(above) < tiers
        paths[node] = tuple(path)
    notes = ("Some branches of the switch tree are shorter: their switches stand for themselves on more tiers.",)
    return Fabric(tiers, dict(sorted(paths.items())), notes if uneven else ())


def _with_ancestors(graph: nx.DiGraph, leaf_of: dict[str, str]) -> Iterator[str]:
    for leaf in set(leaf_of.values()):
        yield leaf
        yield from nx.ancestors(graph, leaf)


def _blocks(blocks: list[tuple[str, str, str]], sizes: tuple[int, ...], source: str) -> Fabric:
    block_of: dict[str, int] = {}
    names: list[str] = []
    for name, nodes, where in blocks:
        if not name or name in names:
            raise refusal(source, where, name, "a block with a name of its own")
        names.append(name)
        for node in expand(nodes, source=source, where=where):
            if node in block_of:
                raise refusal(source, where, node, f"a node of one block only; {names[block_of[node]]} has it too")
            block_of[node] = len(names) - 1
    # Slurm joins neighbouring base blocks, in the order of the file, to each larger size.
    base = sizes[0] if sizes else 1
    joins = [1]
    for size in sizes[1:]:
        if size % base:
            raise refusal(source, "BlockSizes", str(size), f"a multiple of the smallest size, {base}")
        joins.append(size // base)
    paths = {
        node: tuple(names[block] if join == 1 else names[block // join * join] + f"+{join - 1}" for join in joins)
        for node, block in sorted(block_of.items())
    }
    return Fabric(len(joins) if paths else 0, paths)
