"""The ladder of each scope: which islands will do, tightest first, and what each rung costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .request import Scope
from .topology import BLOCK, CLUSTER, GPU, LINK_ISLANDS, NODE
from .units import micro

if TYPE_CHECKING:
    from .instance import Instance


def ladder_of(instance: Instance, scope: Scope) -> tuple[str, ...]:
    """Return the rungs of a scope, tightest first.

    Parameters
    ----------
    instance : Instance
        The decision.
    scope : {"pod", "slice", "gang"}
        The scope; one that asks nothing has the single rung ``cluster``.

    Returns
    -------
    tuple of str
        The asked island alone if guaranteed; else the given ladder, or the island and every broader level after
        it, up to node (pod scope) or cluster (slice and gang scope).
    """
    affinity = instance.request.scope(scope)
    if affinity.mode == "guaranteed":
        return (affinity.island,)
    if affinity.ladder is not None:
        return affinity.ladder
    island, levels = affinity.island, instance.cluster.levels
    if island in (*LINK_ISLANDS, BLOCK) and island not in levels:
        return (island, NODE)
    broader = tuple(reversed(levels if island == GPU else levels[: levels.index(island)] if island in levels else ()))
    if scope == "pod":
        return (island, *broader[: broader.index(NODE) + 1]) if NODE in broader else (island,)
    return (island, *broader, CLUSTER) if island != CLUSTER else (CLUSTER,)


def price_of(instance: Instance, scope: Scope, rung: str) -> int:
    """Return the price of a rung; a rung without one is free.

    Parameters
    ----------
    instance : Instance
        The decision.
    scope : {"pod", "slice", "gang"}
        The scope.
    rung : str
        An island of its ladder.

    Returns
    -------
    int
        Millionths of the unit of the cost.
    """
    return micro(instance.request.scope(scope).prices.get(rung, 0.0))
