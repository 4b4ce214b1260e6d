"""Find the best plan on given rungs: regions in order of their bounds, each solved under the best cost so far."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import takewhile
from time import monotonic

import numpy as np

from .bound import SAFE, Floats, broken_floor, region_bounds
from .cpsat import Effort, Outcome, solve_region
from .cpsat.read import Solution
from .decision import Decision
from .layout import Ints
from .reduce import solve_reduced
from .region import spell_out
from .rungs import Regions, Rungs, regions_of

Key = tuple[int, ...]

_log = logging.getLogger(__name__)

MANY_NODES = 24
"""Regions with more nodes are reduced before they are solved."""


@dataclass
class Tally:
    """What a search did, for the plan's statistics.

    Attributes
    ----------
    seconds : dict
        Time by phase.
    regions, solved : int
        Regions of the last search, and models solved over all.
    """

    seconds: dict[str, float] = field(default_factory=lambda: {"compile": 0.0, "bound": 0.0, "solve": 0.0})
    regions: int = 0
    solved: int = 0


@dataclass(frozen=True)
class Found:
    """What a search on one choice of rungs ended with.

    Attributes
    ----------
    rungs : Rungs
        The rungs searched.
    solution : Solution or None
        The best plan.
    proved : bool
        Whether nothing better (or nothing at all) is left.
    bound : tuple of int
        No plan on these rungs has lower costs (one entry a tier, compared one after another); empty if unknown.
    """

    rungs: Rungs
    solution: Solution | None
    proved: bool
    bound: Key


def key_of(decision: Decision, solution: Solution) -> Key:
    """Return what plans in different regions are compared by: every objective but the order of names.

    Parameters
    ----------
    decision : Decision
        For the tiers and levels.
    solution : Solution
        A plan.

    Returns
    -------
    tuple of int
        Lower is better. A model leaves out objectives that cannot differ from 0, so each has its place here.
    """
    names = ["violations", "missing", *work_names(decision), "evicted", "displaced", "extra"]
    names += [f"broken {level}" for level in decision.snapshot.instance.cluster.levels]
    return tuple(solution.value(name) for name in names)


def work_names(decision: Decision) -> list[str]:
    """Return the names of the cost objectives, one a tier.

    Parameters
    ----------
    decision : Decision
        The request.

    Returns
    -------
    list of str
        Highest tier first.
    """
    return [f"work{tier}" for tier in range(len(decision.tiers))]


def search(
    decision: Decision,
    rungs: Rungs,
    effort: Effort,
    tally: Tally,
    *,
    limits: dict[str, int],
    only: Collection[str] = (),
    rival: Key | None = None,
) -> Found:
    """Find the best plan on some rungs.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    effort : Effort
        Time, threads and seed.
    tally : Tally
        Counts what was done.
    limits : dict
        Upper limits of objectives that were fixed before, by name.
    only : collection of str
        Compare plans by these leading objectives alone; empty: by all.
    rival : tuple of int, optional
        The key of a plan on other rungs; only a strictly better one is of interest.

    Returns
    -------
    Found
        Proved if every region was solved or excluded by its bound. Of equal plans the one in the first region by
        name wins.
    """
    began = started = monotonic()
    regions = regions_of(decision, rungs)
    bounds = np.ceil(region_bounds(decision, rungs, regions).values * SAFE)
    if "violations" in limits and not only:
        bounds = _with_fixed_violations(bounds, limits["violations"])
    order = _order(bounds)
    tally.regions = len(regions)
    tally.seconds["bound"] += monotonic() - started
    started = monotonic()
    best: tuple[Key, int, Solution] | None = None
    open_bounds: list[Key] = []
    floors: Ints | None = None
    for position, region in enumerate(order.tolist()):
        bound = tuple(int(value) for value in bounds[:, region])
        ceiling = rival if best is None else best[0]
        if ceiling is not None and _exceeds(bound, _costs(decision, ceiling), only):
            break
        if best is not None and not only and bound == _costs(decision, best[0]):
            if floors is None:
                floors = _floors(decision, rungs, regions, best[0])
            if (_floor_key(decision, bound, floors[:, region]), region) >= best[:2]:
                continue
        if monotonic() >= effort.deadline:
            open_bounds += [tuple(map(int, costs)) for costs in bounds[1:, order[position:]].T]
            break
        limited = limits | ({} if ceiling is None else _under(decision, ceiling, only))
        outcome = _solve(decision, rungs, regions, region, effort, limited, only)
        tally.solved += 1
        if outcome.solution is not None:
            key = key_of(decision, outcome.solution)
            wins = (rival is None or key < rival) if best is None else (key, region) < best[:2]
            if wins:
                best = (key, region, outcome.solution)
        if not outcome.proved:
            open_bounds.append(max(bound[1:], _proved_costs(outcome, decision)))
    tally.seconds["solve"] += monotonic() - started
    _log.info(
        "%s: %d regions, %d models so far, %.3f s: %s",
        rungs,
        len(regions),
        tally.solved,
        monotonic() - began,
        "no plan" if best is None else "plan found",
    )
    if best is None:
        return Found(rungs, None, not open_bounds, min(open_bounds, default=()))
    costs = _costs(decision, best[0])[1:]
    return Found(rungs, best[2], not open_bounds, min([costs, *open_bounds]))


def _with_fixed_violations(bounds: Floats, fixed: int) -> Floats:
    """Leave out regions that need more violations than the least; in the others cost alone is the order."""
    within = bounds[0] <= fixed
    after = np.where(within, bounds, np.inf)
    after[0, within] = fixed
    return after


def _floors(decision: Decision, rungs: Rungs, regions: Regions, best: Key) -> Ints:
    """Least numbers of broken islands of every region that ties with the best cost, shape (levels, regions)."""
    if decision.pods_most > 1:
        nothing: Ints = np.zeros((len(decision.snapshot.instance.cluster.levels), len(regions)), dtype=np.int64)
        return nothing
    return broken_floor(decision, rungs, regions, _costs(decision, best)[1])


def _floor_key(decision: Decision, bound: Key, broken: Ints) -> Key:
    """Return a key that no plan of the region is below: nobody evicted or displaced that the costs do not tell."""
    return (bound[0], 0, *bound[1:], 0, 0, 0, *broken.tolist())


def _order(bounds: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Ints:
    possible = np.flatnonzero(np.isfinite(bounds).all(axis=0))
    return possible[np.lexsort(bounds[::-1, possible])]


def _costs(decision: Decision, key: Key) -> Key:
    """Return violations and costs of a key, in the order of the bounds' rows."""
    return (key[0], *key[2 : 2 + len(decision.tiers)])


