"""Which facts keep the request out of every place of a search, the nearest places first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...models.reasons import ReasonCode
from ...models.topology import NODE
from ..exact.bound import SAFE, Floats, cells_of, island_portions, level_of
from ..exact.decision import Decision
from ..exact.layout import Ints
from ..exact.partition import islands_by_region
from ..exact.rungs import Rungs, regions_of
from .facts import CODES
from .islands import Flags
from .places import Places
from .room import places_of
from .texts import SLOT_TEXTS

Fact = tuple[ReasonCode, str]
"""What blocks a place; the string names the resource or budget that it is about, else it is empty."""

GROUPS_SHOWN = 3
"""Groups of like places that are told one by one; all others together are told as one."""


LIMITS_TRIED = 8
"""Of so many hard budgets, the most spent ones, it is counted how many pods must go."""


@dataclass(frozen=True)
class Group:
    """Places that the same facts keep the request out of.

    Attributes
    ----------
    members : list of int
        Places, in the order of names.
    facts : list of Fact
        What blocks them.
    short : int
        What the nearest of them is short of: slots for a single pod, pods for a gang.
    evictions : int
        Where a limit on evictions blocks: the fewest pods that must go.
    """

    members: list[int]
    facts: list[Fact]
    short: int
    evictions: int = 0


@dataclass(frozen=True)
class Blocked:
    """Why a search found nothing.

    Attributes
    ----------
    places : Places
        What was counted.
    groups : list of Group
        Every place once, the nearest first.
    """

    places: Places
    groups: list[Group]


def blocked(decision: Decision, rungs: Rungs) -> Blocked:
    """Return what keeps the request out of every place.

    Parameters
    ----------
    decision : Decision
        A request that has no plan on these rungs.
    rungs : Rungs
        The rungs.

    Returns
    -------
    Blocked
        Places too small for the request even if empty have that one fact. Otherwise slots that cannot serve count
        where slots are short, then resources, NUMA nodes and unknown placement; then limits on evictions that no
        plan there can keep; and where all counts would do, that the rules together do not.
    """
    places = places_of(decision, rungs)
    if not len(places):
        return Blocked(places, [])
    short, flags = _flags(places)
    least, limited = _limits(decision, rungs, places)
    open_places = places.seats >= decision.pods_least
    flags += [(fact, where & open_places) for fact, where in limited]
    held_up = np.logical_or.reduce([where for _, where in limited]) if limited else np.zeros_like(open_places)
    flags.append(((ReasonCode.TOGETHER, ""), open_places & ~held_up))
    flags = [(fact, where) for fact, where in flags if where.any()]
    rows = np.stack([short, np.where(open_places, least, 0), *(where for _, where in flags)])
    _, first, inverse = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    counts = np.bincount(inverse.reshape(-1), minlength=len(first))
    groups = []
    for place, members in zip(first.tolist(), np.split(order, np.cumsum(counts)[:-1]), strict=True):
        facts = [fact for fact, where in flags if where[place]]
        facts.sort(key=lambda fact, inside=members: _rank(places, fact, inside))  # type: ignore[misc]
        groups.append(Group(members.tolist(), facts, int(short[place]), int(rows[1, place])))
    groups.sort(key=lambda group: (_is_hopeless(group), group.short, len(group.facts), group.members[0]))
    return Blocked(places, groups)


def told(found: Blocked) -> list[Group]:
    """Return the groups to tell: the nearest ones, and all further ones as one.

    Parameters
    ----------
    found : Blocked
        All groups.

    Returns
    -------
    list of Group
        The last one may hold places with different facts.
    """
    if len(found.groups) <= GROUPS_SHOWN + 1:
        return found.groups
    rest = found.groups[GROUPS_SHOWN:]
    facts = sorted({fact for group in rest for fact in group.facts}, key=lambda fact: (CODES.index(fact[0]), fact[1]))
    members = sorted(place for group in rest for place in group.members)
    merged = Group(members, facts, min(group.short for group in rest), min(group.evictions for group in rest))
    return [*found.groups[:GROUPS_SHOWN], merged]


def members_with(found: Blocked, group: Group, fact: Fact) -> list[int]:
    """Return the places of a told group that one fact holds for.

    Parameters
    ----------
    found : Blocked
        All groups.
    group : Group
        One of `told`.
    fact : Fact
        One of its facts.

    Returns
    -------
    list of int
        In the order of names.
    """
    inside = set(group.members)
    of = [place for each in found.groups if fact in each.facts for place in each.members if place in inside]
    return sorted(of)


def _is_hopeless(group: Group) -> bool:
    return any(code == ReasonCode.TOO_SMALL for code, _ in group.facts)


def _rank(places: Places, fact: Fact, members: Ints) -> tuple[int, int, str]:
    """Order facts: how many pods are missing, then what costs the most slots, then all else by name."""
    code, name = fact
    if code == ReasonCode.TOO_FEW_PODS:
        return (0, 0, "")
    lost = 0 if name or code not in SLOT_TEXTS else int(places.lost[CODES.index(code), members].sum())
    return (1, -lost, "") if lost else (2, CODES.index(code), name)


def _flags(places: Places) -> tuple[Ints, list[tuple[Fact, Flags]]]:
    """Return how much every place is short of, and for each fact the places that it blocks."""
    needed, size = places.decision.pods_least, places.decision.gpus
    closed = places.seats < needed
    small = closed & (places.empty_seats < needed) & bool(size)
    rest = closed & ~small
    if places.is_single:
        islandless = small & (places.slots >= size)
        short = np.where(small & ~islandless, size - places.slots, np.maximum(size - places.free, 0))
    else:
        islandless = np.zeros_like(small)
        short = np.where(small, needed - places.empty_seats, np.maximum(needed - places.seats, 0))
    flags: dict[Fact, Flags] = {
        (ReasonCode.TOO_SMALL, ""): small & ~islandless,
        (ReasonCode.NO_ISLAND, ""): islandless,
        (ReasonCode.TOO_FEW_PODS, ""): rest & (not places.is_single),
    }
    of_slots = rest & (places.slot_seats < needed)
    for number in np.flatnonzero(places.lost.any(axis=1)).tolist():
        flags[CODES[number], ""] = of_slots & (places.lost[number] > 0)
    for what, numbers in places.hindered.items():
        fact: Fact = (what, "") if isinstance(what, ReasonCode) else (ReasonCode.RESOURCE, what)
        flags[fact] = flags.get(fact, np.zeros_like(small)) | (rest & (numbers > 0))
    return short, list(flags.items())


def _limits(decision: Decision, rungs: Rungs, places: Places) -> tuple[Ints, list[tuple[Fact, Flags]]]:
    """Return by a lower bound how many pods must go in each place, and the limits that this breaks there."""
    none = np.zeros(len(places), dtype=np.int64)
    if not (places.seats >= decision.pods_least).any() or not decision.gpus:
        return none, []
    pods = decision.snapshot.unit_pods.astype(np.float64)
    tests: list[tuple[Fact, Floats, int]] = []
    if decision.policy.max_victims is not None:
        tests.append(((ReasonCode.MAX_VICTIMS, ""), pods, decision.policy.max_victims))
    if decision.policy.budgets == "hard":
        of_unit = decision.snapshot.job_budget[decision.snapshot.unit_job]
        budgets = sorted(enumerate(decision.instance.budgets), key=lambda each: (each[1].max_evictions, each[1].name))
        for number, budget in budgets[:LIMITS_TRIED]:
            member = pods * (of_unit == number)
            if member.sum() > budget.max_evictions:
                tests.append(((ReasonCode.BUDGET, budget.name), member, budget.max_evictions))
    found: list[tuple[Fact, Flags]] = []
    for fact, cost, most in tests:
        least = _least(decision, rungs, places, cost)
        bound = np.ceil(np.where(np.isfinite(least), least, 0.0) * SAFE).astype(np.int64)
        broken = (bound > most) & (none == 0)
        if broken.any():
            none = np.where(broken, bound, none)
            found.append((fact, broken))
    return none, found


def _least(decision: Decision, rungs: Rungs, places: Places, cost: Floats) -> Floats:
    """Bound from below what every place evicts, counted by `cost`: the argument of `region_bounds`."""
    regions = regions_of(decision, rungs)
    kind = level_of(decision, rungs.pod[0]) if len(rungs.pod) == 1 else NODE
    portions = island_portions(decision, regions, kind, cost)
    if places.is_single and portions.shape[0] == len(places):
        first: Floats = portions[:, 0]
        return first
    if places.is_single:
        return np.full(len(places), np.nan)
    cells = cells_of(decision, regions, kind)
    padded = np.concatenate([portions, np.full((1, portions.shape[1]), np.inf)])
    by_region = padded[islands_by_region(cells, regions.slots)].reshape(len(places), -1)
    number = decision.pods_least
    if by_region.shape[1] < number:
        return np.full(len(places), np.nan)
    cheapest: Floats = np.partition(by_region, number - 1, axis=1)[:, :number].sum(axis=1)
    return cheapest
