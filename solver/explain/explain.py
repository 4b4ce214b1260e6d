"""`explained`: a plan with all that was asked for to argue with it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from ...models.explanation import Core
from ...models.plan import Plan
from ..exact.cpsat import Effort
from ..exact.decision import Decision
from ..exact.relax import Verdict
from ..exact.rungs import rungs_in_order
from .alternatives import alternatives_of
from .changes import changes_of
from .core import cores_of
from .probe import Probe
from .reasons import reasons_of, refused_rungs
from .tradeoff import tradeoff_of
from .victims import with_needs, with_spared

_log = logging.getLogger(__name__)

DECISIONS = 5.0
"""Without a limit of its own an explanation takes at most so many times as long as the decision took."""

LEAST_SECONDS = 1.0
"""But never less than this."""

CORES, SPARED = 0.4, 0.5
"""Cores, and plans that spare a victim, may take these parts of the time, so that what comes after them has some."""


@dataclass(frozen=True)
class Ask:
    """What shall be explained beyond what counts tell.

    Attributes
    ----------
    alternatives : int
        So many other places are listed.
    victims : bool
        What the cheapest plan costs that spares each victim.
    causes : bool
        Minimal sets of rules that block the request or a tighter rung, and changes that would help.
    tradeoff : bool
        What every combination of rungs costs.
    time_limit : float or None
        Seconds for all of it; None: `DECISIONS` times what the decision took, at least `LEAST_SECONDS`.
    """

    alternatives: int = 3
    victims: bool = True
    causes: bool = True
    tradeoff: bool = False
    time_limit: float | None = None


def with_reasons(decision: Decision, verdict: Verdict, plan: Plan) -> Plan:
    """Return a plan with what counts alone can tell: what blocks it, and what is short without each victim.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        How it ended.
    plan : Plan
        Its plan.

    Returns
    -------
    Plan
        Nothing is solved for it.
    """
    told = plan.model_copy(update={"reasons": reasons_of(decision, verdict)})
    return with_needs(decision, told) if plan.status == "optimal" else told


def explained(
    decision: Decision, verdict: Verdict, plan: Plan, ask: Ask, *, took: float, workers: int, seed: int
) -> Plan:
    """Return a plan with the explanations that need further solves.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        How it ended.
    plan : Plan
        Its plan, after `with_reasons`.
    ask : Ask
        What is wanted.
    took : float
        Seconds that the decision took.
    workers, seed : int
        For the solver.

    Returns
    -------
    Plan
        What was not found out in time is left out, or says so.
    """
    seconds = ask.time_limit if ask.time_limit is not None else max(DECISIONS * took, LEAST_SECONDS)
    probe = Probe(Effort(deadline=monotonic() + seconds, workers=workers, seed=seed))
    probe.know(decision)
    for name, part in _parts(decision, verdict, plan, ask, probe):
        started = monotonic()
        plan = part(plan)
        _log.info("%s: %.3f s, %d models so far", name, monotonic() - started, probe.tally.solved)
    return plan


def _parts(
    decision: Decision, verdict: Verdict, plan: Plan, ask: Ask, probe: Probe
) -> list[tuple[str, Callable[[Plan], Plan]]]:
    """Return what was asked for, in order: each part adds its own fields to a plan."""

    def cores(plan: Plan) -> Plan:
        loosest = list(rungs_in_order(decision))[-1]
        return plan.model_copy(update={"cores": tuple(cores_of(decision, loosest, None, probe.part(CORES)))})

    def changes(plan: Plan) -> Plan:
        return plan.model_copy(update={"changes": tuple(changes_of(decision, probe))})

    def alternatives(plan: Plan) -> Plan:
        other = alternatives_of(decision, verdict, probe, ask.alternatives)
        return plan.model_copy(update={"alternatives": other.found, "alternatives_up_to": other.up_to})

    def refused(plan: Plan) -> Plan:
        return plan.model_copy(update={"cores": _refused_cores(decision, verdict, probe)})

    def tradeoff(plan: Plan) -> Plan:
        return plan.model_copy(update={"tradeoff": tradeoff_of(decision, plan, probe)})

    found = verdict.found is not None and verdict.found.solution is not None
    laddered = found and bool(verdict.refused) and decision.policy.relaxation != "priced"
    parts: list[tuple[str, bool, Callable[[Plan], Plan]]] = [
        ("cores", plan.status == "infeasible" and ask.causes, cores),
        ("changes", plan.status == "infeasible" and ask.causes, changes),
        ("spared victims", found and ask.victims, lambda plan: with_spared(decision, plan, probe.part(SPARED))),
        ("alternatives", found and ask.alternatives > 0, alternatives),
        ("cores of refused rungs", laddered and ask.causes, refused),
        ("trade-off", ask.tradeoff, tradeoff),
    ]
    return [(name, part) for name, wanted, part in parts if wanted]


def _refused_cores(decision: Decision, verdict: Verdict, probe: Probe) -> tuple[Core, ...]:
    assert verdict.found is not None
    found: list[Core] = []
    for scope, rung, rungs in refused_rungs(decision, verdict.found.rungs):
        found += cores_of(decision, rungs, f"{scope}: {rung}", probe, most=1)
    return tuple(found)
