"""Room by counts alone: so many GPUs and so much of each resource on a node, wherever they lie."""

from __future__ import annotations

from collections.abc import Collection

from ...models.units import MICRO
from .situation import Amounts, Host

COUNTS = "counts"
"""The rung of a scheduler that sees no islands."""


def free_amounts(host: Host, gone: Collection[str]) -> Amounts:
    """Return what a node has left of each thing asked for.

    Parameters
    ----------
    host : Host
        The node.
    gone : collection of str
        Pods that no longer run.

    Returns
    -------
    tuple of int
        Millionths, in the order of the capacity; negative where the node is overcommitted.
    """
    left = list(host.capacity)
    for pod in host.pods:
        if pod.name not in gone:
            for index, amount in enumerate(pod.amounts):
                left[index] -= amount
    left[0] -= host.held_back * MICRO
    return tuple(left)


def pods_by_counts(need: Amounts, free: Amounts) -> int:
    """Return how many pods of the request fit by counts.

    Parameters
    ----------
    need : tuple of int
        What one pod asks for.
    free : tuple of int
        What is free, in the same order.

    Returns
    -------
    int
        0 where anything asked for is short.
    """
    return max(0, min(left // amount for amount, left in zip(need, free, strict=True) if amount))
