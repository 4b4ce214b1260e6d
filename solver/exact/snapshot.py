"""The cluster as it is now, compiled once into arrays that many requests can be decided on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...models.cluster import Node
from ...models.domains import DomainKey, domain_of_node, label_of
from ...models.instance import Instance
from ...models.jobs import Job, Pod
from ...models.loss import lost_work
from ...models.shape import Shape
from ...models.topology import GPU
from ...models.units import MICRO, micro

Ints = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class Counted:
    """One counted resource: what nodes have and pods hold, in multiples of `unit` millionths.

    Attributes
    ----------
    unit : int
        Millionths that one step of the arrays stands for.
    capacity : ndarray of int64, shape (nodes,)
        What each node has; 0 where it does not name the resource.
    named : ndarray of bool, shape (nodes,)
        Whether the node names the resource.
    held : ndarray of int64, shape (pods,)
        What each running pod holds.
    """

    unit: int
    capacity: Ints
    named: NDArray[np.bool_]
    held: Ints


@dataclass(frozen=True)
class Snapshot:
    """The compiled cluster: nodes, slots, jobs, pods and units in the fixed order of names.

    A *unit* is what an eviction takes: a whole rigid job, or one pod of an elastic job. Terminating jobs hold
    nothing here. Readers never change the arrays.

    Attributes
    ----------
    instance : Instance
        What it was compiled from.
    nodes : list of Node
        In name order.
    shapes : list of Shape
        Of each node.
    first_slot : ndarray of int64, shape (nodes + 1,)
        Where each node's slots begin in the numbering of all slots.
    node_of_slot : ndarray of int64, shape (slots,)
        The node of each slot.
    online : ndarray of bool, shape (slots,)
        Slots that are not offline.
    jobs : list of Job
        In name order, terminating ones included (they have no units).
    job_priority : ndarray of int64, shape (jobs,)
        Priority.
    job_running : ndarray of float64, shape (jobs,)
        Running time in millionths of a second (0 if unknown).
    job_preemptible, job_running_state : ndarray of bool, shape (jobs,)
        Whether it may be evicted at all; whether it is running (not terminating).
    pods : list of Pod
        Pods of running jobs, by job and name.
    pod_unit, pod_node : ndarray of int64, shape (pods,)
        The unit and the node of each pod.
    pod_lost : list of int
        Millionths of a GPU-second lost with each pod.
    unit_job, unit_pods : ndarray of int64, shape (units,)
        The job of each unit and its number of pods.
    unit_lost : list of int
        Millionths of a GPU-second lost with each unit.
    unit_first_pod : ndarray of int64, shape (units + 1,)
        Pods of a unit stand side by side.
    job_first_unit : ndarray of int64, shape (jobs + 1,)
        Units of a job stand side by side.
    hold_slot, hold_unit, hold_share : ndarray of int64, shape (holds,)
        Who holds which share (millionths) of which slot, ordered by slot.
    slot_first_hold : ndarray of int64, shape (slots + 1,)
        Where each slot's holds begin.
    node_pods : list of list of int
        Pods on each node.
    unknown_pods : dict
        Node to its pods of unknown placement.
    leaving_share : dict
        Slots on which terminating pods sit: what they hold, in millionths.
    """

    instance: Instance
    nodes: list[Node]
    shapes: list[Shape]
    node_index: dict[str, int]
    first_slot: Ints
    node_of_slot: Ints
    online: NDArray[np.bool_]
    jobs: list[Job]
    job_priority: Ints
    job_running: NDArray[np.float64]
    job_preemptible: NDArray[np.bool_]
    job_running_state: NDArray[np.bool_]
    pods: list[Pod]
    pod_unit: Ints
    pod_node: Ints
    pod_lost: list[int]
    unit_job: Ints
    unit_pods: Ints
    unit_lost: list[int]
    unit_first_pod: Ints
    job_first_unit: Ints
    hold_slot: Ints
    hold_unit: Ints
    hold_share: Ints
    slot_first_hold: Ints
    node_pods: list[list[int]]
    unknown_pods: dict[int, list[int]]
    leaving_share: dict[int, int]
    _domains: dict[str, tuple[Ints, list[DomainKey]]] = field(default_factory=dict)
    _counted: dict[str, Counted] = field(default_factory=dict)
    _memo: dict[Hashable, object] = field(default_factory=dict)

    @cached_property
    def lost_step(self) -> int:
        """The greatest amount of lost work, in millionths of a GPU-second, that divides that of every unit."""
        return gcd(*self.unit_lost) or 1

    @cached_property
    def unit_lost_steps(self) -> Ints:
        """Work lost with each unit, in steps of `lost_step`, shape (units,); at most 2**60, which nobody can weigh."""
        step = self.lost_step
        return np.array([min(lost // step, 1 << 60) for lost in self.unit_lost], dtype=np.int64)

    @cached_property
    def priorities(self) -> list[int]:
        """The distinct priorities of all jobs, terminating ones too, ascending."""
        return [int(priority) for priority in np.unique(self.job_priority)]

    @cached_property
    def unit_priority(self) -> Ints:
        """Position in `priorities` of each unit's priority, shape (units,)."""
        every = np.array(self.priorities, dtype=np.int64)
        return np.searchsorted(every, self.job_priority[self.unit_job]).astype(np.int64)

    @cached_property
    def cordoned(self) -> NDArray[np.bool_]:
        """Nodes that take no new pods, shape (nodes,)."""
        return np.array([node.cordoned for node in self.nodes], dtype=np.bool_)

    @cached_property
    def _models(self) -> dict[str | None, int]:
        return {model: number for number, model in enumerate({m: None for s in self._distinct for m in s.models})}

    @cached_property
    def _distinct(self) -> list[Shape]:
        return list({id(shape): shape for shape in self.shapes}.values())

    def model_number(self, model: str) -> int:
        """Return the number of a GPU model; -1 if no slot is of it.

        Parameters
        ----------
        model : str
            Its exact name.

        Returns
        -------
        int
            As in `model_of_slot`.
        """
        return self._models.get(model, -1)

    @cached_property
    def model_of_slot(self) -> Ints:
        """Model number of each slot, shape (slots,)."""
        numbers = {id(shape): [self._models[model] for model in shape.models] for shape in self._distinct}
        return np.array([number for shape in self.shapes for number in numbers[id(shape)]], dtype=np.int64)

    def domains(self, level: str) -> tuple[Ints, list[DomainKey]]:
        """Return the domain of every slot at a level, and the domains' identities.

        Parameters
        ----------
        level : str
            ``cluster``, ``gpu`` or a level.

        Returns
        -------
        tuple
            Domain number of each slot, shape (slots,), and the identity of each number, in the order of names.
        """
        if level not in self._domains:
            self._domains[level] = self._number_domains(level)
        return self._domains[level]

    def _number_domains(self, level: str) -> tuple[Ints, list[DomainKey]]:
        if level in self.instance.cluster.levels_below:
            numbers = np.empty(len(self.node_of_slot), dtype=np.int64)
            keys: list[DomainKey] = []
            for index, node in enumerate(self.nodes):
                start = int(self.first_slot[index])
                for name, members in self.shapes[index].domains[level].items():
                    if members:
                        numbers[start + np.array(members, dtype=np.int64)] = len(keys)
                        keys.append(("node", node.name, "in", name))
            return numbers, keys
        if level == GPU:
            every = np.arange(len(self.node_of_slot), dtype=np.int64)
            slots = every - self.first_slot[self.node_of_slot]
            names = [self.nodes[n].name for n in self.node_of_slot]
            return every, [("node", name, "slot", str(s)) for name, s in zip(names, slots, strict=True)]
        by_node, keys = self.domain_of_node(level)
        return by_node[self.node_of_slot], keys

    def domain_of_node(self, level: str) -> tuple[Ints, list[DomainKey]]:
        """Return the domain of every node at ``cluster``, ``node`` or a level above it.

        Parameters
        ----------
        level : str
            The level.

        Returns
        -------
        tuple
            Domain number of each node, shape (nodes,), and the identity of each number, in the order of names.
        """

        def build() -> tuple[Ints, list[DomainKey]]:
            of_node = [domain_of_node(self.instance, node, level) for node in self.nodes]
            keys = sorted(set(of_node))
            number = {key: index for index, key in enumerate(keys)}
            return np.array([number[key] for key in of_node], dtype=np.int64), keys

        return self.remembered(("domain of node", level), build)

    def remembered(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return what depends on the snapshot alone, built at its first use.

        Parameters
        ----------
        key : hashable
            What it is.
        build : callable
            Makes it.

        Returns
        -------
        object
            The same object for the same key.
        """
        if key not in self._memo:
            self._memo[key] = build()
        return cast(T, self._memo[key])

    def counted(self, resource: str) -> Counted:
        """Return one counted resource of the whole cluster.

        Parameters
        ----------
        resource : str
            Its name; ``pods`` is one a pod.

        Returns
        -------
        Counted
            Capacities and holdings in a common unit.
        """
        if resource not in self._counted:
            capacity = [shape.resources.get(resource, 0) for shape in self.shapes]
            if resource == "pods":
                held = [MICRO] * len(self.pods)
            else:
                held = [micro(pod.resources.get(resource, 0.0)) for pod in self.pods]
            unit = gcd(*capacity, *held) or 1
            self._counted[resource] = Counted(
                unit,
                np.array([amount // unit for amount in capacity], dtype=np.int64),
                np.array([resource in shape.resources for shape in self.shapes], dtype=np.bool_),
                np.array([amount // unit for amount in held], dtype=np.int64),
            )
        return self._counted[resource]

    def whole_domains(self, level: str) -> NDArray[np.bool_]:
        """Return which domains of a level are wholly free now.

        Parameters
        ----------
        level : str
            The level.

        Returns
        -------
        ndarray of bool, shape (domains,)
            Whether a domain has online slots and nobody holds any of them.
        """

        def build() -> NDArray[np.bool_]:
            numbers, keys = self.domains(level)
            held = np.zeros(len(self.online), dtype=np.bool_)
            held[self.hold_slot] = True
            held |= np.isin(self.node_of_slot, list(self.unknown_pods))
            online = np.bincount(numbers[self.online], minlength=len(keys))
            taken = np.bincount(numbers[self.online & held], minlength=len(keys))
            whole: NDArray[np.bool_] = (online > 0) & (taken == 0)
            return whole

        return self.remembered(("whole domains", level), build)

    def label(self, level: str, number: int) -> str:
        """Return how a domain is called.

        Parameters
        ----------
        level : str
            Its level.
        number : int
            Its number at this level.

        Returns
        -------
        str
            Such as ``z1/r7``.
        """
        return label_of(self.domains(level)[1][number])


def compile_snapshot(instance: Instance) -> Snapshot:
    """Compile an instance's cluster and jobs; the request and the policy are left out.

    Parameters
    ----------
    instance : Instance
        A valid instance.

    Returns
    -------
    Snapshot
        The same cluster as arrays, in the fixed order of names.
    """
    nodes = sorted(instance.cluster.nodes, key=lambda node: node.name)
    shapes = [instance.shape(node.name) for node in nodes]
    node_index = {node.name: index for index, node in enumerate(nodes)}
    first_slot = np.concatenate(([0], np.cumsum([shape.gpus for shape in shapes]))).astype(np.int64)
    online = np.ones(int(first_slot[-1]), dtype=np.bool_)
    for index, node in enumerate(nodes):
        for slot in node.offline_slots:
            online[first_slot[index] + slot] = False
    jobs = sorted(instance.jobs, key=lambda job: job.name)
    pods: list[Pod] = []
    pod_unit: list[int] = []
    pod_lost: list[int] = []
    unit_job: list[int] = []
    unit_pods: list[int] = []
    unit_lost: list[int] = []
    job_first_unit = [0]
    for number, job in enumerate(jobs):
        if job.state == "running":
            lost = lost_work(instance, job)
            members = sorted(job.pods, key=lambda pod: pod.name) if len(job.pods) > 1 else list(job.pods)
            for group in [[pod] for pod in members] if job.is_elastic else [members]:
                pods += group
                pod_unit += [len(unit_job)] * len(group)
                pod_lost += [lost[pod.name] for pod in group]
                unit_job.append(number)
                unit_pods.append(len(group))
                unit_lost.append(sum(lost[pod.name] for pod in group))
        job_first_unit.append(len(unit_job))
    pod_node = [node_index[pod.node] for pod in pods]
    node_pods: list[list[int]] = [[] for _ in nodes]
    unknown: dict[int, list[int]] = defaultdict(list)
    slots: list[int] = []
    holders: list[int] = []
    shares: list[int] = []
    starts = first_slot.tolist()
    for index, pod in enumerate(pods):
        node_pods[pod_node[index]].append(index)
        if pod.gpus is not None:
            unknown[pod_node[index]].append(index)
        if pod.slots is not None:
            start = starts[pod_node[index]]
            slots += [start + slot for slot in pod.slots]
            holders += [pod_unit[index]] * len(pod.slots)
            shares += [MICRO if pod.share == 1.0 else micro(pod.share)] * len(pod.slots)
    hold_slot = np.array(slots, dtype=np.int64)
    order = np.argsort(hold_slot, kind="stable")
    hold_slot = hold_slot[order]
    return Snapshot(
        instance=instance,
        nodes=nodes,
        shapes=shapes,
        node_index=node_index,
        first_slot=first_slot,
        node_of_slot=np.repeat(np.arange(len(nodes), dtype=np.int64), np.diff(first_slot)),
        online=online,
        jobs=jobs,
        job_priority=np.array([job.priority for job in jobs], dtype=np.int64),
        job_running=np.array([micro(job.running_seconds or 0.0) for job in jobs], dtype=np.float64),
        job_preemptible=np.array([job.preemptible for job in jobs], dtype=np.bool_),
        job_running_state=np.array([job.state == "running" for job in jobs], dtype=np.bool_),
        pods=pods,
        pod_unit=np.array(pod_unit, dtype=np.int64),
        pod_node=np.array(pod_node, dtype=np.int64),
        pod_lost=pod_lost,
        unit_job=np.array(unit_job, dtype=np.int64),
        unit_pods=np.array(unit_pods, dtype=np.int64),
        unit_lost=unit_lost,
        unit_first_pod=np.concatenate(([0], np.cumsum(unit_pods))).astype(np.int64),
        job_first_unit=np.array(job_first_unit, dtype=np.int64),
        hold_slot=hold_slot,
        hold_unit=np.array(holders, dtype=np.int64)[order],
        hold_share=np.array(shares, dtype=np.int64)[order],
        slot_first_hold=np.searchsorted(hold_slot, np.arange(int(first_slot[-1]) + 1)).astype(np.int64),
        node_pods=node_pods,
        unknown_pods=dict(unknown),
        leaving_share=_leaving(jobs, node_index, starts),
    )


def _leaving(jobs: list[Job], node_index: dict[str, int], starts: list[int]) -> dict[int, int]:
    held: dict[int, int] = defaultdict(int)
    for job in jobs:
        for pod in job.pods if job.state == "terminating" else ():
            for slot in pod.slots or ():
                held[starts[node_index[pod.node]] + slot] += micro(pod.share)
    return dict(held)