def _exceeds(bound: Key, costs: Key, only: Collection[str]) -> bool:
    return bound[0] > costs[0] if only else bound > costs


def _under(decision: Decision, ceiling: Key, only: Collection[str]) -> dict[str, int]:
    """Limits that keep every plan that could still win: with violations fixed before, the first tier's cost."""
    if only:
        return {"violations": ceiling[0]}
    return {"work0": ceiling[2]}


def _proved_costs(outcome: Outcome, decision: Decision) -> Key:
    names = takewhile(outcome.bound.__contains__, work_names(decision))
    return tuple(outcome.bound[name] for name in names)


def _solve(
    decision: Decision,
    rungs: Rungs,
    regions: Regions,
    number: int,
    effort: Effort,
    limits: dict[str, int],
    only: Collection[str],
) -> Outcome:
    nodes = regions.nodes[number]
    below = decision.snapshot.instance.cluster.levels_below
    cuts = any(level in below or level == "gpu" for level in regions.levels)
    slots = regions.slots.slots(number) if cuts and decision.gpus else None

    def solve(chosen: Ints, inside: Ints | None, limits: dict[str, int], cost_alone: bool) -> Outcome:
        wanted = ("work0",) if cost_alone else only
        return solve_region(
            decision, rungs, spell_out(decision, rungs, chosen.tolist(), inside), effort, limits, wanted
        )

    if len(nodes) <= MANY_NODES or not decision.gpus or only or slots is not None:
        return solve(nodes, slots, limits, False)
    return solve_reduced(decision, rungs, regions, number, limits, solve)
