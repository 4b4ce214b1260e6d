"""Where the pods of a trace without placement are put: drawn by running time, placed node by node until the fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...models.errors import InstanceError, Problem

if TYPE_CHECKING:
    from .openb import NodeRow, PodRow

WHOLE = 1000
PATIENCE = 1000


@dataclass(frozen=True)
class Placed:
    """A running pod.

    Attributes
    ----------
    row : PodRow
        What was drawn.
    node : str
        Where it runs.
    slots : tuple of int
        What it holds.
    age_seconds : float
        How long it has run.
    """

    row: PodRow
    node: str
    slots: tuple[int, ...]
    age_seconds: float


class _Free:
    """What is free on every node: thousandths of each slot (-1 where there is none), CPU and memory."""

    def __init__(self, nodes: Sequence[NodeRow]) -> None:
        self.gpus = np.array([node.gpu for node in nodes])
        slots = np.arange(max(1, self.gpus.max(initial=0)))
        self.share = np.where(slots[None, :] < self.gpus[:, None], WHOLE, -1)
        self.cpu = np.array([node.cpu_milli for node in nodes], dtype=np.int64)
        self.memory = np.array([node.memory_mib for node in nodes], dtype=np.int64)
        self.models = np.array([node.model for node in nodes])
        self._allowed: dict[tuple[str, ...], Any] = {}

    def room_for(self, pod: PodRow) -> Any:
        """Indices of the nodes that can take the pod."""
        if pod.models not in self._allowed:
            self._allowed[pod.models] = np.isin(self.models, pod.models) if pod.models else self.gpus > 0
        fits = (self.share >= pod.gpu_milli).sum(axis=1) >= pod.num_gpu
        fits &= (self.cpu >= pod.cpu_milli) & (self.memory >= pod.memory_mib)
        return np.flatnonzero(fits & self._allowed[pod.models])

    def tightest(self, rooms: Any) -> int:
        """The node of these with the least free GPU, the first of equals."""
        return int(rooms[np.argmin(np.maximum(self.share[rooms], 0).sum(axis=1))])

    def take(self, index: int, pod: PodRow, rng: Random | None) -> tuple[int, ...]:
        """Hold slots for the pod: the fullest that have room; among whole free ones any, or the first."""
        free = self.share[index]
        fitting = [slot for slot in range(int(self.gpus[index])) if free[slot] >= pod.gpu_milli]
        if rng is not None:
            rng.shuffle(fitting)
        chosen = sorted(sorted(fitting, key=lambda slot: int(free[slot]))[: pod.num_gpu])
        free[chosen] -= pod.gpu_milli
        self.cpu[index] -= pod.cpu_milli
        self.memory[index] -= pod.memory_mib
        return tuple(chosen)


def place(
    nodes: Sequence[NodeRow],
    pods: Sequence[PodRow],
    *,
    fill: float,
    placing: Literal["random", "best-fit"],
    seed: int,
) -> tuple[list[Placed], float]:
    """Draw pods and place them until the cluster is full enough.

    Parameters
    ----------
    nodes, pods : sequence
        Rows of the trace.
    fill : float
        Share of the GPUs that shall be in use, shares counted as shares.
    placing : {"random", "best-fit"}
        Which node with room is taken.
    seed : int
        Of all draws.

    Returns
    -------
    list of Placed
        In the order of their starts.
    float
        The share of the GPUs in use.

    Raises
    ------
    InstanceError
        No pod of the trace has GPUs and a running time.
    """
    rng = Random(f"openb/{seed}")
    ran = [pod for pod in pods if pod.num_gpu and pod.seconds > 0]
    total = sum(node.gpu for node in nodes) * WHOLE
    if fill and total and not ran:
        expected = "a pod with GPUs, a scheduled_time and a later deletion_time"
        raise InstanceError([Problem("pods", "none", expected)])
    weights = np.cumsum([pod.seconds for pod in ran]).tolist()
    free = _Free(nodes)
    placed: list[Placed] = []
    used = misses = 0
    while used < fill * total and misses < PATIENCE:
        pod = rng.choices(ran, cum_weights=weights)[0]
        age = round(rng.uniform(0, pod.seconds))
        rooms = free.room_for(pod)
        if not len(rooms):
            misses += 1
            continue
        misses = 0
        shuffled = rng if placing == "random" else None
        index = int(rooms[rng.randrange(len(rooms))]) if placing == "random" else free.tightest(rooms)
        placed.append(Placed(pod, nodes[index].sn, free.take(index, pod, shuffled), age))
        used += pod.num_gpu * pod.gpu_milli
    return placed, used / total if total else 0.0
