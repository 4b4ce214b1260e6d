"""`review_plan`: a plan of any policy held against the instance: needless victims, admission, what was cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from ...models.check import violations
from ...models.explanation import BrokenRule, VictimCode, VictimFact
from ...models.instance import Instance
from ...models.plan import Plan, Victim
from ...models.review import Review
from ..exact.answer import plan_of
from ..exact.cpsat import Effort
from ..exact.decision import Decision
from ..exact.relax import decide
from ..exact.search import Tally
from ..exact.snapshot import compile_snapshot
from .after import After
from .explain import DECISIONS, LEAST_SECONDS, Ask, explained, with_reasons
from .narrow import Narrowed
from .probe import Probe
from .texts import REVIEW_TEXTS, VICTIM_TEXTS, amount, counted, listed
from .victims import compared


def review_plan(
    instance: Instance,
    plan: Plan,
    ask: Ask,
    *,
    time_limit: float = 10.0,
    workers: int = 1,
    seed: int = 0,
) -> Review:
    """Look at a plan from outside.

    Parameters
    ----------
    instance : Instance
        What it was made for.
    plan : Plan
        Any plan, whoever made it.
    ask : Ask
        What shall be explained of the best plan.
    time_limit : float
        Seconds for the best plan; the explanation has its own limit.
    workers, seed : int
        For the solver.

    Returns
    -------
    Review
        A victim is needless if the request gets the same rungs with only other victims of the plan gone. What is
        called so is proved by a plan that uses only those.
    """
    started = monotonic()
    decision = Decision(compile_snapshot(instance), instance)
    verdict = decide(decision, Effort(started + time_limit, workers, seed), Tally())
    best = with_reasons(decision, verdict, plan_of(decision, verdict, Tally()))
    took = monotonic() - started
    best = explained(decision, verdict, best, ask, took=took, workers=workers, seed=seed)
    seconds = ask.time_limit if ask.time_limit is not None else max(DECISIONS * took, LEAST_SECONDS)
    probe = Probe(Effort(monotonic() + seconds, workers, seed))
    probe.know(decision)
    after = After(instance, plan, probe)
    reached = after.reached()
    review = Review(
        request=plan.request,
        policy=plan.policy,
        status=plan.status,
        starts=after.starts,
        blocked_by=after.reasons,
        broken_rules=tuple(BrokenRule(rule=str(v.rule), text=v.text) for v in violations(instance, plan)),
        needless=after.needless(),
        enough=after.enough,
        victims=_victims(decision, reached, best, after, probe),
        cost=plan.cost.weighted_work + plan.cost.price,
        least_cost=_cost(best),
        excess=_excess(reached, best) if after.starts else None,
        findings=(),
        best=best,
    )
    return review.model_copy(update={"findings": tuple(_findings(review, plan))})


def _cost(plan: Plan) -> float | None:
    return plan.cost.weighted_work + plan.cost.price if plan.status in ("optimal", "feasible") else None


def _excess(plan: Plan, best: Plan) -> float | None:
    """Compare costs where both plans reach the request and the best one is proved on the same rungs."""
    if best.status != "optimal" or best.cost.tiers or plan.cost.tiers:
        return None
    same = all(best.affinity.get(scope) == granted for scope, granted in plan.affinity.items())
    if not same or plan.cost.budget_violations != best.cost.budget_violations:
        return None
    return plan.cost.weighted_work + plan.cost.price - best.cost.weighted_work - best.cost.price


def _victims(decision: Decision, plan: Plan, best: Plan, after: After, probe: Probe) -> tuple[Victim, ...]:
    if plan.evicted == best.evicted and plan.policy == best.policy:
        return best.victims
    needless = {found.job: found for found in after.needless()}
    numbers = {job.name: number for number, job in enumerate(decision.snapshot.jobs)}
    told = []
    for victim in plan.victims:
        facts: list[VictimFact] = []
        if victim.job in needless:
            facts.append(VictimFact(code=VictimCode.NEEDLESS, text=needless[victim.job].text))
        if victim.job in numbers and after.starts:
            if probe.is_over:
                facts.append(VictimFact(code=VictimCode.UNCHECKED, text=VICTIM_TEXTS[VictimCode.UNCHECKED]))
            else:
                facts.append(compared(decision, plan, probe.plan(Narrowed(decision, jobs=[numbers[victim.job]]))))
        why = "; ".join(fact.text for fact in facts) or victim.why
        told.append(victim.model_copy(update={"facts": tuple(facts), "why": why}))
    return tuple(told)


def _findings(review: Review, plan: Plan) -> Iterator[str]:
    if plan.victims or plan.placements:
        key = {True: "starts", False: "does-not-start", None: "not-settled"}[review.starts]
        first = f" ({review.blocked_by[0].scope}: {review.blocked_by[0].text})" if review.blocked_by else ""
        yield REVIEW_TEXTS[key].format(request=review.request) + first
    for broken in review.broken_rules:
        yield REVIEW_TEXTS["broken"].format(rule=broken.rule, text=broken.text)
    if review.needless:
        pods = sum(len(found.pods) for found in review.needless)
        yield REVIEW_TEXTS["needless"].format(
            pods=counted(pods, "pod"),
            of=len(plan.evicted),
            jobs=listed([found.job for found in review.needless], 8),
            lost=amount(sum(found.lost_gpu_seconds for found in review.needless)),
            cost=amount(sum(found.weighted_cost for found in review.needless)),
        )
    elif plan.victims and review.starts:
        yield REVIEW_TEXTS["all-needed"]
    best = review.best
    if plan.victims or plan.placements:
        if review.excess is not None and review.excess > 1e-6:
            yield REVIEW_TEXTS["dearer"].format(
                cost=amount(review.cost), least=amount(review.least_cost or 0.0), excess=amount(review.excess)
            )
        elif review.excess is not None:
            yield REVIEW_TEXTS["cheapest"].format(cost=amount(review.cost))
        elif best.status == "infeasible":
            yield REVIEW_TEXTS["none-permitted"]
        elif review.least_cost is not None and not review.starts:
            yield REVIEW_TEXTS["least"].format(
                least=amount(review.least_cost), pods=counted(best.cost.evicted_pods, "pod")
            )
        elif review.least_cost is not None:
            yield REVIEW_TEXTS["other-terms"].format(cost=amount(review.cost), least=amount(review.least_cost))
    elif best.status == "infeasible":
        yield REVIEW_TEXTS["rightly-none"]
    elif review.least_cost is not None:
        yield REVIEW_TEXTS["missed"].format(
            least=amount(review.least_cost), pods=counted(best.cost.evicted_pods, "pod")
        )
