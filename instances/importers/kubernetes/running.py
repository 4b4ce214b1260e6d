"""Running pods as jobs of an instance: priority, age, cost of an eviction, and where each pod sits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..notes import Notes
from .core_objects import Pod
from .effective import unpinned
from .group_objects import PodGroup
from .holdings import Holding
from .hosts import Host
from .machine_fields import plain_amounts
from .numa import NumaFacts
from .owners import Owner, fewest_of, owner_of
from .priorities import priority_of
from .quantities import our_name
from .settings import Settings, first_of
from .state import State
from .times import parse_time, seconds_between, seconds_of

_NO = ("false", "no", "non-preemptible", "never")
_YES = ("true", "yes", "preemptible")


def running_jobs(
    pods: Mapping[str, Pod],
    held: Mapping[str, Holding],
    hosts: Mapping[str, Host],
    state: State,
    now: datetime | None,
    settings: Settings,
    notes: Notes,
) -> list[dict[str, Any]]:
    """Return running pods as jobs.

    Parameters
    ----------
    pods : mapping
        Running and terminating pods by key.
    held : mapping
        What each holds.
    hosts : mapping
        Nodes by name.
    state : State
        All objects.
    now : datetime or None
        The moment of the data; None if it tells no time.
    settings : Settings
        Names of labels and annotations.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    list of dict
        Jobs of an instance file by name; terminating pods are jobs of their own. Without budgets.

    Raises
    ------
    InstanceError
        A label or annotation that cannot be read.
    """
    groups: dict[Owner, list[Pod]] = defaultdict(list)
    for pod in pods.values():
        groups[owner_of(pod, state, settings.jobs)].append(pod)
    names = _job_names(groups)
    jobs: list[dict[str, Any]] = []
    for owner, members in sorted(groups.items()):
        _note_owners(owner, members, notes)
        going = [pod for pod in members if pod.is_terminating]
        staying = [pod for pod in members if not pod.is_terminating]
        if staying:
            job = _job(owner, names[owner], staying, held, hosts, state, now, settings, notes)
            fewest = fewest_of(owner, staying, state, settings.jobs)
            if fewest is not None and fewest < len(staying):
                job["min_available"] = fewest
            jobs.append(job)
        for pod in going:
            jobs.append(_going(pod, held, hosts, state, now, settings, notes))
    for job in jobs:
        job["pods"].sort(key=lambda pod: pod["name"])
    return sorted(jobs, key=lambda job: str(job["name"]))


def _job_names(groups: Mapping[Owner, list[Pod]]) -> dict[Owner, str]:
    times: dict[str, int] = defaultdict(int)
    for owner in groups:
        times[owner.name] += 1
    return {owner: owner.name if times[owner.name] == 1 else f"{owner.name} ({owner.kind})" for owner in groups}


def _note_owners(owner: Owner, members: list[Pod], notes: Notes) -> None:
    if owner.kind != "Pod":
        return
    controller = members[0].metadata.controller
    if controller is not None and controller.kind not in ("ReplicaSet", "StatefulSet", "DaemonSet", "Node"):
        notes.of(
            owner.name, f"Pods owned by a {controller.kind}, which is no known kind of job: each is one of its own."
        )


def _job(
    owner: Owner,
    name: str,
    pods: list[Pod],
    held: Mapping[str, Holding],
    hosts: Mapping[str, Host],
    state: State,
    now: datetime | None,
    settings: Settings,
    notes: Notes,
) -> dict[str, Any]:
    jobs = settings.jobs
    priorities = {priority_of(pod, state, jobs, notes) for pod in pods}
    if len(priorities) > 1:
        notes.of(name, "Jobs whose pods have several priorities: the highest counts.")
    job: dict[str, Any] = {"name": name, "priority": max(priorities)}
    if not all(_is_preemptible(pod, settings, notes) for pod in pods) or _is_protected(owner, state):
        job["preemptible"] = False
    ages = [seconds_between(pod.status.start_time, now) for pod in pods if pod.status.start_time is not None and now]
    if ages:
        job["running_seconds"] = max(ages)
        if len(set(ages)) > 1:
            notes.of(name, "Jobs whose pods started at several times: the oldest counts.")
    if len(ages) < len(pods):
        notes.of(name, "Jobs with pods that do not say when they started.")
    unsaved = [found for found in (_unsaved(pod, now, settings) for pod in pods) if found is not None]
    if unsaved:
        job["unsaved_seconds"] = max(unsaved)
    for field, keys in (
        ("restart_seconds", jobs.restart_annotations),
        ("checkpoint_seconds", jobs.checkpoint_annotations),
    ):
        amounts = [found for found in (_seconds(pod, keys) for pod in pods) if found is not None]
        if amounts:
            job[field] = max(amounts)
            if len(set(amounts)) > 1:
                notes.of(name, f"Jobs whose pods state several {field}: the most counts.")
    graces = {pod.spec.termination_grace_period_seconds for pod in pods} - {None}
    if graces:
        job["grace_seconds"] = min(grace for grace in graces if grace is not None)
        if len(graces) > 1:
            notes.of(name, "Jobs whose pods have several grace periods: the shortest counts.")
    job["pods"] = [_pod(pod, held[pod.key], hosts[pod.spec.node_name or ""], settings, notes) for pod in pods]
    return job


def _going(
    pod: Pod,
    held: Mapping[str, Holding],
    hosts: Mapping[str, Host],
    state: State,
    now: datetime | None,
    settings: Settings,
    notes: Notes,
) -> dict[str, Any]:
    left = pod.metadata.deletion_timestamp
    grace = seconds_between(now, left) if now is not None and left is not None else 0
    if not grace:
        notes.of(pod.key, "Terminating pods whose grace period is over: taken to go at once.")
    return {
        "name": f"{pod.key} (terminating)",
        "priority": priority_of(pod, state, settings.jobs, notes),
        "state": "terminating",
        "grace_seconds": grace,
        "pods": [_pod(pod, held[pod.key], hosts[pod.spec.node_name or ""], settings, notes)],
    }


def _pod(pod: Pod, holding: Holding, host: Host, settings: Settings, notes: Notes) -> dict[str, Any]:
    found: dict[str, Any] = {"name": pod.key, "node": host.name}
    numa = settings.levels.numa_level
    if holding.slots:
        found["slots"] = list(holding.slots)
    elif holding.gpus:
        found["gpus"] = holding.gpus
        if holding.numa is not None:
            found["within"] = {numa: holding.numa}
            notes.of(pod.key, "Pods that only say the NUMA node of their GPUs: any of its GPUs.")
        else:
            notes.of(pod.key, "Pods that do not say which GPUs they hold: placement unknown.")
    lost = _seconds(pod, settings.jobs.lost_annotations)
    if lost is not None:
        found["lost_gpu_seconds"] = lost
    if holding.gpus and holding.share != 1:
        found["share"] = float(holding.share)
    amounts = plain_amounts(holding.resources, host.resource, settings.devices)
    if amounts:
        found["resources"] = amounts
    if host.facts is not None and host.facts.policy != "none" and amounts:
        _add_alignment(found, pod, amounts, holding, host, host.facts, numa, notes)
    return found


def _add_alignment(
    found: dict[str, Any],
    pod: Pod,
    amounts: Mapping[str, int | float],
    holding: Holding,
    host: Host,
    facts: NumaFacts,
    numa: str,
    notes: Notes,
) -> None:
    """State where a pod's aligned resources sit, where its slots do not show it."""
    domain = holding.numa or next(iter(facts.nodes), None)
    if domain is None or domain not in host.domains.get(numa, {}):
        return
    loose = {our_name(name) for name in unpinned(pod)}
    if loose & set(amounts):
        notes.of(pod.key, "Pods whose cores or memory the kubelet does not pin: they hold none of a NUMA node's.")
        amounts = {name: amount for name, amount in amounts.items() if name not in loose}
        if not amounts:
            found["domain_resources"] = {numa: {domain: {}}}
            return
    if holding.numa is not None and not holding.gpus:
        found["domain_resources"] = {numa: {domain: dict(amounts)}}


