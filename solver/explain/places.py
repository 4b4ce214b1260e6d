"""Where the request could go, and what each place has of what it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...models.reasons import ReasonCode
from ..exact.decision import Decision
from ..exact.layout import Ints


@dataclass(frozen=True)
class Places:
    """Where the request could go: islands for a single pod, regions for a gang; every number is an upper bound.

    Attributes
    ----------
    decision : Decision
        The request.
    is_single : bool
        Whether the request is one pod, so that places are its islands.
    level : str
        What a place is called.
    size : int
        Number of places.
    label : callable
        Gives the name of a place.
    nodes : callable
        Gives the nodes of a place.
    slot_facts, unit_facts : ndarray of int64, shape (slots,), (units,)
        As `facts` gives them.
    slots, free : ndarray of int64, shape (places,)
        Slots in all, and those that can serve the request once everybody goes who may.
    lost : ndarray of int64, shape (codes, places)
        Slots that cannot, by the position of the fact in `CODES`.
    slot_seats, seats, empty_seats : ndarray of int64, shape (places,)
        Pods that fit at most: as far as slots go; with all that is counted; and if nobody ran there, nothing was
        wrong and resources did not count.
    hindered : dict
        By code, or by the name of a resource: nodes of each place that take fewer pods for this reason, shape
        (places,).
    """

    decision: Decision
    is_single: bool
    level: str
    size: int
    label: Callable[[int], str]
    nodes: Callable[[int], Ints]
    slot_facts: Ints
    unit_facts: Ints
    slots: Ints
    free: Ints
    lost: Ints
    slot_seats: Ints
    seats: Ints
    empty_seats: Ints
    hindered: dict[ReasonCode | str, Ints]

    def __len__(self) -> int:
        """Return the number of places."""
        return self.size

    def nodes_of(self, places: Sequence[int]) -> Ints:
        """Return the nodes of several places, each once.

        Parameters
        ----------
        places : sequence of int
            At least one.

        Returns
        -------
        ndarray of int64
            In name order.
        """
        return np.unique(np.concatenate([self.nodes(place) for place in places]))
