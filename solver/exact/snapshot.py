"""The cluster as it is now: its layout and who runs where, compiled once for many requests and changed step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from ...models.after import changes_of, without_pods
from ...models.cluster import Node
from ...models.errors import InstanceError, Problem
from ...models.instance import Instance
from ...models.jobs import Job
from ...models.plan import Plan
from ...models.shape import Shape
from ...models.units import MICRO, micro
from .layout import Bools, Ints, Layout, layout_of
from .ledger import Ledger, changed, ledger_of


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
    named: Bools
    held: Ints


@dataclass(frozen=True)
class Snapshot(Ledger):
    """A state of the cluster that decisions are made on. Readers never change it; changes give the next snapshot.

    Attributes
    ----------
    instance : Instance
        The same state as an instance.
    layout : Layout
        Nodes and slots, shared by all snapshots of one cluster.
    """

    instance: Instance
    layout: Layout
    _memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def nodes(self) -> list[Node]:
        """Nodes in name order."""
        return self.layout.nodes

    @property
    def shapes(self) -> list[Shape]:
        """The shape of each node."""
        return self.layout.shapes

    @property
    def node_index(self) -> dict[str, int]:
        """Number of each node by name."""
        return self.layout.node_index

    @property
    def first_slot(self) -> Ints:
        """Where each node's slots begin in the numbering of all slots, shape (nodes + 1,)."""
        return self.layout.first_slot

    @property
    def node_of_slot(self) -> Ints:
        """The node of each slot, shape (slots,)."""
        return self.layout.node_of_slot

    @property
    def online(self) -> Bools:
        """Slots that are not offline, shape (slots,)."""
        return self.layout.online

    @property
    def cordoned(self) -> Bools:
        """Nodes that take no new pods, shape (nodes,)."""
        return self.layout.cordoned

    def domains(self, level: str) -> tuple[Ints, list[Any]]:
        """Return the domain of every slot at a level, and the domains' identities (see `Layout.domains`)."""
        return self.layout.domains(level)

    def domain_of_node(self, level: str) -> tuple[Ints, list[Any]]:
        """Return the domain of every node at a level (see `Layout.domain_of_node`)."""
        return self.layout.domain_of_node(level)

    @cached_property
    def slot_first_hold(self) -> Ints:
        """Where each slot's holds begin, shape (slots + 1,)."""
        counts = np.bincount(self.hold_slot, minlength=len(self.online))
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    @cached_property
    def node_first_pod(self) -> Ints:
        """Where each node's pods begin in `node_pod`, shape (nodes + 1,)."""
        counts = np.bincount(self.pod_node, minlength=len(self.nodes))
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    def pods_on(self, node: int) -> list[int]:
        """Return the running pods of a node.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        list of int
            Numbers of pods, in the fixed order.
        """
        found: list[int] = self.node_pod[self.node_first_pod[node] : self.node_first_pod[node + 1]].tolist()
        return found

    @cached_property
    def unknown_pods(self) -> dict[int, list[int]]:
        """Pods of unknown placement by node."""
        found: dict[int, list[int]] = defaultdict(list)
        known = np.zeros(len(self.unit_pods), dtype=np.bool_)
        known[self.hold_unit] = True
        for pod in np.flatnonzero(~known[self.pod_unit] | (self.unit_pods[self.pod_unit] > 1)).tolist():
            if self.pods[pod].gpus is not None:
                found[int(self.pod_node[pod])].append(pod)
        return dict(found)

    @cached_property
    def leaving_share(self) -> dict[int, int]:
        """Slots on which terminating pods sit: what they hold, in millionths."""
        held: dict[int, int] = defaultdict(int)
        for job in self.jobs[~self.job_running_state]:
            for pod in job.pods:
                for slot in pod.slots or ():
                    held[int(self.first_slot[self.node_index[pod.node]]) + slot] += micro(pod.share)
        return dict(held)

    @cached_property
    def unit_lost_steps(self) -> Ints:
        """Work lost with each unit, in steps of `lost_step`, shape (units,); at most 2**60, which nobody can weigh."""
        step = self.lost_step
        return np.array([min(lost // step, 1 << 60) for lost in self.unit_lost.tolist()], dtype=np.int64)

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
    def job_budget(self) -> Ints:
        """Position of each job's budget in the instance's list, -1 without one, shape (jobs,)."""
        number = {budget.name: index for index, budget in enumerate(self.instance.budgets)}
        return np.array([-1 if job.budget is None else number[job.budget] for job in self.jobs], dtype=np.int64)

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
        key = ("counted", resource)
        if key not in self._memo:
            capacity = self.layout.capacity(resource)
            if resource == "pods":
                held = [MICRO] * len(self.pods)
            else:
                held = [micro(pod.resources.get(resource, 0.0)) for pod in self.pods]
            unit = gcd(*capacity, *held) or 1
            self._memo[key] = Counted(
                unit,
                np.array([amount // unit for amount in capacity], dtype=np.int64),
                np.array([resource in shape.resources for shape in self.shapes], dtype=np.bool_),
                np.array([amount // unit for amount in held], dtype=np.int64),
            )
        found: Counted = self._memo[key]
        return found

    def hold_count(self, groups: tuple[str, ...], of_slot: Ints, size: int) -> Ints:
        """Return for every hold how many holds its unit has in the same group of slots.

        Parameters
        ----------
        groups : tuple of str
            The levels that make the groups.
        of_slot : ndarray of int64, shape (slots,)
            The group of each slot.
        size : int
            Number of groups.

        Returns
        -------
        ndarray of int64, shape (holds,)
            At least 1.
        """
        key = ("hold count", groups)
        if key not in self._memo:
            together = self.hold_unit * size + of_slot[self.hold_slot]
            _, inverse, counts = np.unique(together, return_inverse=True, return_counts=True)
            self._memo[key] = counts[inverse].astype(np.int64)
        found: Ints = self._memo[key]
        return found

    def whole_domains(self, level: str) -> Bools:
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
        key = ("whole domains", level)
        if key not in self._memo:
            numbers, keys = self.domains(level)
            held = np.zeros(len(self.online), dtype=np.bool_)
            held[self.hold_slot] = True
            held |= np.isin(self.node_of_slot, list(self.unknown_pods))
            online = np.bincount(numbers[self.online], minlength=len(keys))
            taken = np.bincount(numbers[self.online & held], minlength=len(keys))
            self._memo[key] = (online > 0) & (taken == 0)
        found: Bools = self._memo[key]
        return found

    def whole_by_node(self, level: str) -> Bools:
        """Return for every node whether its domain of a level above node is wholly free now.

        Parameters
        ----------
        level : str
            A level above node.

        Returns
        -------
        ndarray of bool, shape (nodes,)
            Nodes without slots count as not free.
        """
        by_node = np.zeros(len(self.nodes), dtype=np.bool_)
        by_node[self.node_of_slot] = self.whole_domains(level)[self.domains(level)[0]]
        return by_node

    def evict(self, job: str, pods: Collection[str] | None = None) -> Snapshot:
        """Return the state without some or all pods of a job.

        Parameters
        ----------
        job : str
            Its name.
        pods : collection of str, optional
            Names of pods; default all.

        Returns
        -------
        Snapshot
            The next state.

        Raises
        ------
        InstanceError
            There is no such job or pod.
        """
        number = self._number(job)
        own = {pod.name for pod in self.jobs[number].pods}
        unknown = sorted(set(pods or ()) - own)
        if unknown:
            raise InstanceError([Problem("pods", unknown[0], f"a pod of job {job}")])
        left = without_pods(self.jobs[number], frozenset(own if pods is None else pods))
        return self._next([number], [] if left is None else [left])

    def finish(self, job: str) -> Snapshot:
        """Return the state after a job has ended.

        Parameters
        ----------
        job : str
            Its name.

        Returns
        -------
        Snapshot
            The next state.

        Raises
        ------
        InstanceError
            There is no such job.
        """
        return self._next([self._number(job)], [])

    def start(self, job: Job) -> Snapshot:
        """Return the state after a job has started.

        Parameters
        ----------
        job : Job
            The job; its pods hold slots that are free.

        Returns
        -------
        Snapshot
            The next state.

        Raises
        ------
        InstanceError
            Its name, or the name of a pod, is taken; or a pod does not fit where it is put.
        """
        return self._next([], [job])

    def apply(self, plan: Plan) -> Snapshot:
        """Return the state after a plan for this state's request was carried out.

        Parameters
        ----------
        plan : Plan
            With placements; its victims and the terminating pods that it waits for are gone then.

        Returns
        -------
        Snapshot
            The next state, in which the request runs as a job of its name.

        Raises
        ------
        InstanceError
            The plan does not fit this state.
        """
        names, entered = changes_of(self.instance, plan)
        return self._next([self._number(name) for name in names], entered)

    def _number(self, name: str) -> int:
        number = self.job_number(name)
        if number is None:
            raise InstanceError([Problem("job", name, "the name of a job that is there")])
        return number

    def _next(self, gone: list[int], entered: list[Job]) -> Snapshot:
        for place, job in enumerate(entered):
            number = self.job_number(job.name)
            if (number is not None and number not in gone) or any(job.name == other.name for other in entered[:place]):
                raise InstanceError([Problem(f"jobs[{place}].name", job.name, "a job name that no other has")])
        ledger = changed(self, gone, ledger_of(self.layout, self.instance, entered))
        leaving = [self.jobs[number] for number in gone]
        instance = self.instance.changed(tuple(ledger.jobs.tolist()), leaving, entered)
        return Snapshot(**_columns(ledger), instance=instance, layout=self.layout)


def _columns(ledger: Ledger) -> dict[str, Any]:
    return {column.name: getattr(ledger, column.name) for column in fields(Ledger)}


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
    layout = layout_of(instance)
    return Snapshot(**_columns(ledger_of(layout, instance, instance.jobs)), instance=instance, layout=layout)
