"""What all scenarios draw: a repeatable source of randomness, free slots that fill up, and how long jobs have run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ...models.errors import ConfigError

_BLIND_DRAWS = 20


def source(family: str, seed: int, index: int) -> Random:
    """Return the randomness of one instance.

    Parameters
    ----------
    family : str
        The scenario.
    seed : int
        Seed of the series.
    index : int
        Number in the series; instances of one series are independent.

    Returns
    -------
    Random
        Its draws depend on nothing else.
    """
    return Random(f"{family}/{seed}/{index}")


def weighted(rng: Random, table: Mapping[Any, float]) -> Any:
    """Return a key of a table of weights.

    Parameters
    ----------
    rng : Random
        The source.
    table : mapping
        Key to weight.

    Returns
    -------
    Any
        A key, drawn in proportion to its weight.
    """
    return rng.choices(list(table), weights=list(table.values()))[0]


def timing(rng: Random, *, shortest: float = 60.0, longest: float = 86_400.0) -> dict[str, float]:
    """Return how long a job has run and what its eviction would lose.

    Parameters
    ----------
    rng : Random
        The source.
    shortest, longest : float
        Bounds of the running time in seconds; it is log-uniform between them, as the run times of public traces
        roughly are.

    Returns
    -------
    dict
        Fields of a job: a third checkpoint on eviction, a third checkpoint every half hour, a third never.
    """
    running = round(math.exp(rng.uniform(math.log(shortest), math.log(longest))))
    fields: dict[str, float] = {"running_seconds": running, "restart_seconds": rng.choice((30, 60, 120, 300))}
    style = rng.randrange(3)
    if style == 0:
        fields |= {"checkpoint_seconds": rng.choice((10, 20, 60)), "grace_seconds": 30, "unsaved_seconds": running}
    elif style == 1:
        fields |= {"unsaved_seconds": min(running, rng.randrange(1800)), "grace_seconds": 30}
    return fields


class Room:
    """Free slots of nodes while an instance is filled.

    Parameters
    ----------
    slots : mapping
        Node name to the slots that may be used.
    """

    def __init__(self, slots: Mapping[str, Sequence[int]]) -> None:
        self._free = {node: list(numbers) for node, numbers in slots.items()}
        self._names = list(slots)
        self.total = sum(map(len, slots.values()))
        self.free = self.total

    @property
    def fill(self) -> float:
        """The share of slots in use, 0..1."""
        return 1.0 if not self.total else 1 - self.free / self.total

    def any_with(self, rng: Random, gpus: int) -> str | None:
        """Return a random node that has so many free slots; None if no node has."""
        # A few blind draws find one as long as many have; only a nearly full cluster is searched through.
        for _ in range(_BLIND_DRAWS):
            node = rng.choice(self._names)
            if len(self._free[node]) >= gpus:
                return node
        found = [node for node, slots in self._free.items() if len(slots) >= gpus]
        return rng.choice(found) if found else None

    def emptiest(self, rng: Random) -> str:
        """Return a node with the most free slots, any of equals."""
        most = max(map(len, self._free.values()))
        return rng.choice([node for node, slots in self._free.items() if len(slots) == most])

    def take(self, rng: Random, node: str, gpus: int) -> list[int]:
        """Take random free slots of a node, as an aged cluster without topology awareness holds them."""
        slots = sorted(rng.sample(self._free[node], gpus))
        self._free[node] = [slot for slot in self._free[node] if slot not in slots]
        self.free -= gpus
        return slots

    def give_back(self, node: str, slots: Sequence[int]) -> None:
        """Return slots of a node to the free ones."""
        self._free[node] = sorted([*self._free[node], *slots])
        self.free += len(slots)


def checked_size(nodes: int, fill: float, request_gpus: int | None, most_gpus: int) -> None:
    """Refuse sizes that no scenario can have.

    Parameters
    ----------
    nodes : int
        Number of nodes.
    fill : float
        Share of slots in use.
    request_gpus : int or None
        GPUs of a pod of the request.
    most_gpus : int
        GPUs of the largest node.

    Raises
    ------
    ConfigError
        Naming the option and what it may be.
    """
    if not 1 <= nodes <= 100_000:
        raise ConfigError(f"nodes: found {nodes}, expected 1 to 100000")
    if not 0 <= fill <= 1:
        raise ConfigError(f"fill: found {fill}, expected a share from 0 to 1")
    if request_gpus is not None and not 1 <= request_gpus <= most_gpus:
        raise ConfigError(f"request_gpus: found {request_gpus}, expected 1 to {most_gpus}")
