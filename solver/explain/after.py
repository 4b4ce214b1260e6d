"""The cluster once exactly the victims of a plan are gone, and how few of them would have done."""

from __future__ import annotations

from collections.abc import Iterator

from ...models.explanation import Needless, VictimCode
from ...models.instance import Instance
from ...models.jobs import Job
from ...models.loss import lost_work
from ...models.plan import Plan, Reason
from ...models.policy import WeightTable
from ...models.units import from_micro
from ..exact.answer import plan_of
from ..exact.decision import Decision
from ..exact.relax import decide
from ..exact.search import Tally
from ..exact.snapshot import compile_snapshot
from .edits import edited
from .narrow import Narrowed
from .probe import Probe
from .reasons import reasons_of
from .texts import VICTIM_TEXTS


class After:
    """The cluster once a plan's victims are gone, and how few of them would do.

    Parameters
    ----------
    instance : Instance
        The decision.
    plan : Plan
        Any plan.
    probe : Probe
        What may be spent.

    Attributes
    ----------
    gone : set of str
        Its evicted pods, as far as the instance knows them.
    fewest : Plan
        The best plan that evicts none but these.
    starts : bool or None
        Whether there is one; None if time ran out.
    reasons : tuple of Reason
        What blocks the request where there is none.
    """

    def __init__(self, instance: Instance, plan: Plan, probe: Probe) -> None:
        self.instance = instance
        self.plan = plan
        self.gone = {name for name in plan.evicted if name in instance.pods_by_name}
        only = only_these(instance, self.gone)
        decision = Decision(compile_snapshot(only), only)
        units = {
            int(decision.snapshot.pod_unit[number])
            for number, pod in enumerate(decision.snapshot.pods)
            if pod.name in self.gone
        }
        narrowed = Narrowed(decision, units=units)
        verdict = decide(narrowed, probe.effort, probe.tally)
        self.fewest = plan_of(narrowed, verdict, Tally())
        found = verdict.found is not None and verdict.found.solution is not None
        self.starts: bool | None = True if found else (False if verdict.proved else None)
        self.reasons: tuple[Reason, ...] = reasons_of(narrowed, verdict) if self.starts is False else ()

    def reached(self) -> Plan:
        """Return the plan on the best rungs that its evictions reach, whatever it says of them itself.

        Returns
        -------
        Plan
            Unchanged if the request does not start.
        """
        if not self.starts:
            return self.plan
        placed = self.plan.placements or self.fewest.placements
        return self.plan.model_copy(update={"affinity": self.fewest.affinity, "placements": placed})

    @property
    def enough(self) -> tuple[str, ...]:
        """Evicted pods that suffice; none where the request does not start."""
        return tuple(sorted(self.fewest.evicted)) if self.starts else ()

    def needless(self) -> tuple[Needless, ...]:
        """Return the jobs that lose pods although the others suffice.

        Returns
        -------
        tuple of Needless
            In the order of names.
        """
        if not self.starts:
            return ()
        return tuple(self._needless())

    def _needless(self) -> Iterator[Needless]:
        enough = self.fewest.evicted
        for victim in sorted(self.plan.victims, key=lambda victim: victim.job):
            spare = tuple(sorted(name for name in victim.pods if name in self.gone and name not in enough))
            if not spare:
                continue
            job = self.instance.jobs_by_name[victim.job]
            whole = len(spare) == len(victim.pods)
            lost = victim.lost_gpu_seconds if whole else from_micro(_lost(self.instance, job, spare))
            share = lost / victim.lost_gpu_seconds if victim.lost_gpu_seconds else 0.0
            yield Needless(
                job=victim.job,
                pods=spare,
                lost_gpu_seconds=lost,
                weighted_cost=victim.weighted_cost if whole else victim.weighted_cost * share,
                text=VICTIM_TEXTS[VictimCode.NEEDLESS].format(request=self.plan.request),
            )


def _lost(instance: Instance, job: Job, pods: tuple[str, ...]) -> int:
    lost = lost_work(instance, job)
    return sum(lost[name] for name in pods)


def only_these(instance: Instance, pods: set[str]) -> Instance:
    """Return an instance in which exactly some pods may be evicted, whatever protects them.

    Parameters
    ----------
    instance : Instance
        The original.
    pods : set of str
        Names of pods.

    Returns
    -------
    Instance
        Their jobs may go; a job of which only some pods are named may lose these one by one. Who else may go is not
        limited here.
    """
    below = instance.request.priority - 1
    policy = instance.policy
    updates: dict[str, object] = {"min_running_seconds": 0.0, "max_victims": None, "protected_labels": {}}
    if isinstance(policy.weights, WeightTable) and str(below) not in policy.weights.table:
        table = dict(policy.weights.table) | {str(below): 0.0}
        updates["weights"] = policy.weights.model_copy(update={"table": table})

    def freed(job: Job) -> Job:
        named = [pod for pod in job.pods if pod.name in pods]
        if not named:
            return job.model_copy(update={"budget": None})
        fields: dict[str, object] = {
            "budget": None,
            "preemptible": True,
            "labels": {},
            "state": "running",
            "priority": min(job.priority, below),
        }
        if len(named) < len(job.pods):
            fields["min_available"] = 0
        return job.model_copy(update=fields)

    return edited(
        instance,
        jobs=tuple(freed(job) for job in instance.jobs),
        budgets=(),
        request={"may_preempt": True},
        policy=updates,
    )
