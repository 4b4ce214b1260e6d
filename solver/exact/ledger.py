"""Who runs where: jobs, pods, units of eviction and the slots they hold, as arrays that can be changed job by job."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.instance import Instance
from ...models.jobs import Job
from ...models.loss import lost_work
from ...models.units import MICRO, micro
from .layout import Bools, Ints, Layout

Objects = NDArray[np.object_]


@dataclass(frozen=True)
class Ledger:
    """Jobs, pods, units and holds in the fixed order of names. Readers never change the arrays.

    A *unit* is what an eviction takes: a whole rigid job, or one pod of an elastic job. Terminating jobs have no
    pods and units here.

    Attributes
    ----------
    job_names, jobs : ndarray of object, shape (jobs,)
        Names and jobs, in name order.
    job_priority : ndarray of int64, shape (jobs,)
        Priority.
    job_running : ndarray of float64, shape (jobs,)
        Running time in millionths of a second (0 if unknown).
    job_preemptible, job_running_state : ndarray of bool, shape (jobs,)
        Whether it may be evicted at all; whether it is running (not terminating).
    job_units : ndarray of int64, shape (jobs,)
        Number of units; those of a job stand side by side.
    pods, pod_lost : ndarray of object, shape (pods,)
        Pods by job and name, and the millionths of a GPU-second lost with each (Python integers).
    pod_unit, pod_node : ndarray of int64, shape (pods,)
        The unit and the node of each pod.
    unit_job, unit_pods : ndarray of int64, shape (units,)
        The job of each unit and its number of pods, which stand side by side.
    unit_lost : ndarray of object, shape (units,)
        Millionths of a GPU-second lost with each unit (Python integers).
    lost_step : int
        A number that divides every `unit_lost`.
    hold_slot, hold_unit, hold_share : ndarray of int64, shape (holds,)
        Who holds which share (millionths) of which slot, ordered by slot, then unit.
    node_pod : ndarray of int64, shape (pods,)
        Pods ordered by node.
    """

    job_names: Objects
    jobs: Objects
    job_priority: Ints
    job_running: NDArray[np.float64]
    job_preemptible: Bools
    job_running_state: Bools
    job_units: Ints
    pods: Objects
    pod_lost: Objects
    pod_unit: Ints
    pod_node: Ints
    unit_job: Ints
    unit_pods: Ints
    unit_lost: Objects
    lost_step: int
    hold_slot: Ints
    hold_unit: Ints
    hold_share: Ints
    node_pod: Ints

    @cached_property
    def job_first_unit(self) -> Ints:
        """Where each job's units begin, shape (jobs + 1,)."""
        return np.concatenate(([0], np.cumsum(self.job_units))).astype(np.int64)

    @cached_property
    def unit_first_pod(self) -> Ints:
        """Where each unit's pods begin, shape (units + 1,)."""
        return np.concatenate(([0], np.cumsum(self.unit_pods))).astype(np.int64)

    def job_number(self, name: str) -> int | None:
        """Return the number of a job.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        int or None
            None if there is no such job.
        """
        place = int(np.searchsorted(self.job_names, name))
        return place if place < len(self.job_names) and self.job_names[place] == name else None


def ledger_of(layout: Layout, instance: Instance, jobs: Iterable[Job]) -> Ledger:
    """Enter jobs into a new ledger.

    Parameters
    ----------
    layout : Layout
        The cluster they run on.
    instance : Instance
        For the loss of each pod.
    jobs : iterable of Job
        Valid jobs of this cluster.

    Returns
    -------
    Ledger
        In the fixed order of names.
    """
    ordered = sorted(jobs, key=lambda job: job.name)
    pods: list[Any] = []
    pod_unit: list[int] = []
    pod_lost: list[int] = []
    unit_job: list[int] = []
    unit_pods: list[int] = []
    unit_lost: list[int] = []
    job_units: list[int] = []
    for number, job in enumerate(ordered):
        before = len(unit_job)
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
        job_units.append(len(unit_job) - before)
    pod_node = [layout.node_index[pod.node] for pod in pods]
    slots: list[int] = []
    holders: list[int] = []
    shares: list[int] = []
    for index, pod in enumerate(pods):
        if pod.slots is not None:
            start = int(layout.first_slot[pod_node[index]])
            slots += [start + slot for slot in pod.slots]
            holders += [pod_unit[index]] * len(pod.slots)
            shares += [MICRO if pod.share == 1.0 else micro(pod.share)] * len(pod.slots)
    hold_slot, hold_unit = np.array(slots, dtype=np.int64), np.array(holders, dtype=np.int64)
    order = np.lexsort((hold_unit, hold_slot))
    nodes = np.array(pod_node, dtype=np.int64)
    return Ledger(
        job_names=_objects([job.name for job in ordered]),
        jobs=_objects(ordered),
        job_priority=np.array([job.priority for job in ordered], dtype=np.int64),
        job_running=np.array([micro(job.running_seconds or 0.0) for job in ordered], dtype=np.float64),
        job_preemptible=np.array([job.preemptible for job in ordered], dtype=np.bool_),
        job_running_state=np.array([job.state == "running" for job in ordered], dtype=np.bool_),
        job_units=np.array(job_units, dtype=np.int64),
        pods=_objects(pods),
        pod_lost=_objects(pod_lost),
        pod_unit=np.array(pod_unit, dtype=np.int64),
        pod_node=nodes,
        unit_job=np.array(unit_job, dtype=np.int64),
        unit_pods=np.array(unit_pods, dtype=np.int64),
        unit_lost=_objects(unit_lost),
        lost_step=gcd(*unit_lost) or 1,
        hold_slot=hold_slot[order],
        hold_unit=hold_unit[order],
        hold_share=np.array(shares, dtype=np.int64)[order],
        node_pod=np.argsort(nodes, kind="stable").astype(np.int64),
    )


