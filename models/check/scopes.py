"""Slice and gang scope: which domains the pods share, and what the rungs that they pay for cost at least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from ..domains import DomainKey, label_of
from ..instance import Instance
from ..ladder import ladder_of, price_of
from ..request import Scope
from ..topology import CLUSTER
from .rules import Rule, Violation
from .slicing import cheapest_slicing
from .state import State
from .sums import is_close, number
from .unknown_scopes import settled_domains


def granted_rung(state: State, scope: Scope) -> str:
    """Return the rung that a plan grants a scope.

    Parameters
    ----------
    state : State
        The plan.
    scope : {"slice", "gang"}
        The scope.

    Returns
    -------
    str
        The loosest rung of the ladder where the plan states none of it.
    """
    ladder = ladder_of(state.instance, scope)
    stated = state.plan.affinity.get(scope)
    return stated.granted if stated is not None and stated.granted in ladder else ladder[-1]


def rungs_are_granted(state: State) -> Iterator[Violation]:
    """``affinity`` states for every scope that asks something what it asks and the loosest rung it was granted."""
    affinity, request = state.plan.affinity, state.instance.request
    scopes: tuple[Scope, ...] = ("pod", "slice", "gang")
    for name in affinity:
        if name not in scopes:
            yield Violation(Rule.GRANTED, f"there is no scope {name}, only {list(scopes)}")
    for scope in scopes:
        stated, asked = affinity.get(scope), request.scope(scope).island
        ladder = ladder_of(state.instance, scope)
        if stated is None:
            if scope == "pod" or getattr(request.affinity, scope) is not None:
                yield Violation(Rule.GRANTED, f"the plan does not state what the {scope} scope was granted")
            continue
        if stated.asked != asked:
            yield Violation(Rule.GRANTED, f"the {scope} scope asks for {asked}, not {stated.asked}")
        if not state.lands:
            continue
        if stated.granted not in ladder:
            text = f"the {scope} scope cannot be granted {stated.granted}, its ladder is {list(ladder)}"
            yield Violation(Rule.GRANTED, text)
        elif scope == "pod":
            rungs = [placement.level for placement in state.placements if placement.level in ladder]
            loosest = max(rungs, key=ladder.index, default=stated.granted)
            if stated.granted != loosest:
                text = f"the loosest island of a pod is {loosest}, the plan says that {stated.granted} was granted"
                yield Violation(Rule.GRANTED, text)


def _domains(state: State, level: str, size: int | None = None) -> list[DomainKey | None]:
    """Return the domain of every placed pod; `size` pods, or all of a node, have to share one."""
    return [key for site in state.sites for key in settled_domains(site, level, size or len(site.placements))]


def gang_shares_a_domain(state: State) -> Iterator[Violation]:
    """All pods lie in one domain of the rung that the gang was granted."""
    if state.instance.request.affinity.gang is None:
        return
    level = granted_rung(state, "gang")
    domains = set(_domains(state, level))
    if None in domains or len(domains) > 1:
        shown = sorted("several" if domain is None else label_of(domain) for domain in domains)
        yield Violation(Rule.GANG_DOMAIN, f"the gang must share one {level} domain, its pods lie in {shown}")


def slices_share_domains(state: State) -> Iterator[Violation]:
    """Every domain of the rung that slices were granted holds a multiple of the slice size of pods.

    With priced relaxation slices may pay for different rungs of the ladder, the granted one the loosest.
    """
    if state.instance.request.affinity.slice is None:
        return
    size, rungs = state.instance.request.slice_size, _payable(state)
    if len(rungs) > 1:
        columns = [_domains(state, rung, size) for rung in rungs]
        if not _nested(state, rungs) and cheapest_slicing(columns, [0] * len(rungs), size) is None:
            text = f"the {len(columns[0])} pods cannot be grouped into slices of {size} that share {' or '.join(rungs)}"
            yield Violation(Rule.SLICE_DOMAIN, text)
        if not _nested(state, rungs):
            return
    level = max(rungs, key=levels_in_order(state.instance).index)
    counts = Counter(_domains(state, level, size))
    for domain, pods in sorted(counts.items(), key=lambda item: item[0] or ()):
        if domain is None:
            yield Violation(Rule.SLICE_DOMAIN, f"{pods} pods do not lie in one {level} domain, as their slices must")
        elif pods % size:
            text = f"{level} {label_of(domain)} holds {pods} pods, slices have {size}"
            yield Violation(Rule.SLICE_DOMAIN, text)


def _nested(state: State, rungs: tuple[str, ...]) -> bool:
    """Return whether the placed pods' domains of some rungs nest, as the tree says of all levels above node."""
    order, size = levels_in_order(state.instance), state.instance.request.slice_size
    columns = [_domains(state, rung, size) for rung in sorted(rungs, key=order.index)]
    return all(_nests(tight, broad) for tight, broad in pairwise(columns))


