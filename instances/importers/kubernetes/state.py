"""All objects of all files, each once: what a cluster looked like at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from ....models import InstanceError, Problem
from ..notes import Notes
from .core_objects import Node, Pod, PodDisruptionBudget, PriorityClass
from .device_objects import ResourceClaim, ResourceClaimTemplate, ResourceSlice
from .documents import Raw, raw_objects
from .group_objects import Job, JobSet, LeaderWorkerSet, PodGroup
from .objects import KubeObject
from .topology_objects import Device, HyperNode, NodeResourceTopology, Topology

T = TypeVar("T", bound=KubeObject)
Progress = Callable[[str, float], None]

# One kind name may belong to several projects; the API group tells them apart.
GROUPS: Final[dict[type[KubeObject], tuple[str, ...]]] = {
    Node: ("",),
    Pod: ("",),
    PriorityClass: ("scheduling.k8s.io",),
    PodDisruptionBudget: ("policy",),
    NodeResourceTopology: ("topology.node.k8s.io",),
    ResourceSlice: ("resource.k8s.io",),
    ResourceClaim: ("resource.k8s.io",),
    ResourceClaimTemplate: ("resource.k8s.io",),
    Topology: ("kueue.x-k8s.io", "kai.scheduler"),
    HyperNode: ("topology.volcano.sh",),
    Device: ("scheduling.koordinator.sh",),
    PodGroup: (
        "scheduling.k8s.io",
        "scheduling.x-k8s.io",
        "scheduling.sigs.k8s.io",
        "scheduling.volcano.sh",
        "scheduling.run.ai",
    ),
    Job: ("batch", "batch.volcano.sh"),
    JobSet: ("jobset.x-k8s.io",),
    LeaderWorkerSet: ("leaderworkerset.x-k8s.io",),
}
_KINDS: Final = {(model.__name__, group): model for model, groups in GROUPS.items() for group in groups}
_MOST_PROBLEMS: Final = 20


@dataclass
class State:
    """What the files say.

    Attributes
    ----------
    unread : Counter
        How many objects of kinds that an import does not need, by kind.
    newest : datetime or None
        The latest moment that any object tells of.
    """

    _objects: dict[type[KubeObject], dict[str, KubeObject]] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)
    newest: datetime | None = None

    def of(self, model: type[T]) -> dict[str, T]:
        """Return the objects of a kind by key, in the order of their keys.

        Parameters
        ----------
        model : type
            The kind.

        Returns
        -------
        dict
            Key to object.
        """
        return self._objects.get(model, {})  # type: ignore[return-value]

    @cached_property
    def pods(self) -> dict[str, Pod]:
        """All pods by ``namespace/name``."""
        return self.of(Pod)

    def add(self, found: KubeObject) -> None:
        """Keep an object.

        Parameters
        ----------
        found : KubeObject
            An object with its origin.

        Raises
        ------
        InstanceError
            Another object of this kind and name says something else.
        """
        kept = self._objects.setdefault(type(found), {})
        known = kept.get(found.key)
        if known is not None and dict(known) != dict(found):
            file, path = known.origin
            raise found.mistake("", found.key, f"an object that says the same as {path or 'the one'} in {file}")
        kept[found.key] = found
        for moment in _moments(found):
            if self.newest is None or moment > self.newest:
                self.newest = moment

    def sort(self) -> None:
        """Bring all objects into the order of their keys, whatever the order of the files."""
        self._objects = {model: dict(sorted(kept.items())) for model, kept in self._objects.items()}


def read_state(files: Sequence[str | Path], notes: Notes, progress: Progress | None = None) -> State:
    """Read files of Kubernetes objects.

    Parameters
    ----------
    files : sequence of str or Path
        JSON or YAML; ``-`` is standard input.
    notes : Notes
        Told which kinds were passed over.
    progress : callable, optional
        Told what is read and which part of it is done.

    Returns
    -------
    State
        Sorted by keys.

    Raises
    ------
    InstanceError
        A file is unreadable or broken; with all broken objects of that file, up to a limit.
    """
    state = State()
    for file in files:
        problems: list[Problem] = []
        advance = None if progress is None else _advance(progress, file)
        for raw in raw_objects(file, advance):
            try:
                _take(state, raw, str(file))
            except InstanceError as error:
                problems += error.problems
            if len(problems) >= _MOST_PROBLEMS:
                break
        if problems:
            raise InstanceError(problems, source=str(file))
    state.sort()
    for kind, count in sorted(state.unread.items()):
        notes.say(f"{count} object{'s' if count > 1 else ''} of kind {kind} passed over.")
    return state


def _advance(progress: Progress, file: str | Path) -> Callable[[float], None]:
    return lambda done: progress(f"reading {file}", done)


def _take(state: State, raw: Raw, file: str) -> None:
    group, slash, _ = raw.data["apiVersion"].partition("/")
    model = _KINDS.get((raw.data["kind"], group if slash else ""))
    if model is None:
        state.unread[f"{raw.data['kind']} ({raw.data['apiVersion']})"] += 1
    else:
        state.add(model.read(raw.data, file=file, path=raw.path))


def _moments(found: KubeObject) -> Iterator[datetime]:
    meta = found.metadata
    stamps: Iterable[datetime | None] = (meta.creation_timestamp,)
    if isinstance(found, Pod | Node):
        conditions = found.status.conditions
        stamps = (
            *stamps,
            *(condition.last_transition_time for condition in conditions),
            *(condition.last_heartbeat_time for condition in conditions),
        )
    if isinstance(found, Pod):
        stamps = (*stamps, found.status.start_time)
    if meta.deletion_timestamp is not None:
        # The deletion timestamp lies a grace period ahead of the moment when the deletion was asked for.
        with suppress(OverflowError):
            yield meta.deletion_timestamp - timedelta(seconds=meta.deletion_grace_period_seconds or 0)
    yield from (stamp for stamp in stamps if stamp is not None)
