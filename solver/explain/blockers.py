"""Which facts keep the request out of every place of a search, the nearest places first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...models.reasons import ReasonCode
from ...models.topology import NODE
from ..exact.bound import SAFE, Floats, cells_of, island_portions, level_of
from ..exact.decision import Decision
from ..exact.partition import islands_by_region
from ..exact.rungs import Rungs, regions_of
from .facts import CODES, HOLDERS
from .room import Places, places_of

GROUPS_SHOWN = 3
"""Groups of like places that are told one by one; all others together are told as one."""


@dataclass(frozen=True)
class Group:
    """Places that the same facts keep the request out of.

    Attributes
    ----------
    members : list of int
        Places, in the order of names.
    facts : list of (ReasonCode, str)
        What blocks them; the string names the resource or budget, else it is empty.
    short : int
        What the nearest of them is short of: slots for a single pod, pods for a gang.
    evictions : int
        Where a limit on evictions blocks: the fewest pods that must go.
    """

    members: list[int]
    facts: list[tuple[ReasonCode, str]]
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
    limits = _limits(decision, rungs, places)
    keyed: dict[tuple[int, tuple[tuple[ReasonCode, str], ...], int], list[int]] = {}
    for place, (short, facts) in enumerate(_facts_of_places(places)):
        evictions = 0
        if not facts:
            facts, evictions = limits.get(place, (((ReasonCode.TOGETHER, ""),), 0))
        keyed.setdefault((short, facts, evictions), []).append(place)
    groups = [Group(members, list(facts), short, least) for (short, facts, least), members in keyed.items()]
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


def members_with(found: Blocked, group: Group, fact: tuple[ReasonCode, str]) -> list[int]:
    """Return the places of a told group that one fact holds for.

    Parameters
    ----------
    found : Blocked
        All groups.
    group : Group
        One of `told`.
    fact : tuple
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


def _facts_of_places(places: Places) -> Iterator[tuple[int, tuple[tuple[ReasonCode, str], ...]]]:
    decision = places.decision
    needed = decision.pods_least
    size = decision.gpus
    hindered = [(what, numbers.tolist()) for what, numbers in places.hindered.items()]
    rows = zip(
        places.slots.tolist(),
        places.free.tolist(),
        places.slot_seats.tolist(),
        places.seats.tolist(),
        places.empty_seats.tolist(),
        places.lost.T.tolist(),
        strict=True,
    )
    for place, (slots, free, slot_seats, seats, empty, lost) in enumerate(rows):
        short = max(0, size - free) if places.is_single else max(0, needed - seats)
        if seats >= needed:
            yield short, ()
            continue
        if size and empty < needed:
            islandless = places.is_single and slots >= size
            code = ReasonCode.NO_ISLAND if islandless else ReasonCode.TOO_SMALL
            yield (short if islandless else size - slots) if places.is_single else needed - empty, ((code, ""),)
            continue
        facts: list[tuple[ReasonCode, str]] = []
        if not places.is_single:
            facts.append((ReasonCode.TOO_FEW_PODS, ""))
        if slot_seats < needed:
            counted = sorted((-count, code) for code, count in enumerate(lost) if count)
            facts += [(CODES[code], "") for _, code in counted]
        for what, numbers in hindered:
            if numbers[place]:
                known = isinstance(what, ReasonCode)
                facts.append((what, "") if known else (ReasonCode.RESOURCE, str(what)))  # type: ignore[arg-type]
        yield short, tuple(facts)


def _limits(
    decision: Decision, rungs: Rungs, places: Places
) -> dict[int, tuple[tuple[tuple[ReasonCode, str], ...], int]]:
    """Return the places where too many pods would have to go, by a lower bound of their number."""
    open_places = np.flatnonzero(places.seats >= decision.pods_least)
    if not len(open_places) or not decision.gpus:
        return {}
    pods = decision.snapshot.unit_pods.astype(np.float64)
    found: dict[int, tuple[tuple[tuple[ReasonCode, str], ...], int]] = {}
    tests: list[tuple[tuple[ReasonCode, str], Floats, int]] = []
    if decision.policy.max_victims is not None:
        tests.append(((ReasonCode.MAX_VICTIMS, ""), pods, decision.policy.max_victims))
    if decision.policy.budgets == "hard":
        budget_of = np.array([job.budget or "" for job in decision.snapshot.jobs], dtype=object)
        of_unit = budget_of[decision.snapshot.unit_job] if len(pods) else budget_of[:0]
        for budget in sorted(decision.instance.budgets, key=lambda budget: budget.name):
            member = of_unit == budget.name
            if (pods * member).sum() > budget.max_evictions:
                tests.append(((ReasonCode.BUDGET, budget.name), pods * member, budget.max_evictions))
    for fact, cost, most in tests:
        least = _least(decision, rungs, places, cost)
        for place in open_places.tolist():
            if place not in found and np.isfinite(least[place]) and np.ceil(least[place] * SAFE) > most:
                found[place] = ((fact,), int(np.ceil(least[place] * SAFE)))
    return found


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


__all__ = ["CODES", "HOLDERS", "Blocked", "Group", "blocked", "members_with", "told"]