def _payable(state: State) -> tuple[str, ...]:
    """Return the rungs that slices may have been granted."""
    rung = granted_rung(state, "slice")
    if state.instance.policy.relaxation == "tightest-first":
        return (rung,)
    ladder = ladder_of(state.instance, "slice")
    return ladder[: ladder.index(rung) + 1]


def prices_are_paid(state: State) -> Iterator[Violation]:
    """With priced relaxation every pod and every slice pays for its own rung, the gang once; else nobody pays.

    Which slice a pod belongs to is not part of a plan: the cheapest way to form slices counts.
    """
    instance, stated = state.instance, state.plan.cost.price
    least = most = 0
    if instance.policy.relaxation == "priced":
        ladder = ladder_of(instance, "pod")
        rungs = [placement.level for placement in state.placements if placement.level in ladder]
        least = most = sum(price_of(instance, "pod", rung) for rung in rungs)
        if instance.request.affinity.gang is not None:
            gang = price_of(instance, "gang", granted_rung(state, "gang"))
            least, most = least + gang, most + gang
        if instance.request.affinity.slice is not None:
            low, high = _slice_prices(state)
            least, most = least + low, most + high
    if is_close(stated, number(least), 1e-6) or is_close(stated, number(most), 1e-6):
        return
    if not number(least) <= stated <= number(most):
        expected = number(least) if least == most else f"between {number(least)} and {number(most)}"
        yield Violation(Rule.PRICE, f"the rungs granted cost {expected}, the plan says {stated}")


def _slice_prices(state: State) -> tuple[int, int]:
    """Return the least sum of prices that slices pay, twice.

    A slice in one domain of a level lies in one of every broader level, so it pays the least price of these rungs.
    Slices formed from the tightest level on are then as many as can be at every level.
    """
    instance, size = state.instance, state.instance.request.slice_size
    order = levels_in_order(instance)
    rungs = sorted(_payable(state), key=order.index)
    stated = [price_of(instance, "slice", rung) for rung in rungs]
    prices = [min(stated[index:]) for index in range(len(stated))]
    columns = [_domains(state, rung, size) for rung in rungs]
    formed = total = 0
    for column, price in zip(columns, prices, strict=True):
        together = sum(pods // size for domain, pods in Counter(column).items() if domain is not None)
        total += (max(together, formed) - formed) * price
        formed = max(together, formed)
    if _nested(state, tuple(rungs)):
        return total, total
    least = cheapest_slicing(columns, stated, size)
    return (0, 0) if least is None else (least, least)


def _nests(tight: list[DomainKey | None], broad: list[DomainKey | None]) -> bool:
    parents: dict[DomainKey, DomainKey | None] = {}
    for child, parent in zip(tight, broad, strict=True):
        if child is not None and (parent is None or parents.setdefault(child, parent) != parent):
            return False
    return True


def levels_in_order(instance: Instance) -> tuple[str, ...]:
    """Return all levels that a scope can ask for, tightest first.

    Parameters
    ----------
    instance : Instance
        For its levels.

    Returns
    -------
    tuple of str
        The cluster's levels from the finest on, then ``cluster``.
    """
    return (*reversed(instance.cluster.levels), CLUSTER)
