"""Descend the affinity ladders: which rungs are searched, in which order, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass

from .cpsat import Effort
from .decision import Decision
from .rungs import Rungs, rungs_in_order
from .search import Found, Key, Tally, key_of, search


@dataclass(frozen=True)
class Verdict:
    """How a whole decision ended.

    Attributes
    ----------
    found : Found or None
        The plan, if there is one.
    proved : bool
        With a plan: that it is optimal; without: that there is none.
    bound : tuple of int or None
        Lower bound of the costs (one a tier); None if nothing was proved.
    refused : tuple of Rungs
        Rungs above the granted ones that no permitted eviction reaches.
    """

    found: Found | None
    proved: bool
    bound: Key | None
    refused: tuple[Rungs, ...]


def decide(decision: Decision, effort: Effort, tally: Tally) -> Verdict:
    """Find the best plan over all rungs, in the order of the objectives.

    Parameters
    ----------
    decision : Decision
        The request.
    effort : Effort
        Time, threads and seed.
    tally : Tally
        Counts what was done.

    Returns
    -------
    Verdict
        Soft-budget violations (and pods placed, with ``extra_pods: evict``) are fixed first over all rungs. Then
        tightest-first takes the first rungs that have a plan; priced takes the best of all gang rungs.
    """
    every = list(rungs_in_order(decision))
    limits, fixed = _fix_first_objectives(decision, every, effort, tally)
    if limits is None:
        return Verdict(None, fixed, None, tuple(every) if fixed else ())
    if decision.policy.relaxation == "priced":
        return _cheapest(decision, every, effort, tally, limits, fixed)
    refused: list[Rungs] = []
    for rungs in every:
        found = search(decision, rungs, effort, tally, limits=limits)
        if found.solution is not None:
            proved = found.proved and fixed
            return Verdict(found, proved, found.bound if fixed else None, tuple(refused))
        if not found.proved:
            last = rungs is every[-1]
            return Verdict(None, False, found.bound if fixed and last and found.bound else None, tuple(refused))
        refused.append(rungs)
    return Verdict(None, fixed, None, tuple(refused))


def _cheapest(
    decision: Decision, every: list[Rungs], effort: Effort, tally: Tally, limits: dict[str, int], fixed: bool
) -> Verdict:
    best: Found | None = None
    rival: Key | None = None
    results: list[Found] = []
    for rungs in every:
        found = search(decision, rungs, effort, tally, limits=limits, rival=rival)
        results.append(found)
        if found.solution is not None:
            best, rival = found, key_of(decision, found.solution)
    proved = fixed and all(found.proved for found in results)
    bounds = [found.bound for found in results if found.bound]
    bound = min(bounds) if bounds and fixed else None
    return Verdict(best, proved, bound, tuple(every) if best is None and proved else ())


def _fix_first_objectives(
    decision: Decision, every: list[Rungs], effort: Effort, tally: Tally
) -> tuple[dict[str, int] | None, bool]:
    """Return limits for violations and missing pods, and whether they are proved least; no limits: no plan at all."""
    soft = decision.policy.budgets == "soft" and bool(decision.instance.budgets)
    most_pods = decision.policy.extra_pods == "evict" and decision.pods_least < decision.pods_most
    if not soft and not most_pods:
        return {}, True
    best: Key | None = None
    proved = True
    for rungs in reversed(every):
        limits = {} if best is None else {"violations": best[0]}
        found = search(decision, rungs, effort, tally, limits=limits, only=("violations", "missing"))
        proved = proved and found.proved
        if found.solution is not None:
            key = key_of(decision, found.solution)[:2]
            best = key if best is None else min(best, key)
        if best == (0, 0):
            break
    if best is None:
        return None, proved
    return {"violations": best[0], "missing": best[1]}, proved
