"""Which pods make a job: gangs, leader-worker groups, job sets and jobs; every other pod is a job of its own."""

from __future__ import annotations

from typing import NamedTuple

from .core_objects import Pod
from .group_objects import Job, LeaderWorkerSet, PodGroup
from .job_settings import JobSettings
from .quantities import count_in
from .settings import first_of
from .state import State


class Owner(NamedTuple):
    """What holds pods together.

    Attributes
    ----------
    kind : str
        ``PodGroup``, ``LeaderWorkerSet``, ``JobSet``, a kind of job, or ``Pod``.
    name : str
        ``namespace/name``; a group of a LeaderWorkerSet has its number after it.
    """

    kind: str
    name: str


def owner_of(pod: Pod, state: State, settings: JobSettings) -> Owner:
    """Return what a pod lives and dies with.

    Parameters
    ----------
    pod : Pod
        A pod.
    state : State
        All objects.
    settings : JobSettings
        Labels, annotations and kinds.

    Returns
    -------
    Owner
        The widest of: leader-worker group, job set, gang, job of a known kind; else the pod itself.
    """
    meta = pod.metadata
    space = meta.namespace
    names = (meta.labels, meta.annotations)
    leader = first_of(settings.leader_set_keys, *names)
    if leader is not None:
        group = first_of(settings.leader_group_keys, *names)
        return Owner(LeaderWorkerSet.__name__, f"{space}/{leader[1]}" + (f"-{group[1]}" if group else ""))
    job_set = first_of(settings.job_set_keys, *names)
    if job_set is not None:
        return Owner("JobSet", f"{space}/{job_set[1]}")
    gang = gang_of(pod, settings)
    if gang is not None:
        return Owner(PodGroup.__name__, f"{space}/{gang}")
    controller = meta.controller
    if controller is not None and controller.kind in settings.job_kinds:
        return Owner(controller.kind, f"{space}/{controller.name}")
    return Owner("Pod", pod.key)


def gang_of(pod: Pod, settings: JobSettings) -> str | None:
    """Return the gang that a pod names.

    Parameters
    ----------
    pod : Pod
        A pod.
    settings : JobSettings
        Labels and annotations.

    Returns
    -------
    str or None
        Its name within the pod's namespace.
    """
    named = first_of(settings.group_keys, pod.metadata.labels, pod.metadata.annotations)
    if named is not None:
        return named[1]
    if pod.spec.scheduling_group is not None and pod.spec.scheduling_group.pod_group_name:
        return pod.spec.scheduling_group.pod_group_name
    if pod.spec.workload_ref is not None:
        group = pod.spec.workload_ref.pod_group
        return f"{pod.spec.workload_ref.name}-{group}" if group else pod.spec.workload_ref.name
    return None


def fewest_of(owner: Owner, pods: list[Pod], state: State, settings: JobSettings) -> int | None:
    """Return the fewest pods that a job goes on with, as its objects say.

    Parameters
    ----------
    owner : Owner
        What holds the pods together.
    pods : list of Pod
        Its pods.
    state : State
        All objects.
    settings : JobSettings
        Annotations.

    Returns
    -------
    int or None
        None if nothing says it: all of them.

    Raises
    ------
    InstanceError
        An annotation that is no number.
    """
    keys = (*settings.min_available_annotations, *settings.group_size_keys)
    for pod in pods:
        found = first_of(keys, pod.metadata.annotations, pod.metadata.labels)
        if found is not None:
            fewest = count_in(found[1], 0, 10**6)
            if fewest is None:
                raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], "a number of pods")
            return fewest
    if owner.kind == PodGroup.__name__:
        group = state.of(PodGroup).get(owner.name)
        return group.spec.fewest if group is not None else None
    if owner.kind == Job.__name__ and owner.name in state.of(Job):
        return state.of(Job)[owner.name].spec.min_available
    if owner.kind == LeaderWorkerSet.__name__:
        group_set = state.of(LeaderWorkerSet).get(owner.name.rpartition("-")[0])
        if group_set is not None and group_set.spec.leader_worker_template.restart_policy == "None":
            return 0
    return None
