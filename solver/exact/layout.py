"""The part of a cluster that no eviction changes: nodes, slots, domains; compiled once and shared by all snapshots."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...models.cluster import Node
from ...models.domains import DomainKey, domain_of_node, label_of
from ...models.instance import Instance
from ...models.shape import Shape
from ...models.topology import GPU

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """Nodes and slots in the fixed order of names. Readers never change the arrays.

    Attributes
    ----------
    instance : Instance
        What it was compiled from; only its cluster is looked at.
    nodes : list of Node
        In name order.
    shapes : list of Shape
        Of each node.
    node_index : dict
        Number of each node by name.
    first_slot : ndarray of int64, shape (nodes + 1,)
        Where each node's slots begin in the numbering of all slots.
    node_of_slot : ndarray of int64, shape (slots,)
        The node of each slot.
    online : ndarray of bool, shape (slots,)
        Slots that are not offline.
    """

    instance: Instance
    nodes: list[Node]
    shapes: list[Shape]
    node_index: dict[str, int]
    first_slot: Ints
    node_of_slot: Ints
    online: Bools
    _memo: dict[Hashable, object] = field(default_factory=dict)

    def remembered(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return what depends on the layout alone, built at its first use.

        Parameters
        ----------
        key : hashable
            What it is.
        build : callable
            Makes it.

        Returns
        -------
        object
            The same object for the same key.
        """
        if key not in self._memo:
            self._memo[key] = build()
        return cast(T, self._memo[key])

    @cached_property
    def cordoned(self) -> Bools:
        """Nodes that take no new pods, shape (nodes,)."""
        return np.array([node.cordoned for node in self.nodes], dtype=np.bool_)

    @cached_property
    def _distinct(self) -> list[Shape]:
        return list({id(shape): shape for shape in self.shapes}.values())

    @cached_property
    def _models(self) -> dict[str | None, int]:
        return {model: number for number, model in enumerate({m: None for s in self._distinct for m in s.models})}

    def model_number(self, model: str) -> int:
        """Return the number of a GPU model; -1 if no slot is of it.

        Parameters
        ----------
        model : str
            Its exact name.

        Returns
        -------
        int
            As in `model_of_slot`.
        """
        return self._models.get(model, -1)

    @cached_property
    def model_of_slot(self) -> Ints:
        """Model number of each slot, shape (slots,)."""
        numbers = {id(shape): [self._models[model] for model in shape.models] for shape in self._distinct}
        return np.array([number for shape in self.shapes for number in numbers[id(shape)]], dtype=np.int64)

    def capacity(self, resource: str) -> list[int]:
        """Return what each node has of a counted resource.

        Parameters
        ----------
        resource : str
            Its name.

        Returns
        -------
        list of int
            Millionths; 0 where the node does not name it.
        """
        return [shape.resources.get(resource, 0) for shape in self.shapes]

    def domains(self, level: str) -> tuple[Ints, list[DomainKey]]:
        """Return the domain of every slot at a level, and the domains' identities.

        Parameters
        ----------
        level : str
            ``cluster``, ``gpu`` or a level.

        Returns
        -------
        tuple
            Domain number of each slot, shape (slots,), and the identity of each number, in the order of names.
        """
        return self.remembered(("domains", level), lambda: self._number_domains(level))

    def _number_domains(self, level: str) -> tuple[Ints, list[DomainKey]]:
        if level in self.instance.cluster.levels_below:
            numbers = np.empty(len(self.node_of_slot), dtype=np.int64)
            keys: list[DomainKey] = []
            for index, node in enumerate(self.nodes):
                start = int(self.first_slot[index])
                for name, members in self.shapes[index].domains[level].items():
                    if members:
                        numbers[start + np.array(members, dtype=np.int64)] = len(keys)
                        keys.append(("node", node.name, "in", name))
            return numbers, keys
        if level == GPU:
            every = np.arange(len(self.node_of_slot), dtype=np.int64)
            slots = every - self.first_slot[self.node_of_slot]
            names = [self.nodes[n].name for n in self.node_of_slot]
            return every, [("node", name, "slot", str(s)) for name, s in zip(names, slots, strict=True)]
        by_node, keys = self.domain_of_node(level)
        return by_node[self.node_of_slot], keys

    def domain_of_node(self, level: str) -> tuple[Ints, list[DomainKey]]:
        """Return the domain of every node at ``cluster``, ``node`` or a level above it.

        Parameters
        ----------
        level : str
            The level.

        Returns
        -------
        tuple
            Domain number of each node, shape (nodes,), and the identity of each number, in the order of names.
        """

        def build() -> tuple[Ints, list[DomainKey]]:
            of_node = [domain_of_node(self.instance, node, level) for node in self.nodes]
            keys = sorted(set(of_node))
            number = {key: index for index, key in enumerate(keys)}
            return np.array([number[key] for key in of_node], dtype=np.int64), keys

        return self.remembered(("domain of node", level), build)

    def label(self, level: str, number: int) -> str:
        """Return how a domain is called.

        Parameters
        ----------
        level : str
            Its level.
        number : int
            Its number at this level.

        Returns
        -------
        str
            Such as ``z1/r7``.
        """
        return label_of(self.domains(level)[1][number])


def layout_of(instance: Instance) -> Layout:
    """Compile the cluster of an instance.

    Parameters
    ----------
    instance : Instance
        A valid instance.

    Returns
    -------
    Layout
        Its nodes and slots as arrays.
    """
    nodes = sorted(instance.cluster.nodes, key=lambda node: node.name)
    shapes = [instance.shape(node.name) for node in nodes]
    first_slot = np.concatenate(([0], np.cumsum([shape.gpus for shape in shapes]))).astype(np.int64)
    online = np.ones(int(first_slot[-1]), dtype=np.bool_)
    for index, node in enumerate(nodes):
        for slot in node.offline_slots:
            online[first_slot[index] + slot] = False
    return Layout(
        instance=instance,
        nodes=nodes,
        shapes=shapes,
        node_index={node.name: index for index, node in enumerate(nodes)},
        first_slot=first_slot,
        node_of_slot=np.repeat(np.arange(len(nodes), dtype=np.int64), np.diff(first_slot)),
        online=online,
    )
