"""A decision with less allowed: nodes or slots closed, jobs or single pods spared; nothing is compiled again."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..exact.decision import Decision


class Narrowed(Decision):
    """The same request against the same snapshot with some nodes, slots or victims out of reach.

    Parameters
    ----------
    base : Decision
        The decision to narrow.
    nodes : collection of int
        Nodes that the request may not use.
    slots : collection of int
        Slots that it may not use.
    jobs : collection of int
        Jobs that may not be evicted.
    units : collection of int or None
        The only units that may be evicted; None: no such limit.
    """

    def __init__(
        self,
        base: Decision,
        *,
        nodes: Collection[int] = (),
        slots: Collection[int] = (),
        jobs: Collection[int] = (),
        units: Collection[int] | None = None,
    ) -> None:
        super().__init__(base.snapshot, base.instance)
        self._base = base
        self._nodes = np.array(sorted(nodes), dtype=np.int64)
        self._slots = np.array(sorted(slots), dtype=np.int64)
        self._jobs = np.array(sorted(jobs), dtype=np.int64)
        self._units = None if units is None else np.array(sorted(units), dtype=np.int64)

    @cached_property
    def tiers(self) -> list[int]:
        """The tiers of the whole decision, so that costs stay comparable."""
        return self._base.tiers

    @cached_property
    def job_evictable(self) -> NDArray[np.bool_]:
        """Jobs that may be evicted, shape (jobs,)."""
        may = self._base.job_evictable.copy()
        may[self._jobs] = False
        return may

    @cached_property
    def unit_evictable(self) -> NDArray[np.bool_]:
        """Units that some plan may evict, shape (units,)."""
        may = self._base.unit_evictable & self.job_evictable[self.snapshot.unit_job]
        if self._units is not None:
            allowed = np.zeros_like(may)
            allowed[self._units] = True
            may &= allowed
        return may

    @property
    def spared_units(self) -> NDArray[np.bool_]:
        """Units that only this narrowing spares, shape (units,)."""
        spared = ~self.unit_evictable
        return spared if self._units is not None else spared & self._base.unit_evictable

    @cached_property
    def node_usable(self) -> NDArray[np.bool_]:
        """Nodes that the request may use, shape (nodes,)."""
        usable = self._base.node_usable.copy()
        usable[self._nodes] = False
        return usable

    @cached_property
    def slot_usable(self) -> NDArray[np.bool_]:
        """Slots that may serve the request once they are free, shape (slots,)."""
        usable = self._base.slot_usable & self.node_usable[self.snapshot.node_of_slot]
        usable[self._slots] = False
        return usable
