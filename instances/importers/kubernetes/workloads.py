"""Pods of workloads that have not made them yet: from the templates of jobs, job sets and leader-worker sets."""

from __future__ import annotations

from .core_objects import Pod
from .group_objects import Job, JobSet, JobSpec, LeaderWorkerSet, PodTemplate
from .objects import KubeObject
from .owners import Owner
from .state import State

MOST_PODS = 10**5


def workload_pods(state: State) -> dict[Owner, list[Pod]]:
    """Return the pods that the workloads of a state would make.

    Parameters
    ----------
    state : State
        All objects.

    Returns
    -------
    dict
        What holds them together to its pods, for workloads that go on; of a LeaderWorkerSet one group.

    Raises
    ------
    InstanceError
        A workload of more pods than an instance may have.
    """
    found: dict[Owner, list[Pod]] = {}
    for key, job in state.of(Job).items():
        # The jobs of a job set stand for nothing of their own.
        if job.metadata.controller is not None or job.status.has_ended:
            continue
        found[Owner("Job", key)] = _of_job(job, job.spec, job.metadata.name)
    for key, job_set in state.of(JobSet).items():
        if job_set.status.has_ended:
            continue
        found[Owner("JobSet", key)] = [
            pod
            for part in job_set.spec.replicated_jobs
            for replica in range(_few(job_set, part.replicas))
            for pod in _of_job(job_set, part.template.spec, f"{job_set.metadata.name}-{part.name}-{replica}")
        ]
        _few(job_set, len(found[Owner("JobSet", key)]))
    for key, group in state.of(LeaderWorkerSet).items():
        template = group.spec.leader_worker_template
        leader = template.leader_template or template.worker_template
        name = group.metadata.name
        pods = [_pod(group, leader, name)]
        pods += [_pod(group, template.worker_template, f"{name}-{number}") for number in range(1, template.size)]
        found[Owner("LeaderWorkerSet", key)] = pods
    return {owner: pods for owner, pods in found.items() if pods}


def _of_job(owner: KubeObject, spec: JobSpec, name: str) -> list[Pod]:
    if spec.tasks:
        return [
            _pod(owner, task.template, f"{name}-{task.name}-{number}", spec.priority_class_name)
            for task in spec.tasks
            for number in range(_few(owner, task.replicas))
        ]
    if spec.template is None:
        return []
    return [_pod(owner, spec.template, f"{name}-{number}") for number in range(_few(owner, spec.parallelism))]


def _few(owner: KubeObject, number: int) -> int:
    if number > MOST_PODS:
        raise owner.mistake("spec", number, f"at most {MOST_PODS} pods")
    return number


def _pod(owner: KubeObject, template: PodTemplate, name: str, priority_class: str = "") -> Pod:
    spec = template.spec
    if priority_class and not spec.priority_class_name:
        spec = spec.model_copy(update={"priority_class_name": priority_class})
    metadata = {
        "name": name[:253],
        "namespace": owner.metadata.namespace,
        "labels": template.metadata.labels,
        "annotations": template.metadata.annotations,
    }
    return Pod.model_validate({"metadata": metadata, "spec": spec}).at(*owner.origin)
