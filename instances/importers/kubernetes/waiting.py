"""Workloads that wait for room, and the one of them that the decision is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ....models import ConfigError
from ..notes import Notes
from .core_objects import Pod
from .owners import Owner, fewest_of, owner_of
from .settings import Settings, first_of
from .state import State
from .workloads import workload_pods


@dataclass(frozen=True)
class Waiting:
    """A workload that waits.

    Attributes
    ----------
    owner : Owner
        What it is.
    pods : tuple of Pod
        Its waiting pods.
    fewest : int or None
        How many of these must start at least; None: all.
    missing : int
        Pods of a gang that are not made yet.
    """

    owner: Owner
    pods: tuple[Pod, ...]
    fewest: int | None = None
    missing: int = 0

    @property
    def name(self) -> str:
        """``namespace/name``."""
        return self.owner.name


def waiting_workloads(state: State, settings: Settings) -> dict[Owner, Waiting]:
    """Return all workloads that wait.

    Parameters
    ----------
    state : State
        All objects.
    settings : Settings
        Names of labels and annotations.

    Returns
    -------
    dict
        By owner, in the order of the names: groups of waiting pods, and workloads that have made no pods yet.
    """
    groups: dict[Owner, list[Pod]] = defaultdict(list)
    running: dict[Owner, int] = defaultdict(int)
    makers: set[Owner] = set()
    for pod in state.pods.values():
        makers |= _makers(pod, settings)
        if pod.metadata.namespace in settings.jobs.ignored_namespaces or pod.is_finished:
            continue
        owner = owner_of(pod, state, settings.jobs)
        if pod.is_pending:
            groups[owner].append(pod)
        elif pod.is_bound and not pod.is_terminating:
            running[owner] += 1
    found = {owner: _waiting(owner, pods, running[owner], state, settings) for owner, pods in groups.items()}
    for owner, pods in workload_pods(state).items():
        if owner not in makers:
            found[owner] = _waiting(owner, pods, 0, state, settings)
    return dict(sorted(found.items(), key=lambda item: (item[0].name, item[0].kind)))


def _makers(pod: Pod, settings: Settings) -> set[Owner]:
    """Return the workloads that have made a pod."""
    meta = pod.metadata
    found = {Owner(meta.controller.kind, f"{meta.namespace}/{meta.controller.name}")} if meta.controller else set()
    for kind, keys in (("LeaderWorkerSet", settings.jobs.leader_set_keys), ("JobSet", settings.jobs.job_set_keys)):
        named = first_of(keys, meta.labels, meta.annotations)
        if named is not None:
            found.add(Owner(kind, f"{meta.namespace}/{named[1]}"))
    return found


def _is_part(group: Owner, whole: Owner) -> bool:
    """Return whether an owner is a numbered group of a leader-worker set."""
    return group.kind == whole.kind and group.name.rpartition("-")[0] == whole.name


def _waiting(owner: Owner, pods: list[Pod], running: int, state: State, settings: Settings) -> Waiting:
    fewest = fewest_of(owner, pods, state, settings.jobs)
    if fewest is None or owner.kind != "PodGroup":
        return Waiting(owner, tuple(pods), None if fewest is None else max(1, min(fewest - running, len(pods))))
    needed = max(1, fewest - running)
    return Waiting(owner, tuple(pods), needed, missing=max(0, needed - len(pods)))


def chosen(
    units: Mapping[Owner, Waiting], state: State, wanted: str | None, settings: Settings, notes: Notes
) -> Waiting | None:
    """Return the workload that the decision is about.

    Parameters
    ----------
    units : mapping
        All workloads that wait.
    state : State
        All objects.
    wanted : str or None
        ``namespace/name`` or ``kind/namespace/name`` of a pod or group; None: the only one that waits.
    settings : Settings
        Names of labels and annotations.
    notes : Notes
        Told what was chosen.

    Returns
    -------
    Waiting or None
        None if none is wanted and none waits.

    Raises
    ------
    ConfigError
        The name is not known, not waiting or ambiguous; or several wait and none is named.
    """
    if wanted is None:
        if len(units) > 1:
            names = [f"{owner.kind}/{owner.name}" for owner in units]
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            raise ConfigError(f"several workloads wait; choose one by --request: {', '.join(names[:10])}{more}")
        found = next(iter(units.values()), None)
        if found is not None:
            notes.say(f"The request is {found.owner.kind} {found.name}, the only workload that waits.")
        return found
    kind, name = _parsed(wanted)
    fitting = [unit for owner, unit in units.items() if owner.name == name and kind in ("", owner.kind.lower())]
    if not fitting and kind in ("", "leaderworkerset"):
        whole = Owner("LeaderWorkerSet", name)
        fitting = [unit for owner, unit in units.items() if _is_part(owner, whole)]
    pod = state.pods.get(name) if kind in ("", "pod") else None
    if pod is not None and not fitting:
        if not pod.is_pending:
            raise ConfigError(f"--request {wanted}: {_why_not(pod)}; a waiting pod or group was expected")
        if kind == "pod":
            return Waiting(Owner("Pod", name), (pod,))
        unit = units[owner_of(pod, state, settings.jobs)]
        notes.say(
            f"Pod {name} starts only together with the others of {unit.owner.kind} {unit.name}: that is the request."
        )
        return unit
    if len(fitting) > 1:
        several = ", ".join(f"{unit.owner.kind}/{unit.name}" for unit in fitting)
        raise ConfigError(f"--request {wanted}: several wait under this name; choose one of {several}")
    if not fitting:
        known = [owner.name for owner in units]
        listed = ", ".join(known[:10]) + (", …" if len(known) > 10 else "") if known else "none"
        raise ConfigError(f"--request {wanted}: no waiting pod or group of this name; waiting: {listed}")
    return fitting[0]


def _parsed(wanted: str) -> tuple[str, str]:
    parts = wanted.split("/")
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise ConfigError(f"--request {wanted}: NAMESPACE/NAME or KIND/NAMESPACE/NAME was expected")
    if len(parts) == 1:
        return "", f"default/{parts[0]}"
    return (parts[0].lower() if len(parts) == 3 else ""), "/".join(parts[-2:])


def _why_not(pod: Pod) -> str:
    if pod.is_terminating:
        return "it is terminating"
    return f"it has ended ({pod.status.phase})" if pod.is_finished else f"it runs on {pod.spec.node_name}"
