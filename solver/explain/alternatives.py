"""The cheapest plans that lie elsewhere: in other islands, other domains, or without all of the same nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...models.plan import Alternative
from ..exact.answer import plan_of
from ..exact.decision import Decision
from ..exact.relax import Verdict
from ..exact.rungs import regions_of
from ..exact.search import Found, Key, Tally
from .candidates import Candidate, cost_of, costs_of
from .other_islands import other_islands
from .other_regions import other_node_sets, other_regions
from .probe import Probe


@dataclass(frozen=True)
class Elsewhere:
    """Other places for the request.

    Attributes
    ----------
    found : tuple of Alternative
        The cheapest first.
    up_to : float or None
        Every place with a plan below this cost is listed; None: all places are.
    """

    found: tuple[Alternative, ...]
    up_to: float | None


def alternatives_of(decision: Decision, verdict: Verdict, probe: Probe, most: int) -> Elsewhere:
    """Return the cheapest plans in other places, on the granted rungs.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        With a plan.
    probe : Probe
        What may be spent.
    most : int
        At most so many.

    Returns
    -------
    Elsewhere
        For a single pod the places are its islands, named as plans name them. For a gang with several domains that
        it could share they are these domains. Otherwise they are sets of nodes: each alternative leaves out at least
        one node of the plan and of every alternative before it.
    """
    assert verdict.found is not None and verdict.found.solution is not None
    rungs = verdict.found.rungs
    regions = regions_of(decision, rungs)
    if decision.pods_most == 1 and decision.gpus:
        finder: Iterator[Candidate | Key] = other_islands(decision, rungs, verdict.found.solution, probe)
    elif len(regions) > 1:
        finder = other_regions(decision, rungs, regions, verdict.found.solution, probe)
    else:
        finder = other_node_sets(decision, rungs, verdict.found.solution, probe)
    found: list[Candidate] = []
    up_to: float | None = None
    for each in finder:
        if not isinstance(each, Candidate):
            up_to = cost_of(decision, each)
            break
        if len(found) == most:
            up_to = cost_of(decision, costs_of(decision, each.key))
            break
        found.append(each)
    return Elsewhere(tuple(_told(decision, each) for each in found), up_to)


def _told(decision: Decision, found: Candidate) -> Alternative:
    verdict = Verdict(Found(found.rungs, found.solution, True, ()), True, None, ())
    plan = plan_of(decision, verdict, Tally())
    jobs = {job.name: job for job in decision.snapshot.jobs if job.is_elastic}
    victims = [name for victim in plan.victims for name in (victim.pods if victim.job in jobs else (victim.job,))]
    return Alternative(
        island=found.label,
        level=found.level,
        nodes=tuple(sorted({placement.node for placement in plan.placements})),
        weighted_work=plan.cost.weighted_work,
        price=plan.cost.price,
        budget_violations=plan.cost.budget_violations,
        evicted_pods=plan.cost.evicted_pods,
        victims=tuple(victims),
        proved=found.proved,
    )
