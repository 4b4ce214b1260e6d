"""How close the pods of a waiting workload must be: annotations and objects of Kueue, KAI, Volcano and Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ....models import ConfigError
from ....models.topology import NODE
from ..notes import Notes
from .core_objects import Pod
from .group_objects import Job, JobSet, LeaderWorkerSet, NetworkTopology, PodGroup
from .levels import Levels
from .quantities import count_in
from .settings import RequestSettings, first_of
from .state import State
from .waiting import Waiting


@dataclass(frozen=True)
class Wish:
    """What the pods of a scope must, and should, share.

    Attributes
    ----------
    required, preferred : str or None
        Node labels.
    where : str
        The field that says so, for messages.
    """

    required: str | None = None
    preferred: str | None = None
    where: str = ""


@dataclass(frozen=True)
class Closeness:
    """What a workload asks for.

    Attributes
    ----------
    gang, slice : Wish
        For all of its pods, and for the pods of one slice.
    slice_size : int or None
        Pods a slice.
    tiers, slice_tiers : NetworkTopology or None
        The same in the tiers of HyperNodes.
    hierarchy : str or None
        The Topology object that counts.
    """

    gang: Wish = Wish()
    slice: Wish = Wish()
    slice_size: int | None = None
    tiers: NetworkTopology | None = None
    slice_tiers: NetworkTopology | None = None
    hierarchy: str | None = None

    def labels(self) -> tuple[str, ...]:
        """Return the node labels that it names."""
        wishes = (self.gang.required, self.gang.preferred, self.slice.required, self.slice.preferred)
        return tuple(dict.fromkeys(label for label in wishes if label))


def closeness_of(waiting: Waiting, state: State, settings: RequestSettings, notes: Notes) -> Closeness:
    """Return how close the pods of a workload must be.

    Parameters
    ----------
    waiting : Waiting
        The workload.
    state : State
        For its PodGroup or Volcano job.
    settings : RequestSettings
        Names of annotations.
    notes : Notes
        Told what an instance cannot say.

    Returns
    -------
    Closeness
        Annotations of the pods first, then those of the group, then the group's own fields.

    Raises
    ------
    InstanceError
        A slice size that is no number.
    """
    pod = waiting.pods[0]
    group = state.of(PodGroup).get(waiting.name)
    maker = pod.metadata.controller
    job = state.of(Job).get(f"{pod.metadata.namespace}/{maker.name}" if maker is not None else waiting.name)
    maps = [pod.metadata.annotations]
    leaders = state.of(LeaderWorkerSet)
    leader = leaders.get(waiting.name) or leaders.get(waiting.name.rpartition("-")[0])
    owners = (group, job, state.of(JobSet).get(waiting.name), leader)
    maps += [found.metadata.annotations for found in owners if found is not None]
    gang = _wish(settings.required_keys, settings.preferred_keys, maps)
    hierarchy = first_of(settings.hierarchy_keys, *maps)
    named = hierarchy[1] if hierarchy else None
    tiers = slice_tiers = None
    size = _size(pod, settings, maps)
    if group is not None:
        constraint = group.spec.topology_constraint
        if constraint is not None and gang == Wish():
            required, preferred = constraint.required_topology_level, constraint.preferred_topology_level
            gang = Wish(required or None, preferred or None, "spec.topologyConstraint")
            named = named or constraint.topology or None
        keys = (
            [key.key for key in group.spec.scheduling_constraints.topology] if group.spec.scheduling_constraints else []
        )
        if keys and gang == Wish():
            if len(keys) > 1:
                notes.of(group.key, f"Groups that must share several topology keys: the last, {keys[-1]}, counts.")
            gang = Wish(keys[-1], None, "spec.schedulingConstraints.topology")
        tiers = group.spec.network_topology
    if job is not None:
        tiers = tiers or job.spec.network_topology
        policies = [task.partition_policy for task in job.spec.tasks if task.partition_policy is not None]
        if policies:
            size, slice_tiers = policies[0].partition_size, policies[0].network_topology
    wish = _wish(settings.slice_required_keys, settings.slice_preferred_keys, maps)
    return Closeness(gang, wish, size, tiers, slice_tiers, named)


def _wish(required: tuple[str, ...], preferred: tuple[str, ...], maps: list[dict[str, str]]) -> Wish:
    hard, soft = first_of(required, *maps), first_of(preferred, *maps)
    if hard is None and soft is None:
        return Wish()
    where = f"metadata.annotations[{(hard or soft or ('', ''))[0]!r}]"
    return Wish(hard[1] if hard else None, soft[1] if soft else None, where)


def _size(pod: Pod, settings: RequestSettings, maps: list[dict[str, str]]) -> int | None:
    found = first_of(settings.slice_size_keys, *maps)
    if found is None:
        return None
    size = count_in(found[1], 1, 10**5)
    if size is None:
        raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], "a number of pods from 1 to 100000")
    return size


def affinity_of(closeness: Closeness, pod: Pod, levels: Levels, notes: Notes) -> dict[str, Any]:
    """Return the gang and slice scopes of a request's affinity.

    Parameters
    ----------
    closeness : Closeness
        What the workload asks for.
    pod : Pod
        One of its pods, for messages.
    levels : Levels
        Which labels and tiers are levels.
    notes : Notes
        Told what an instance cannot say.

    Returns
    -------
    dict
        Scopes of an instance file; a scope that asks nothing is left out.

    Raises
    ------
    InstanceError
        A label or tier that is no level.
    """
    found: dict[str, Any] = {}
    gang = _scope(closeness.gang, closeness.tiers, pod, levels)
    if gang is not None:
        found["gang"] = gang
    part = _scope(closeness.slice, closeness.slice_tiers, pod, levels)
    if part is not None and closeness.slice_size is not None:
        found["slice"] = {**part, "size": closeness.slice_size}
    elif part is not None or (closeness.slice_size or 1) > 1:
        notes.of(pod.key, "Slices without a size, or without what their pods share: passed over.")
    return found


def _scope(wish: Wish, tiers: NetworkTopology | None, pod: Pod, levels: Levels) -> dict[str, Any] | None:
    required = _level(wish.required, wish.where, pod, levels) if wish.required else None
    preferred = _level(wish.preferred, wish.where, pod, levels) if wish.preferred else None
    if required is None and preferred is None:
        return _tier_scope(tiers, pod, levels) if tiers is not None else None
    if preferred is None:
        return {"island": required, "mode": "guaranteed"}
    if required is None:
        return {"island": preferred, "mode": "best-effort"}
    order = (*levels.names, NODE)
    ladder = list(reversed(order[order.index(required) : order.index(preferred) + 1]))
    if len(ladder) < 2:
        return {"island": required, "mode": "guaranteed"}
    return {"island": preferred, "mode": "best-effort", "ladder": ladder}


def _level(label: str, where: str, pod: Pod, levels: Levels) -> str:
    if label in levels.of_label:
        return levels.of_label[label]
    known = ", ".join(levels.of_label)
    raise pod.mistake(
        where, label, f"a label that is a level of the cluster: {known}; or name it by --level NAME={label}"
    )


def _tier_scope(tiers: NetworkTopology, pod: Pod, levels: Levels) -> dict[str, Any] | None:
    if not levels.of_tier:
        raise pod.mistake("spec.networkTopology", tiers.mode, "HyperNodes among the objects, for levels of their tiers")
    if tiers.mode == "soft":
        return {"island": levels.of_tier[min(levels.of_tier)], "mode": "best-effort"}
    if tiers.mode != "hard":
        raise pod.mistake("spec.networkTopology.mode", tiers.mode, "hard or soft")
    if tiers.highest_tier_name:
        if tiers.highest_tier_name not in levels.of_tier.values():
            names = ", ".join(levels.of_tier.values())
            raise pod.mistake("spec.networkTopology.highestTierName", tiers.highest_tier_name, f"one of {names}")
        return {"island": tiers.highest_tier_name, "mode": "guaranteed"}
    allowed = [tier for tier in levels.of_tier if tier <= (tiers.highest_tier_allowed or 0)]
    if tiers.highest_tier_allowed is None:
        return None
    if not allowed:
        known = ", ".join(map(str, levels.of_tier))
        expected = f"a tier of the HyperNodes: {known}"
        raise pod.mistake("spec.networkTopology.highestTierAllowed", tiers.highest_tier_allowed, expected)
    return {"island": levels.of_tier[max(allowed)], "mode": "guaranteed"}


def pod_island(text: str, known: Iterable[str], where: str) -> dict[str, str]:
    """Return the pod scope that a short text asks for.

    Parameters
    ----------
    text : str
        ``ISLAND`` or ``ISLAND:MODE``, such as ``numa`` or ``numa:best-effort``.
    known : iterable of str
        Islands that one pod can ask for.
    where : str
        Who says so, for messages.

    Returns
    -------
    dict
        A scope of an instance file.

    Raises
    ------
    ConfigError
        Neither an island nor a mode.
    """
    island, _, mode = text.strip().partition(":")
    kinds = list(known)
    if island not in kinds:
        raise ConfigError(f"{where} {text}: an island of one pod was expected, one of {', '.join(kinds)}")
    if mode not in ("", "guaranteed", "best-effort"):
        raise ConfigError(f"{where} {text}: guaranteed or best-effort was expected after the colon")
    return {"island": island, "mode": mode or "guaranteed"}
