"""What a scheduler sees of an instance: nodes, running pods, and how much of what is asked each has or holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...models.cluster import Node
from ...models.errors import InstanceError
from ...models.instance import Instance
from ...models.jobs import Job
from ...models.loss import lost_work, priority_weights

PODS = "pods"
UNLIMITED = 1 << 80

Amounts = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Running:
    """One running pod, as a scheduler sees it.

    Attributes
    ----------
    name : str
        The pod.
    job : Job
        Its job.
    node : str
        Where it runs.
    amounts : tuple of int
        What it holds of each thing that the request asks for, in millionths, in the order of `Situation.things`.
    slots : tuple of int
        The slots it holds; empty where they are not known or it has none.
    unknown : int
        How many slots it holds where it is not known which.
    share : int
        Its share of each slot, in millionths.
    age : float
        Seconds since its start; 0 where it is not known.
    evictable : bool
        Whether the request may evict it.
    """

    name: str
    job: Job
    node: str
    amounts: Amounts
    slots: tuple[int, ...]
    unknown: int
    share: int
    age: float
    evictable: bool

    @property
    def priority(self) -> int:
        """The priority of its job."""
        return self.job.priority

    @property
    def gpus(self) -> int:
        """Slots it holds, known or not."""
        return len(self.slots) + self.unknown


@dataclass(frozen=True, eq=False)
class Host:
    """One node: what it has of each thing asked for, and who runs on it.

    Attributes
    ----------
    node : Node
        The node.
    takes : bool
        Whether its cordon and labels let the request in at all.
    usable : frozenset of int
        Slots that can serve the request, whoever holds them.
    capacity : tuple of int
        In the order of `Situation.things`; usable GPUs first.
    pods : tuple of Running
        All pods that keep running unless evicted, in name order.
    held_back : int
        Slots promised to others by number.
    """

    node: Node
    takes: bool
    usable: frozenset[int]
    capacity: Amounts
    pods: tuple[Running, ...]
    held_back: int

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name

    @cached_property
    def evictable(self) -> tuple[Running, ...]:
        """Pods of it that the request may evict."""
        return tuple(pod for pod in self.pods if pod.evictable)


@dataclass(frozen=True, eq=False)
class Situation:
    """An instance as all baselines look at it.

    Attributes
    ----------
    instance : Instance
        The decision.
    things : tuple of str
        What one pod of the request asks for: GPUs first, then the counted resources, then a place for a pod.
    need : tuple of int
        How much of each, in millionths.
    hosts : mapping of str to Host
        All nodes, in name order.
    pods : mapping of str to Running
        All running pods that are not terminating, in name order.
    """

    instance: Instance
    things: tuple[str, ...]
    need: Amounts
    hosts: Mapping[str, Host]
    pods: Mapping[str, Running]
    _lost: dict[str, dict[str, int]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def evictable(self) -> tuple[Running, ...]:
        """Pods that the request may evict, in name order."""
        return tuple(pod for pod in self.pods.values() if pod.evictable)

    @cached_property
    def known_slots(self) -> Mapping[str, frozenset[int]]:
        """By node: slots that a pod of known placement holds, terminating ones too."""
        held: dict[str, set[int]] = {}
        for job in self.instance.jobs:
            for pod in job.pods:
                held.setdefault(pod.node, set()).update(pod.slots or ())
        return {node: frozenset(slots) for node, slots in held.items()}

    @cached_property
    def weights(self) -> Mapping[int, int]:
        """Weight of every priority in millionths; without those that an explicit table leaves out."""
        top = max([job.priority for job in self.instance.jobs], default=0) + 1
        raised = self.instance.request.model_copy(update={"priority": max(top, self.instance.request.priority)})
        try:
            return priority_weights(self.instance.model_copy(update={"request": raised}))
        except InstanceError:
            return priority_weights(self.instance)

    @cached_property
    def budgets(self) -> Mapping[str, int]:
        """How many pods each disruption budget still lets go."""
        return {budget.name: budget.max_evictions for budget in self.instance.budgets}

    @cached_property
    def budgets_bind(self) -> bool:
        """Whether the instance forbids the breaking of budgets."""
        return self.instance.policy.budgets == "hard"

    def members(self, job: Job) -> tuple[Running, ...]:
        """Return the pods of a running job, in the job's order.

        Parameters
        ----------
        job : Job
            A running job.

        Returns
        -------
        tuple of Running
            Its pods.
        """
        return tuple(self.pods[pod.name] for pod in job.pods)

    def lost(self, pod: Running) -> int:
        """Return the work that the eviction of a pod loses.

        Parameters
        ----------
        pod : Running
            A running pod.

        Returns
        -------
        int
            Millionths of a GPU-second.
        """
        if pod.job.name not in self._lost:
            self._lost[pod.job.name] = lost_work(self.instance, pod.job)
        return self._lost[pod.job.name][pod.name]

    def cost(self, pods: Iterable[Running]) -> int:
        """Return the priority-weighted work that evictions lose.

        Parameters
        ----------
        pods : iterable of Running
            The evicted pods.

        Returns
        -------
        int
            Millionths of millionths of a GPU-second.
        """
        return sum(self.weights[pod.priority] * self.lost(pod) for pod in pods)
