"""Numbered orderings of pods and jobs: each is a key for `sorted` and ends in a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...models.jobs import Job
from .situation import Running

Key = tuple[Any, ...]

PRIORITY_SHIFT = 1 << 31
"""What kube-scheduler and Gödel add to every priority before they sum, so that more victims weigh more."""


def most_important_first(pod: Running) -> Key:
    """Return the order in which kube-scheduler reprieves pods.

    Parameters
    ----------
    pod : Running
        A pod.

    Returns
    -------
    tuple
        1 higher priority, 2 earlier start, 3 name (``MoreImportantPod`` of kube-scheduler).
    """
    return (-pod.priority, -pod.age, pod.name)


def most_important_first_later_name(pod: Running) -> Key:
    """Return the order in which Gödel reprieves pods.

    Parameters
    ----------
    pod : Running
        A pod.

    Returns
    -------
    tuple
        1 higher priority, 2 earlier start, 3 the later name (the smaller UID is the less important).
    """
    return (-pod.priority, -pod.age, *later_name_first(pod.name))


def jobs_lowest_priority_youngest_first(job: Job) -> Key:
    """Return the order in which Kueue and KAI give up jobs.

    Parameters
    ----------
    job : Job
        A job.

    Returns
    -------
    tuple
        1 lower priority, 2 later start, 3 name.
    """
    return (job.priority, job.running_seconds or 0.0, job.name)


def jobs_lowest_priority_smallest_first(job: Job) -> Key:
    """Return the order in which Slurm's ``preempt/partition_prio`` lists candidates.

    Parameters
    ----------
    job : Job
        A job.

    Returns
    -------
    tuple
        1 lower priority, 2 fewer nodes, 3 name.
    """
    return (job.priority, len({pod.node for pod in job.pods}), job.name)


def tasks_in_reverse(pod: Running) -> Key:
    """Return the order in which Volcano's victim queue gives up tasks.

    Parameters
    ----------
    pod : Running
        A pod.

    Returns
    -------
    tuple
        1 lower job priority, 2 higher index (the number after the last dash of the name), 3 later start, 4 later name.
    """
    index = pod.name.rpartition("-")[2]
    return (
        pod.priority,
        -int(index) if index.isascii() and index.isdigit() else 1,
        pod.age,
        *later_name_first(pod.name),
    )


def newest_first(pod: Running) -> Key:
    """Return the order in which YuniKorn sorts a node's allocations.

    Parameters
    ----------
    pod : Running
        A pod.

    Returns
    -------
    tuple
        1 later start, 2 name.
    """
    return (pod.age, pod.name)


def by_priority_job_and_name(pod: Running) -> Key:
    """Return the order in which Koordinator reprieves pods.

    Parameters
    ----------
    pod : Running
        A pod.

    Returns
    -------
    tuple
        1 higher priority, 2 name of the job, 3 name.
    """
    return (-pod.priority, pod.job.name, pod.name)


def node_choice(victims: Sequence[Running], violations: int) -> Key:
    """Return how kube-scheduler ranks a node by its victims (``pickOneNodeForPreemption``).

    Parameters
    ----------
    victims : sequence of Running
        The node's victims.
    violations : int
        How many of them break a disruption budget.

    Returns
    -------
    tuple
        1 fewest violations, 2 lowest top priority, 3 lowest sum of priorities, each shifted by 2^31, 4 fewest
        victims, 5 latest start of the earliest started among those of top priority. The caller adds 6, the name.
    """
    if not victims:
        return (violations, float("-inf"), 0, 0, 0.0)
    top = max(pod.priority for pod in victims)
    earliest = max(pod.age for pod in victims if pod.priority == top)
    return (violations, top, sum(pod.priority + PRIORITY_SHIFT for pod in victims), len(victims), earliest)


def later_name_first(name: str) -> Key:
    """Return a key under which later names come first, a name after those that begin with it.

    Parameters
    ----------
    name : str
        A name.

    Returns
    -------
    tuple
        To be unpacked into a larger key.
    """
    return (*(-ord(letter) for letter in name), 1)
