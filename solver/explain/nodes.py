"""How many pods of the request each node could take at most: resources, the kubelet, and pods of unknown placement."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...models.alignment import alignment
from ...models.reasons import ReasonCode
from ...models.topology import ALIGNING_POLICIES
from ..exact.decision import Asked, Decision
from ..exact.layout import Ints
from .facts import CODES, FREE
from .islands import Islands


def most_by(asked: Asked, decision: Decision) -> Ints:
    """Return the most that can be free of a resource on every node, in steps, shape (nodes,).

    Parameters
    ----------
    asked : Asked
        The resource.
    decision : Decision
        Who may go.

    Returns
    -------
    ndarray of int64
        Below 0 where pods that stay hold more than there is.
    """
    snapshot = decision.snapshot
    evictable = decision.unit_evictable[snapshot.pod_unit]
    back = np.bincount(snapshot.pod_node[evictable], weights=asked.held[evictable], minlength=len(asked.free))
    return asked.free + back.astype(np.int64)


class Nodes:
    """What every node allows.

    Parameters
    ----------
    islands : Islands
        Of the same search.
    """

    def __init__(self, islands: Islands) -> None:
        self._islands = islands
        self.decision = islands.decision
        self.snapshot = islands.snapshot

    @cached_property
    def _staying_unseen(self) -> Ints:
        """GPUs of pods of unknown placement that stay for certain, by code and node, shape (codes, nodes)."""
        snapshot = self.snapshot
        staying = np.zeros((len(CODES), len(snapshot.nodes)), dtype=np.int64)
        by_unit = self._islands.unit_facts
        for node, pods in snapshot.unknown_pods.items():
            for pod in pods:
                code = by_unit[snapshot.pod_unit[pod]]
                if code != FREE:
                    staying[code, node] += snapshot.pods[pod].gpus or 0
        return staying

    @cached_property
    def _burden(self) -> Ints:
        """Slots of each node that can serve, but may be held by unseen pods that stay, shape (nodes,)."""
        unheld = np.bincount(self._islands.cells.node, weights=self._islands.unheld, minlength=len(self.snapshot.nodes))
        burden: Ints = np.minimum(self._staying_unseen.sum(axis=0), unheld.astype(np.int64))
        return burden

    @cached_property
    def unseen_loss(self) -> Ints:
        """Slots of each cell that unseen pods may hold whatever the other cells give, by code, shape (codes, cells)."""
        node = self._islands.cells.node
        rest = np.maximum(self._islands.node_free - self._burden, 0)[node]
        left = np.maximum(self._islands.free - rest, 0)
        lost = np.zeros((len(CODES), self._islands.cells.size), dtype=np.int64)
        for code in np.flatnonzero(self._staying_unseen.any(axis=1)):
            lost[code] = np.minimum(left, self._staying_unseen[code][node])
            left = left - lost[code]
        return lost

    @cached_property
    def loose_seats(self) -> Ints:
        """Pods of each node by the number of its slots that can be free, whichever they are, shape (nodes,)."""
        loose = np.maximum(self._islands.node_free - self._burden, 0) // self.decision.gpus
        seats: Ints = np.where(self._staying_unseen.any(axis=0), loose, self.decision.pods_most)
        return seats

    @cached_property
    def certain_seats(self) -> Ints:
        """Pods that each node can take for certain beside the pods of unknown placement that stay, shape (nodes,)."""
        snapshot, size = self.snapshot, self.decision.gpus
        nodes = len(snapshot.nodes)
        staying = self._staying_unseen.sum(axis=0)
        if not staying.any() or self._islands.level != self._islands.kind:
            return self.loose_seats
        here = np.minimum(staying[self._islands.cells.node], self._islands.unheld)
        alone = np.maximum(self._islands.free - here, 0) // size
        spread = np.where(self._islands.free >= size, self._islands.free - size + 1, 0)
        by_itself = np.bincount(self._islands.cells.node, weights=alone, minlength=nodes).astype(np.int64)
        breaking = np.bincount(self._islands.cells.node, weights=spread, minlength=nodes).astype(np.int64)
        strict = np.minimum(self.loose_seats, np.maximum(by_itself, staying < breaking))
        vague = np.zeros(nodes, dtype=np.bool_)
        for node, pods in snapshot.unknown_pods.items():
            vague[node] = any(snapshot.pods[pod].share < 1 or snapshot.pods[pod].within for pod in pods)
        return np.where((staying > 0) & ~vague, strict, self.loose_seats)

    @cached_property
    def _admitted(self) -> Ints:
        """Pods that the kubelet of each node could admit by their shape, shape (nodes,)."""
        snapshot = self.snapshot
        most = np.full(len(snapshot.nodes), self.decision.pods_most, dtype=np.int64)
        widths: dict[tuple[int, tuple[int, ...]], int | None] = {}
        distinct = {id(shape): shape for shape in snapshot.shapes}.values()
        if not any(shape.topology_policy in ALIGNING_POLICIES for shape in distinct):
            return most
        for index, node in enumerate(snapshot.nodes):
            shape = snapshot.shapes[index]
            if shape.topology_policy not in ALIGNING_POLICIES:
                continue
            key = (id(shape), tuple(node.offline_slots))
            if key not in widths:
                aligned = alignment(self.decision.instance, node)
                widths[key] = 1 if aligned is None else aligned.width
            width = widths[key]
            most[index] = 0 if width is None else (most[index] if width == 1 else min(most[index], 1))
        return most

    @cached_property
    def _room(self) -> dict[str, Ints]:
        """Pods that each resource allows on each node, shape (nodes,)."""
        found = {}
        for asked in self.decision.asked:
            most = np.maximum(most_by(asked, self.decision), 0) // asked.amount
            found[asked.name] = np.where(asked.bounds, most, self.decision.pods_most)
        return found

    def caps(self) -> Ints:
        """Return the pods that each node takes at most by its resources and its kubelet, shape (nodes,)."""
        most = np.minimum(self._admitted, np.where(self.decision.node_usable, self.decision.pods_most, 0))
        caps: Ints = np.minimum.reduce([most, *self._room.values()])
        return caps

    def hindered(self, node: Ints, wanted: Ints, place: Ints, size: int) -> dict[ReasonCode | str, Ints]:
        """Count by place the nodes where something allows fewer pods than wanted.

        Parameters
        ----------
        node, wanted, place : ndarray of int64
            Nodes, the pods that they could take otherwise, and the place that each belongs to.
        size : int
            Number of places.

        Returns
        -------
        dict
            By code, or by the name of a resource; shape (places,).
        """

        def count(allowed: Ints) -> Ints:
            return np.bincount(place, weights=allowed[node] < wanted, minlength=size).astype(np.int64)

        found: dict[ReasonCode | str, Ints] = {name: count(room) for name, room in self._room.items()}
        found[ReasonCode.ALIGNMENT] = count(self._admitted)
        if self.decision.gpus:
            sure = np.where(self.certain_seats < self.loose_seats, self.certain_seats, self.decision.pods_most)
            found[ReasonCode.UNKNOWN_PLACEMENT] = count(sure)
        return {what: numbers for what, numbers in found.items() if numbers.any()}