def _objects(items: Sequence[Any]) -> Objects:
    return np.fromiter(items, dtype=np.object_, count=len(items))


def changed(ledger: Ledger, gone: Collection[int], added: Ledger) -> Ledger:
    """Return a ledger without some jobs and with those of another ledger.

    Parameters
    ----------
    ledger : Ledger
        The ledger; it is not changed.
    gone : collection of int
        Numbers of jobs to leave out.
    added : Ledger
        Jobs to enter, on the same layout; none has the name of a job that stays.

    Returns
    -------
    Ledger
        As if all jobs had been entered at once: masks and insertions, no job is looked at.
    """
    stay_job = np.ones(len(ledger.jobs), dtype=np.bool_)
    stay_job[list(gone)] = False
    stay_unit = stay_job[ledger.unit_job]
    stay_pod = stay_unit[ledger.pod_unit]
    stay_hold = stay_unit[ledger.hold_unit]
    names = ledger.job_names[stay_job]
    at_job = np.searchsorted(names, added.job_names).astype(np.int64)
    jobs = _Merge(stay_job, at_job)
    first_unit = np.concatenate(([0], np.cumsum(ledger.job_units[stay_job]))).astype(np.int64)
    units = _Merge(stay_unit, np.repeat(first_unit[at_job], added.job_units))
    stay_units = ledger.unit_pods[stay_unit]
    first_pod = np.concatenate(([0], np.cumsum(stay_units))).astype(np.int64)
    pods = _Merge(stay_pod, np.repeat(first_pod[units.places], added.unit_pods))
    hold_unit, new_hold_unit = units.old[ledger.hold_unit[stay_hold]], units.new[added.hold_unit]
    many = len(units.old) + len(units.new) + 1
    hold_key = ledger.hold_slot[stay_hold] * many + hold_unit
    holds = _Merge(stay_hold, np.searchsorted(hold_key, added.hold_slot * many + new_hold_unit).astype(np.int64))
    pod_node = pods.merged(ledger.pod_node, added.pod_node)
    by_node = pods.old[ledger.node_pod[stay_pod[ledger.node_pod]]]
    length = len(pod_node) + 1
    new_pod = np.sort(pod_node[pods.new] * length + pods.new)
    places = np.searchsorted(pod_node[by_node] * length + by_node, new_pod)
    return Ledger(
        job_names=jobs.merged(ledger.job_names, added.job_names),
        jobs=jobs.merged(ledger.jobs, added.jobs),
        job_priority=jobs.merged(ledger.job_priority, added.job_priority),
        job_running=jobs.merged(ledger.job_running, added.job_running),
        job_preemptible=jobs.merged(ledger.job_preemptible, added.job_preemptible),
        job_running_state=jobs.merged(ledger.job_running_state, added.job_running_state),
        job_units=jobs.merged(ledger.job_units, added.job_units),
        pods=pods.merged(ledger.pods, added.pods),
        pod_lost=pods.merged(ledger.pod_lost, added.pod_lost),
        pod_unit=pods.joined(units.old[ledger.pod_unit[stay_pod]], units.new[added.pod_unit]),
        pod_node=pod_node,
        unit_job=units.joined(jobs.old[ledger.unit_job[stay_unit]], jobs.new[added.unit_job]),
        unit_pods=units.merged(ledger.unit_pods, added.unit_pods),
        unit_lost=units.merged(ledger.unit_lost, added.unit_lost),
        lost_step=gcd(ledger.lost_step, *added.unit_lost.tolist()),
        hold_slot=holds.merged(ledger.hold_slot, added.hold_slot),
        hold_unit=holds.joined(hold_unit, new_hold_unit),
        hold_share=holds.merged(ledger.hold_share, added.hold_share),
        node_pod=np.insert(by_node, places, new_pod % length),
    )


class _Merge:
    """Rows that stay and rows that come, and the numbers that both get.

    Parameters
    ----------
    stay : ndarray of bool
        Which old rows stay.
    places : ndarray of int64, ascending
        Before which staying row each new one comes.

    Attributes
    ----------
    old : ndarray of int64
        The new number of each old row (of no meaning for rows that go).
    new : ndarray of int64
        The number of each row that comes.
    """

    def __init__(self, stay: Bools, places: Ints) -> None:
        self.stay = stay
        self.places = places
        rank = np.cumsum(stay) - 1
        self.old = (rank + np.searchsorted(places, rank, side="right")).astype(np.int64)
        self.new = places + np.arange(len(places), dtype=np.int64)

    def merged(self, old: Any, new: Any) -> Any:
        """Return a column with the rows that stay and those that come."""
        return np.insert(old[self.stay], self.places, new)

    def joined(self, staying: Any, new: Any) -> Any:
        """Return a column whose staying rows were renumbered already."""
        return np.insert(staying, self.places, new)
