"""How the pods of a gang can be grouped into slices where slices may choose among several rungs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from ..domains import DomainKey

Kind = tuple[int, ...]
"""For each rung the number of the pod's domain there; -1 where it lies in none."""


def cheapest_slicing(columns: Sequence[Sequence[DomainKey | None]], prices: Sequence[int], size: int) -> int | None:
    """Return the least sum of prices for which all pods can be grouped into slices.

    Parameters
    ----------
    columns : sequence of sequences
        For each rung that slices may pay for: the domain of every pod, None for a pod that lies in none.
    prices : sequence of int
        The price of a slice on each rung.
    size : int
        Pods a slice.

    Returns
    -------
    int or None
        None if some pods find no slice. Every grouping is tried; pods in the same domains count as one kind.
    """
    numbers: dict[tuple[int, DomainKey], int] = {}
    pods: list[Kind] = [
        tuple(-1 if key is None else numbers.setdefault((rung, key), len(numbers)) for rung, key in enumerate(row))
        for row in zip(*columns, strict=True)
    ]

    @cache
    def least(left: tuple[tuple[Kind, int], ...]) -> int | None:
        if not left:
            return 0
        first = left[0][0]
        best: int | None = None
        for rung, domain in enumerate(first):
            if domain < 0:
                continue
            for rest in _without_slice(left, rung, domain, size):
                cost = least(rest)
                if cost is not None and (best is None or cost + prices[rung] < best):
                    best = cost + prices[rung]
        return best

    return least(tuple(sorted(Counter(pods).items())))


def _without_slice(
    left: tuple[tuple[Kind, int], ...], rung: int, domain: int, size: int
) -> Iterator[tuple[tuple[Kind, int], ...]]:
    """Yield what is left after one slice of a domain that contains a pod of the first kind."""
    inside = [index for index, (kind, _) in enumerate(left) if kind[rung] == domain]

    def take(position: int, wanted: int, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if position == len(inside):
            if not wanted:
                yield chosen
            return
        least = 1 if position == 0 else 0
        for number in range(least, min(wanted, left[inside[position]][1]) + 1):
            yield from take(position + 1, wanted - number, (*chosen, number))

    for chosen in take(0, size, ()):
        gone = dict(zip(inside, chosen, strict=True))
        yield tuple(
            (kind, number - gone.get(index, 0))
            for index, (kind, number) in enumerate(left)
            if number > gone.get(index, 0)
        )
