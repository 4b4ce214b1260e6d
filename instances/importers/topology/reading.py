"""What a topology tool says of one machine, before anything is concluded from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import networkx as nx

Pair = tuple[int, int]

# Rank of a PCIe path class, nearest first. SOC is what old drivers print for a path across sockets.
RANK: Final[Mapping[str, int]] = {"PIX": 0, "PXB": 1, "PHB": 2, "NODE": 3, "SYS": 4, "SOC": 4}


@dataclass(frozen=True)
class DirectLink:
    """Links of one kind between two GPUs.

    Attributes
    ----------
    kind : str
        ``nvlink`` or ``xgmi``.
    count : int
        How many run side by side.
    """

    kind: str
    count: int


@dataclass(frozen=True)
class NicReading:
    """A network card.

    Attributes
    ----------
    name : str
        What the tool calls it.
    device : str or None
        The device that a legend gives for the name.
    near : mapping
        Slots by the class of their path to it; paths across sockets or NUMA nodes are left out.
    """

    name: str
    device: str | None
    near: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class TopologyReading:
    """One machine as a tool describes it; slot i is the GPU that the tool numbers i.

    Attributes
    ----------
    tool : str
        Whose words these are.
    gpus : int
        Number of GPUs.
    classes : mapping
        PCIe path class of each pair (smaller slot first) for which it is known.
    links : mapping or None
        Direct links of each linked pair; None: the tool says nothing of links.
    numa : tuple of tuple of int
        For each GPU the NUMA nodes that the tool names for it; empty if it names none.
    cpus : tuple of (str or None)
        For each GPU its CPU affinity as printed.
    sockets : tuple of (int or None)
        For each GPU its CPU package.
    switches, roots : tuple of str
        For each GPU the nearest PCIe switch that others share (else its own), and the broadest bridge below the
        host bridge; empty if the tool shows classes only.
    models : tuple of (str or None)
        For each GPU its model.
    hops : mapping
        For pairs joined through other GPUs' links: how many links the path has.
    pcie_hops : mapping
        For pairs joined by PCIe: the hops that rocm-smi prints; 3 are different sockets.
    nics : tuple of NicReading
        Network cards.
    all_to_all : bool
        Every pair is joined by a switch of links (NVSwitch).
    cpus_by_numa, memory_by_numa : mapping
        CPUs, and memory in GiB, of NUMA nodes where the tool lists the whole machine.
    notes : tuple of str
        What was assumed or left out, one sentence each.
    """

    tool: str
    gpus: int
    classes: Mapping[Pair, str] = field(default_factory=dict)
    links: Mapping[Pair, DirectLink] | None = None
    numa: tuple[tuple[int, ...], ...] = ()
    cpus: tuple[str | None, ...] = ()
    sockets: tuple[int | None, ...] = ()
    switches: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    models: tuple[str | None, ...] = ()
    hops: Mapping[Pair, int] = field(default_factory=dict)
    pcie_hops: Mapping[Pair, int] = field(default_factory=dict)
    nics: tuple[NicReading, ...] = ()
    all_to_all: bool = False
    cpus_by_numa: Mapping[int, int] = field(default_factory=dict)
    memory_by_numa: Mapping[int, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs of slots, smaller slot first."""
        return tuple(combinations(range(self.gpus), 2))

    @property
    def numa_groups(self) -> dict[int, list[int]] | None:
        """Slots by NUMA node; None unless every GPU has exactly one."""
        if not self.gpus or any(len(nodes) != 1 for nodes in self.numa) or len(self.numa) != self.gpus:
            return None
        return {node: [s for s in range(self.gpus) if self.numa[s] == (node,)] for (node,) in sorted(set(self.numa))}

    @property
    def cpu_groups(self) -> dict[str, list[int]] | None:
        """Slots by CPU affinity; None unless it is known of every GPU."""
        if not self.gpus or len(self.cpus) != self.gpus:
            return None
        groups: dict[str, list[int]] = {}
        for slot, cpus in enumerate(self.cpus):
            if cpus is None:
                return None
            groups.setdefault(cpus, []).append(slot)
        return groups

    @property
    def link_cliques(self) -> list[list[int]]:
        """Maximal sets of GPUs in which every pair is linked, of two or more."""
        graph = nx.Graph()
        graph.add_edges_from(self.links or ())
        return sorted(sorted(clique) for clique in nx.find_cliques(graph))

    @property
    def pcie_groups(self) -> list[list[int]]:
        """GPUs behind one PCIe switch, of two or more: the nearest switch that the tool shows."""
        return [group for group in self.partition(self.nearest_class) if len(group) > 1]

    @property
    def host_bridge_groups(self) -> list[list[int]]:
        """GPUs below one host bridge, of two or more."""
        return [group for group in self.partition("PHB") if len(group) > 1]

    @property
    def nearest_class(self) -> str:
        """``PIX`` if any pair shares one switch, else ``PXB``."""
        return "PIX" if "PIX" in self.classes.values() else "PXB"

    def partition(self, widest: str) -> list[list[int]]:
        """Return the groups of GPUs that a path of at most a given class joins.

        Parameters
        ----------
        widest : str
            A PCIe path class.

        Returns
        -------
        list of list of int
            A partition of the slots, by first slot.
        """
        graph = nx.Graph()
        graph.add_nodes_from(range(self.gpus))
        graph.add_edges_from(pair for pair, word in self.classes.items() if RANK[word] <= RANK[widest])
        return sorted(sorted(group) for group in nx.connected_components(graph))
