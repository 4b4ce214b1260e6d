"""The facts of an instance as the brute force reads them: where everything sits, what is usable, who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from topreempt.models import Instance, catalogue
from topreempt.models.units import micro

ONE = 10**6
Domain = tuple[str, ...]


@dataclass
class Held:
    """A pod that sits on a node: what it holds there."""

    name: str
    job: str
    share: int
    slots: tuple[int, ...]
    unknown_gpus: int
    within: Mapping[str, str]
    resources: Mapping[str, int]
    domain_resources: Mapping[str, Mapping[str, Mapping[str, int]]]
    leaves: bool


@dataclass
class Host:
    """A node with all that stands on it."""

    name: str
    gpus: int
    fields: Any
    levels_below: tuple[str, ...]
    path: Mapping[str, Domain]
    online: frozenset[int]
    usable: frozenset[int]
    takes_pods: bool
    pods: list[Held] = field(default_factory=list)
    reservations: list[Any] = field(default_factory=list)

    def domains(self, level: str) -> dict[str, frozenset[int]]:
        """Slots of each domain of node or a level below; a level that the machine lacks is one domain."""
        named = self.fields.domains.get(level, {}) if level in self.levels_below else {}
        if level != "node" and level in self.fields.domains:
            return {name: frozenset(slots) for name, slots in named.items()}
        return {"": frozenset(range(self.gpus))}

    def kept(self, gone: Iterable[str]) -> list[Held]:
        """Pods that still sit here once the terminating ones and the evicted ones are gone."""
        evicted = set(gone)
        return [pod for pod in self.pods if not pod.leaves and pod.name not in evicted]

    def rest(self, gone: Iterable[str]) -> dict[int, int]:
        """What kept pods of known placement leave of each slot, in millionths."""
        rest = dict.fromkeys(range(self.gpus), ONE)
        for pod in self.kept(gone):
            for slot in pod.slots:
                rest[slot] -= pod.share
        return rest

    def held_by_known(self) -> dict[int, int]:
        """What pods of known placement hold of each slot before anything goes, the terminating ones too."""
        held = dict.fromkeys(range(self.gpus), 0)
        for pod in self.pods:
            for slot in pod.slots:
                held[slot] += pod.share
        return held

    def capacity(self, resource: str) -> int:
        """What the machine has of a resource, in millionths."""
        return micro(self.fields.resources.get(resource, 0))

    def used(self, resource: str, gone: Iterable[str]) -> int:
        """What kept pods hold of a resource, in millionths; every pod is one of `pods`."""
        if resource == "pods":
            return ONE * len(self.kept(gone))
        return sum(pod.resources.get(resource, 0) for pod in self.kept(gone))


def shape_fields(instance: Instance, node: Any) -> Any:
    """The fields of a node's shape: its machine's, or its own."""
    if node.machine is None:
        return node
    return instance.cluster.machines.get(node.machine) or catalogue.preset(node.machine)


class World:
    """An instance, looked at node by node."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.request = instance.request
        self.policy = instance.policy
        self.levels = instance.cluster.levels
        self.at_node = self.levels.index("node")
        self.levels_above = self.levels[: self.at_node]
        self.levels_below = self.levels[self.at_node + 1 :]
        self.share = micro(self.request.share)
        self.hosts = {node.name: self._host(node) for node in instance.cluster.nodes}
        for job in instance.jobs:
            for pod in job.pods:
                self.hosts[pod.node].pods.append(_held(job, pod))
        for held in instance.reservations:
            self.hosts[held.node].reservations.append(held)

    def _host(self, node: Any) -> Host:
        fields = shape_fields(self.instance, node)
        gpus = fields.gpus or 0
        request = self.request
        models = fields.gpu_model if isinstance(fields.gpu_model, tuple) else (fields.gpu_model,) * gpus
        takes_pods = not node.cordoned and all(node.labels.get(k) == v for k, v in request.node_labels.items())
        online = frozenset(range(gpus)) - frozenset(node.offline_slots)
        reserved = {
            slot
            for held in self.instance.reservations
            if held.node == node.name and held.slots is not None and self.binds(held)
            for slot in held.slots
        }
        usable = {s for s in online - reserved if not request.gpu_models or models[s] in request.gpu_models}
        path: dict[str, Domain] = {"cluster": (), "node": ("node", node.name)}
        steps: Domain = ()
        for level in self.levels_above:
            steps += (f"in {node.within[level]}",) if level in node.within else (f"only {node.name}",)
            path[level] = steps
        return Host(
            node.name, gpus, fields, self.levels_below, path, online,
            frozenset(usable) if takes_pods else frozenset(), takes_pods,
        )  # fmt: skip

    def binds(self, held: Any) -> bool:
        """Another's reservation of equal or higher priority."""
        return held.owner != self.request.name and held.priority >= self.request.priority

    def may_be_displaced(self, held: Any) -> bool:
        """Another's reservation of lower priority."""
        return held.owner != self.request.name and held.priority < self.request.priority

    def domain(self, host: Host, level: str, slots: Iterable[int]) -> Domain | None:
        """The one domain of a level that holds all these slots of a node, or None if there is no such domain."""
        if level in host.path:
            return host.path[level]
        slots = frozenset(slots)
        for name, members in host.domains(level).items():
            if slots <= members:
                return ("node", host.name, "in", name) if slots else ("node", host.name, "anywhere")
        return None

    def ladder(self, scope: str) -> tuple[str, ...]:
        """The rungs of a scope, tightest first."""
        affinity = getattr(self.request.affinity, scope)
        if affinity is None:
            return ("cluster",)
        if affinity.mode == "guaranteed":
            return (affinity.island,)
        if affinity.ladder is not None:
            return tuple(affinity.ladder)
        island = affinity.island
        everything = ("cluster", *self.levels)
        if island in everything:
            broader = everything[: everything.index(island)][::-1]
        elif island == "gpu":
            broader = everything[::-1]
        else:
            broader = ("node",)
        rungs = (island, *broader)
        if scope == "pod" and "node" in rungs:
            rungs = rungs[: rungs.index("node") + 1]
        return rungs

    def price(self, scope: str, rung: str) -> int:
        """The price of a rung, in millionths."""
        affinity = getattr(self.request.affinity, scope)
        return micro(affinity.prices.get(rung, 0)) if affinity is not None else 0

    @cached_property
    def asked(self) -> dict[str, int]:
        """What a pod of the request asks for of each resource, without `pods`, in millionths."""
        amounts = {name: micro(amount) for name, amount in self.request.resources.items() if name != "pods"}
        return {name: amount for name, amount in amounts.items() if amount > 0}


def _held(job: Any, pod: Any) -> Held:
    return Held(
        name=pod.name,
        job=job.name,
        share=micro(pod.share),
        slots=tuple(pod.slots or ()),
        unknown_gpus=pod.gpus or 0,
        within=pod.within,
        resources={name: micro(amount) for name, amount in pod.resources.items()},
        domain_resources={
            level: {domain: {name: micro(x) for name, x in amounts.items()} for domain, amounts in domains.items()}
            for level, domains in pod.domain_resources.items()
        },
        leaves=job.state == "terminating",
    )
