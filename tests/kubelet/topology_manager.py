"""A kubelet's topology manager at pod scope, by the documented rule: hints, their merge, admission, allocation.

Written from the Kubernetes documentation of the topology manager and of its hint providers, with bit masks of NUMA
nodes as the kubelet has them. Nothing of topreempt is used, so that its reading of the rule is tested, not repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import and_

GPUS = "gpus"


@dataclass(frozen=True)
class Hint:
    """NUMA nodes (a bit mask; None: any) that can satisfy a provider, and whether it prefers them."""

    mask: int | None
    preferred: bool


@dataclass(frozen=True)
class Held:
    """What a pod was given: devices, and amounts of each counted resource by NUMA node."""

    devices: tuple[int, ...]
    amounts: Mapping[str, Mapping[int, int]]


@dataclass
class Kubelet:
    """One node's kubelet.

    `devices` and `capacity` are what each NUMA node has: healthy GPUs by number, and whole amounts by resource. What
    the node has besides without a NUMA node (of resources no provider aligns) is not the kubelet's topology manager's.
    """

    policy: str
    devices: list[list[int]]
    capacity: list[Mapping[str, int]]
    pods: dict[str, Held] = field(default_factory=dict)

    @property
    def numa_nodes(self) -> range:
        return range(len(self.devices))

    def free_devices(self, numa: int) -> list[int]:
        held = {device for pod in self.pods.values() for device in pod.devices}
        return [device for device in sorted(self.devices[numa]) if device not in held]

    def total(self, resource: str, numa: int) -> int:
        return len(self.devices[numa]) if resource == GPUS else self.capacity[numa].get(resource, 0)

    def available(self, resource: str, numa: int) -> int:
        if resource == GPUS:
            return len(self.free_devices(numa))
        held = sum(pod.amounts.get(resource, {}).get(numa, 0) for pod in self.pods.values())
        return self.total(resource, numa) - held

    def hints(self, resource: str, asked: int) -> list[Hint]:
        """One hint for every mask in which so much is available; preferred if no narrower mask has that in total."""
        total = self._by_mask([self.total(resource, numa) for numa in self.numa_nodes])
        available = self._by_mask([self.available(resource, numa) for numa in self.numa_nodes])
        narrowest = min((width(mask) for mask, amount in total.items() if amount >= asked), default=None)
        return [Hint(mask, width(mask) == narrowest) for mask, amount in available.items() if amount >= asked]

    def _by_mask(self, amounts: list[int]) -> dict[int, int]:
        masks = range(1, 1 << len(amounts))
        return {mask: sum(amount for numa, amount in enumerate(amounts) if mask >> numa & 1) for mask in masks}

    def narrowest(self, asked: Mapping[str, int]) -> int:
        """How many NUMA nodes a pod needs on the empty node; more than there are if it never fits."""
        widths = []
        for resource, asks in asked.items():
            total = self._by_mask([self.total(resource, numa) for numa in self.numa_nodes])
            widths.append(min((width(mask) for mask, amount in total.items() if amount >= asks), default=None))
        return len(self.numa_nodes) + 1 if None in widths else max(widths)

    def best_hint(self, asked: Mapping[str, int]) -> Hint:
        """Merge the hints of all providers and pick the best, as the policy has it.

        A provider without any possible hint leaves a hint for any mask that is not preferred. With single-numa-node
        only preferred hints of one NUMA node are merged.
        """
        everywhere = (1 << len(self.numa_nodes)) - 1
        providers = [self.hints(resource, amount) for resource, amount in sorted(asked.items()) if amount]
        if self.policy == "single-numa-node":
            providers = [[hint for hint in hints if width(hint.mask) == 1 and hint.preferred] for hints in providers]
        providers = [hints or [Hint(None, False)] for hints in providers]
        merged = [hint for hint in map(merge, product(*providers)) if hint.mask is None or hint.mask]
        if not merged:
            return Hint(everywhere, False)
        best = min(
            merged, key=lambda hint: (not hint.preferred, width(hint.mask or everywhere), hint.mask or everywhere)
        )
        return Hint(best.mask or everywhere, best.preferred)

    def admits(self, asked: Mapping[str, int]) -> bool:
        """Whether a pod starts: the node has what it asks for at all, and the policy accepts the best hint."""
        for resource, amount in asked.items():
            if sum(self.available(resource, numa) for numa in self.numa_nodes) < amount:
                return False
        return self.policy in ("none", "best-effort") or self.best_hint(asked).preferred

    def admit(self, name: str, asked: Mapping[str, int]) -> bool:
        """Start a pod if it is admitted, and give it what it asks for: in the best mask first, then elsewhere."""
        if not self.admits(asked):
            return False
        every = (1 << len(self.numa_nodes)) - 1
        mask = every if self.policy == "none" else self.best_hint(asked).mask or every
        order = sorted(self.numa_nodes, key=lambda numa: (not mask >> numa & 1, numa))
        devices = [device for numa in order for device in self.free_devices(numa)][: asked.get(GPUS, 0)]
        amounts = {
            resource: dict(self._take(resource, amount, order))
            for resource, amount in asked.items()
            if resource != GPUS and amount
        }
        self.pods[name] = Held(tuple(devices), amounts)
        return True

    def _take(self, resource: str, amount: int, order: list[int]) -> Iterator[tuple[int, int]]:
        for numa in order:
            part = min(amount, self.available(resource, numa))
            if part > 0:
                yield numa, part
                amount -= part

    def remove(self, name: str) -> None:
        del self.pods[name]


def merge(hints: tuple[Hint, ...]) -> Hint:
    """The AND of one hint a provider; preferred if all are, and all name the same NUMA nodes."""
    masks = [hint.mask for hint in hints if hint.mask is not None]
    same = len(set(masks)) <= 1
    return Hint(reduce(and_, masks) if masks else None, same and all(hint.preferred for hint in hints))


def width(mask: int | None) -> int:
    return 0 if mask is None else mask.bit_count()
