"""How fast the engine decides: the same requests against one whole-cluster model and a greedy rule, in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import monotonic, perf_counter

from ..models.errors import InternalError
from ..models.instance import Instance
from ..models.plan import Plan
from .exact.cpsat import Effort
from .exact.cpsat.whole import solve_whole
from .exact.decision import Decision
from .exact.partition import prepare_snapshot
from .exact.rungs import rungs_in_order
from .solve import solve_preemption

REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """One request on one instance.

    Attributes
    ----------
    compile, decide : float
        Seconds to compile the cluster, and for a decision after that (checked by the checker, like every plan).
    apply : float
        Seconds for the next state after the plan; 0 where there is no plan.
    status : str
        How the decision ended.
    work : float
        Weighted work lost.
    whole : float or None
        Seconds of one whole-cluster model on the granted rungs, where it was asked for.
    whole_proved : bool
        Whether that model was closed in time; then its optimum was compared.
    greedy : float or None
        Seconds of the greedy rule, where it was asked for.
    greedy_work : float or None
        What it would lose.
    """

    compile: float
    decide: float
    apply: float
    status: str
    work: float
    whole: float | None
    whole_proved: bool
    greedy: float | None
    greedy_work: float | None


def measure(
    instance: Instance, *, whole_limit: float | None = None, greedy: Callable[[Instance], Plan] | None = None
) -> Timing:
    """Time one decision and what it is compared with.

    Parameters
    ----------
    instance : Instance
        The decision.
    whole_limit : float, optional
        Seconds for one model of the whole cluster; default: it is not run.
    greedy : callable, optional
        A baseline.

    Returns
    -------
    Timing
        The median of three decisions; the others once.

    Raises
    ------
    InternalError
        The whole-cluster model finds another optimum.
    """
    started = perf_counter()
    snapshot = prepare_snapshot(instance)
    compiled = perf_counter() - started
    solve_preemption(snapshot, time_limit=600.0)
    seconds = []
    for _ in range(REPEATS):
        started = perf_counter()
        plan = solve_preemption(snapshot, time_limit=600.0)
        seconds.append(perf_counter() - started)
    applied = 0.0
    if plan.placements:
        started = perf_counter()
        snapshot.apply(plan)
        applied = perf_counter() - started
    whole, proved = (None, False) if whole_limit is None else _whole(fresh_decision(instance), plan, whole_limit)
    rival, rival_seconds = None, None
    if greedy is not None:
        started = perf_counter()
        rival = greedy(instance)
        rival_seconds = perf_counter() - started
    return Timing(
        compile=compiled,
        decide=median(seconds),
        apply=applied,
        status=plan.status,
        work=plan.cost.weighted_work,
        whole=whole,
        whole_proved=proved,
        greedy=rival_seconds,
        greedy_work=rival.cost.weighted_work if rival is not None and rival.admitted else None,
    )


def fresh_decision(instance: Instance) -> Decision:
    """Return a decision on a snapshot of its own, so that nothing is shared with what was timed before.

    Parameters
    ----------
    instance : Instance
        The decision.

    Returns
    -------
    Decision
        Freshly compiled.
    """
    return Decision(prepare_snapshot(instance), instance)


def _whole(decision: Decision, plan: Plan, limit: float) -> tuple[float | None, bool]:
    granted = {scope: rung.granted for scope, rung in plan.affinity.items()}
    rungs = next(
        rungs
        for rungs in rungs_in_order(decision)
        if granted.get("pod", rungs.pod[0]) == rungs.pod[0] and granted.get("gang", rungs.gang) == rungs.gang
    )
    started = perf_counter()
    cost, proved = solve_whole(decision, rungs, Effort(monotonic() + limit, 1, 0))
    seconds = perf_counter() - started
    if proved and cost is not None:
        unit = decision.cost_step / 1e12
        if abs(cost * unit - plan.cost.weighted_work) > 1e-6 * max(1.0, plan.cost.weighted_work):
            raise InternalError(f"the whole-cluster model finds {cost * unit}, the engine {plan.cost.weighted_work}")
    return seconds, proved
