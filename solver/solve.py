"""`solve_preemption`: one decision from instance to checked plan."""

from __future__ import annotations

from time import monotonic

from ..models.check import violations
from ..models.errors import ConfigError, InternalError
from ..models.instance import Instance
from ..models.plan import Plan
from .exact.answer import plan_of
from .exact.cpsat import Effort
from .exact.decision import Decision
from .exact.relax import decide
from .exact.search import Tally
from .exact.snapshot import compile_snapshot
from .explain import reasons_of


def solve_preemption(instance: Instance, *, time_limit: float = 10.0, workers: int = 1, seed: int = 0) -> Plan:
    """Decide whom to evict and which GPUs to hand over, so that the request can start at the least work lost.

    Parameters
    ----------
    instance : Instance
        The cluster as it is now and the request that cannot start.
    time_limit : float
        Seconds, above 0.
    workers : int
        Threads of the solver, at least 1.
    seed : int
        For the solver's choices; the same seed and one worker give the same plan.

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
        Numbers that no 64-bit model can represent, or weights that are missing.
    InternalError
        The checker refutes the plan: a fault of ours, and no plan is returned.
    """
    if not time_limit > 0 or workers < 1 or not 0 <= seed < 2**31:
        raise ConfigError("time_limit must be above 0, workers at least 1, seed from 0 to 2147483647")
    started = monotonic()
    effort = Effort(deadline=started + time_limit, workers=workers, seed=seed)
    tally = Tally()
    decision = Decision(compile_snapshot(instance), instance)
    tally.seconds["compile"] = monotonic() - started
    verdict = decide(decision, effort, tally)
    plan = plan_of(decision, verdict, tally).model_copy(update={"reasons": reasons_of(decision, verdict)})
    refuted = violations(instance, plan)
    if refuted:
        raise InternalError("the checker refutes the plan: " + "; ".join(violation.text for violation in refuted))
    return plan
