"""`solve_preemption`: one decision from instance to checked plan."""

from __future__ import annotations

import logging
from time import monotonic

from ..models.check import violations
from ..models.errors import ConfigError, InternalError
from ..models.instance import Instance
from ..models.plan import Plan
from ..models.policy import Policy
from ..models.request import Request
from .exact.answer import plan_of
from .exact.cpsat import Effort
from .exact.decision import Decision
from .exact.relax import decide
from .exact.search import Tally
from .exact.snapshot import Snapshot, compile_snapshot
from .explain import Ask, explained, with_reasons

_log = logging.getLogger(__name__)


def solve_preemption(
    cluster: Instance | Snapshot,
    request: Request | None = None,
    *,
    policy: Policy | None = None,
    time_limit: float = 10.0,
    workers: int = 1,
    seed: int = 0,
    timings: bool = False,
    explain: Ask | None = None,
) -> Plan:
    """Decide whom to evict and which GPUs to hand over, so that the request can start at the least work lost.

    Parameters
    ----------
    cluster : Instance or Snapshot
        The cluster as it is now and the request that cannot start; or a cluster that `compile_snapshot` compiled,
        so that many requests against one state do not compile it again.
    request : Request, optional
        Another request than the instance's.
    policy : Policy, optional
        Other rules than the instance's.
    time_limit : float
        Seconds, above 0.
    workers : int
        Threads of the solver, at least 1.
    seed : int
        For the solver's choices; the same seed and one worker give the same plan.
    timings : bool
        Put the seconds of each phase into the plan. Without them the same instance gives the same plan to the byte.

    explain : Ask, optional
        What shall be explained beyond what is free; the time for it comes on top of the time limit.

    Returns
    -------
    Plan
        ``optimal`` with proof; ``feasible`` with bound and gap, or ``unknown``, if time ran out; ``infeasible`` if
        no permitted eviction helps. Checked by `violations` before it is returned.

    Raises
    ------
    ConfigError
        A time limit, number of workers or seed out of range.
    InstanceError
        A request that does not fit the cluster, numbers that no 64-bit model can represent, or missing weights.
    InternalError
        The checker refutes the plan: a fault of ours, and no plan is returned.
    """
    if not time_limit > 0 or workers < 1 or not 0 <= seed < 2**31:
        raise ConfigError("time_limit must be above 0, workers at least 1, seed from 0 to 2147483647")
    started = monotonic()
    effort = Effort(deadline=started + time_limit, workers=workers, seed=seed)
    instance = cluster.instance if isinstance(cluster, Snapshot) else cluster
    if request is not None or policy is not None:
        instance = instance.asking(request or instance.request, policy)
    snapshot = cluster if isinstance(cluster, Snapshot) else compile_snapshot(instance)
    decision, tally = Decision(snapshot, instance), Tally()
    tally.seconds["compile"] = monotonic() - started
    _log.info("compiled %d nodes, %d jobs: %.3f s", len(snapshot.nodes), len(snapshot.jobs), tally.seconds["compile"])
    verdict = decide(decision, effort, tally)
    plan = plan_of(decision, verdict, tally, timings=timings)
    _log.info("%s: bounds %.3f s, solver %.3f s", plan.status, tally.seconds["bound"], tally.seconds["solve"])
    plan = with_reasons(decision, verdict, plan)
    if explain is not None:
        took = monotonic() - started
        plan = explained(decision, verdict, plan, explain, took=took, workers=workers, seed=seed)
    refuted = violations(instance, plan)
    if refuted:
        raise InternalError("the checker refutes the plan: " + "; ".join(violation.text for violation in refuted))
    return plan