def _is_protected(owner: Owner, state: State) -> bool:
    group = state.of(PodGroup).get(owner.name) if owner.kind == PodGroup.__name__ else None
    word = group.spec.preemptibility.lower() if group is not None else ""
    if group is not None and word not in ("", *_YES, *_NO):
        raise group.mistake("spec.preemptibility", word, f"one of {', '.join((*_YES, *_NO))}")
    return word in _NO


def _is_preemptible(pod: Pod, settings: Settings, notes: Notes) -> bool:
    controller = pod.metadata.controller
    if controller is not None and controller.kind in settings.jobs.protected_kinds:
        notes.of(pod.key, f"Pods owned by a {controller.kind} are not evicted.")
        return False
    found = first_of(settings.jobs.preemptible_keys, pod.metadata.labels, pod.metadata.annotations)
    if found is None:
        return True
    word = found[1].strip().lower()
    if word not in (*_NO, *_YES):
        field = f"metadata.annotations[{found[0]!r}]"
        raise pod.mistake(field, found[1], f"one of {', '.join((*_YES, *_NO))}")
    return word in _YES


def _seconds(pod: Pod, keys: tuple[str, ...]) -> float | None:
    found = first_of(keys, pod.metadata.annotations)
    if found is None:
        return None
    seconds = seconds_of(found[1])
    if seconds is None:
        expected = "seconds, or a duration such as 1h30m"
        raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], expected)
    return seconds


def _unsaved(pod: Pod, now: datetime | None, settings: Settings) -> float | None:
    seconds = _seconds(pod, settings.jobs.unsaved_annotations)
    found = first_of(settings.jobs.saved_at_annotations, pod.metadata.annotations)
    if seconds is not None or found is None:
        return seconds
    try:
        saved = parse_time(found[1])
    except ValueError:
        field = f"metadata.annotations[{found[0]!r}]"
        raise pod.mistake(field, found[1], "a timestamp such as 2026-03-01T12:00:00Z") from None
    return seconds_between(saved, now) if now is not None else None
