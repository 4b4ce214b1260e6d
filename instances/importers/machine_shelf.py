"""The machines of an imported cluster, each shape once, and one order of all their levels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from ...models import ConfigError


@dataclass
class MachineShelf:
    """The machines of an imported cluster, each shape once, and the order of the levels that they use."""

    _names: dict[str, str] = field(default_factory=dict)
    _shapes: dict[str, dict[str, Any]] = field(default_factory=dict)
    _orders: list[tuple[str, ...]] = field(default_factory=list)

    def place(self, fields: Mapping[str, Any], *, name: str, levels: Sequence[str] = ()) -> str:
        """Keep a shape and return the name under which the nodes may name it.

        Parameters
        ----------
        fields : mapping
            A machine's fields.
        name : str
            The wanted name; a number follows where another shape has it.
        levels : sequence of str
            Levels below node, broadest first; those of the fields that are missing here come after.

        Returns
        -------
        str
            A key of `machines`.
        """
        order = (*levels, *sorted(set(fields.get("domains", {})) - set(levels)))
        if order not in self._orders:
            self._orders.append(order)
        key = json.dumps(fields, sort_keys=True)
        if key not in self._names:
            number = 1
            free = name
            while free in self._shapes:
                number += 1
                free = f"{name}-{number}"
            self._names[key] = free
            self._shapes[free] = dict(fields)
        return self._names[key]

    def machines(self) -> dict[str, dict[str, Any]]:
        """Return all kept shapes by name, in name order."""
        return dict(sorted(self._shapes.items()))

    def levels_below(self) -> list[str]:
        """Return the levels below node of all machines in one order that agrees with each machine's own.

        Returns
        -------
        list of str
            Broadest first.

        Raises
        ------
        ConfigError
            Two machines order the same levels differently.
        """
        graph = nx.DiGraph()
        for order in self._orders:
            nx.add_path(graph, order)
        first = {level: rank for rank, level in enumerate(dict.fromkeys(lv for order in self._orders for lv in order))}
        try:
            return list(nx.lexicographical_topological_sort(graph, key=lambda level: first[level]))
        except nx.NetworkXUnfeasible:
            orders = "; ".join(", ".join(order) for order in self._orders if len(order) > 1)
            raise ConfigError(f"machines order their levels differently: {orders}") from None
