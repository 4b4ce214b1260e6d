"""What a plan makes of the running jobs: who is gone, whose pods are fewer, and the request as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import InstanceError, Problem
from .jobs import Job, Pod
from .plan import Placement, Plan

if TYPE_CHECKING:
    from .instance import Instance


def without_pods(job: Job, gone: frozenset[str]) -> Job | None:
    """Return a job without some of its pods.

    Parameters
    ----------
    job : Job
        A job.
    gone : frozenset of str
        Names of pods.

    Returns
    -------
    Job or None
        None if no pod is left.
    """
    left = tuple(pod for pod in job.pods if pod.name not in gone)
    return job.model_copy(update={"pods": left}) if left else None


def started(instance: Instance, placements: tuple[Placement, ...]) -> Job:
    """Return the request as a running job.

    Parameters
    ----------
    instance : Instance
        For the request.
    placements : tuple of Placement
        Where its pods landed.

    Returns
    -------
    Job
        Of the request's name and priority; its pods are called ``<request>-0``, ``<request>-1``, …. It has not run
        yet, and it is elastic down to ``min_pods`` if it got more.
    """
    request = instance.request
    pods = []
    for placement in placements:
        unknown = placement.slots is None and request.gpus > 0
        pods.append(
            Pod(
                name=f"{request.name}-{placement.pod}",
                node=placement.node,
                slots=placement.slots or None,
                gpus=request.gpus if unknown else None,
                share=request.share if request.gpus else 1.0,
                resources=request.resources,
            )
        )
    return Job(
        name=request.name,
        priority=request.priority,
        running_seconds=0.0,
        min_available=min(request.fewest_pods, len(pods)),
        pods=tuple(pods),
    )


def changes_of(instance: Instance, plan: Plan) -> tuple[set[str], list[Job]]:
    """Return which jobs leave and which come when a plan is carried out.

    Parameters
    ----------
    instance : Instance
        The decision.
    plan : Plan
        A plan for it, with placements.

    Returns
    -------
    tuple
        Names of the jobs to leave out, and the jobs to enter: victims with the pods that they keep, the request,
        and terminating jobs without the pods that the request waited for.

    Raises
    ------
    InstanceError
        The plan places nothing, names a job that is not there, or the request's name is taken.
    """
    if not plan.placements:
        raise InstanceError([Problem("placements", "[]", "a plan that places the request")])
    gone: dict[str, set[str]] = {victim.job: set(victim.pods) for victim in plan.victims}
    for name in plan.waits_for:
        job, _ = instance.pods_by_name[name]
        gone.setdefault(job.name, set()).add(name)
    unknown = sorted(name for name in gone if name not in instance.jobs_by_name)
    if unknown:
        raise InstanceError([Problem("victims", unknown[0], "a job of the instance")])
    entered = [without_pods(instance.jobs_by_name[name], frozenset(pods)) for name, pods in gone.items()]
    return set(gone), [*(job for job in entered if job is not None), started(instance, plan.placements)]
