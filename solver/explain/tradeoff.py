"""What every combination of rungs costs: what each step down the ladders would save."""

from __future__ import annotations

from itertools import product

from ...models.explanation import TradeOff
from ...models.plan import Plan
from ...models.request import SCOPES, Scope
from ..exact.answer import plan_of
from ..exact.decision import Decision
from ..exact.relax import Verdict
from ..exact.rungs import Rungs
from ..exact.search import Tally
from .probe import Probe

Steps = tuple[int, int, int]


def tradeoff_of(decision: Decision, plan: Plan, probe: Probe) -> tuple[TradeOff, ...]:
    """Return the least cost of every combination of rungs.

    Parameters
    ----------
    decision : Decision
        The request.
    plan : Plan
        Its plan, to mark what was granted.
    probe : Probe
        What may be spent.

    Returns
    -------
    tuple of TradeOff
        In the order of preference, pod rung before slice rung before gang rung. Soft-budget violations come before
        the cost in every row, as in a plan.
    """
    ladders = [decision.ladder(scope) for scope in SCOPES]
    rows: dict[Steps, tuple[Plan, Rungs]] = {}
    for steps in product(*(range(len(ladder)) for ladder in ladders)):
        pod, group, gang = (ladder[step] for ladder, step in zip(ladders, steps, strict=True))
        rungs = Rungs((pod,), (group,), gang)
        found = probe.best_on(decision, rungs)
        verdict = Verdict(found if found.solution is not None else None, found.proved, found.bound or None, ())
        rows[steps[0], steps[1], steps[2]] = (plan_of(decision, verdict, Tally()), rungs)
    granted = _granted(decision, plan)
    return tuple(_row(decision, steps, rows, granted) for steps in rows)


def _granted(decision: Decision, plan: Plan) -> Steps | None:
    if plan.status not in ("optimal", "feasible"):
        return None

    def step(scope: Scope) -> int:
        given = plan.affinity.get(scope)
        ladder = decision.ladder(scope)
        return ladder.index(given.granted) if given is not None and given.granted in ladder else len(ladder) - 1

    return step("pod"), step("slice"), step("gang")


def _row(decision: Decision, steps: Steps, rows: dict[Steps, tuple[Plan, Rungs]], granted: Steps | None) -> TradeOff:
    plan, rungs = rows[steps]
    affinity = decision.request.affinity
    place = {
        "pod": rungs.pod[0],
        "slice": None if affinity.slice is None else rungs.slice[0],
        "gang": None if affinity.gang is None else rungs.gang,
    }
    if plan.status not in ("optimal", "feasible"):
        return TradeOff.model_validate({**place, "status": plan.status, "bound": plan.cost.bound})
    return TradeOff.model_validate(
        {
            **place,
            "status": plan.status,
            "weighted_work": plan.cost.weighted_work,
            "price": plan.cost.price,
            "bound": plan.cost.bound,
            "evicted_pods": plan.cost.evicted_pods,
            "placed_pods": len(plan.placements),
            "budget_violations": plan.cost.budget_violations,
            "saves": _saved(steps, rows),
            "pareto": plan.status == "optimal" and _is_pareto(steps, rows),
            "granted": steps == granted,
        }
    )


def _total(plan: Plan) -> float:
    return plan.cost.weighted_work + plan.cost.price


def _saved(steps: Steps, rows: dict[Steps, tuple[Plan, Rungs]]) -> float | None:
    """What a combination saves against the cheapest of those one rung tighter in one scope."""
    tighter = [tuple(step - (scope == place) for place, step in enumerate(steps)) for scope in range(3)]
    costs = [_total(rows[other][0]) for other in tighter if other in rows and rows[other][0].status == "optimal"]
    return min(costs) - _total(rows[steps][0]) if costs else None


def _is_pareto(steps: Steps, rows: dict[Steps, tuple[Plan, Rungs]]) -> bool:
    own = _measures(steps, rows[steps][0])
    for other, (plan, _) in rows.items():
        if other != steps and plan.status == "optimal":
            theirs = _measures(other, plan)
            if all(b <= a for a, b in zip(own, theirs, strict=True)) and theirs != own:
                return False
    return True


def _measures(steps: Steps, plan: Plan) -> tuple[float, ...]:
    """Return what a person weighs: the rungs, violations, pods not placed, and the cost."""
    return (*steps, plan.cost.budget_violations, -len(plan.placements), round(_total(plan), 6))
