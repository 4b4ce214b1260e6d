"""What if: the same instance with some jobs spared, or with only some nodes to use."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ...models.errors import ConfigError
from ...models.instance import Instance
from .edits import edited


def sparing(instance: Instance, jobs: Sequence[str]) -> Instance:
    """Return an instance in which some jobs may not be evicted.

    Parameters
    ----------
    instance : Instance
        The original.
    jobs : sequence of str
        Names of jobs.

    Returns
    -------
    Instance
        These jobs are not preemptible.

    Raises
    ------
    ConfigError
        A name that no job has.
    """
    unknown = [name for name in jobs if name not in instance.jobs_by_name]
    if unknown:
        raise ConfigError(f"found {unknown[0]!r}, expected the name of a job of the instance")
    if not jobs:
        return instance
    spared = set(jobs)
    changed = tuple(
        job.model_copy(update={"preemptible": False}) if job.name in spared else job for job in instance.jobs
    )
    return edited(instance, jobs=changed)


def only_nodes(instance: Instance, patterns: Sequence[str]) -> Instance:
    """Return an instance in which the request may use only some nodes.

    Parameters
    ----------
    instance : Instance
        The original.
    patterns : sequence of str
        Names of nodes, ``*`` and ``?`` stand for any text and any character.

    Returns
    -------
    Instance
        All other nodes are cordoned; pods there still go with a rigid job.

    Raises
    ------
    ConfigError
        A pattern that no node matches.
    """
    if not patterns:
        return instance
    names = [node.name for node in instance.cluster.nodes]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ConfigError(f"found {pattern!r}, expected the name of a node, or a pattern that a name matches")
    nodes = tuple(
        node
        if any(fnmatchcase(node.name, pattern) for pattern in patterns)
        else node.model_copy(update={"cordoned": True})
        for node in instance.cluster.nodes
    )
    return edited(instance, cluster=instance.cluster.model_copy(update={"nodes": nodes}))
