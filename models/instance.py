"""One decision's input as a whole: cluster, running jobs, budgets, reservations, request and policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from . import catalogue
from .base import Count, Model, Name, Seq
from .cluster import Cluster, Node
from .consistency import arrival_problems, inconsistencies, request_problems
from .document import load_document
from .errors import InstanceError
from .jobs import Budget, Job, Pod, Reservation
from .policy import Policy
from .request import Request
from .shape import Shape, shape_of

FORMAT = "topreempt/v1"


class Origin(Model):
    """Where a generated instance comes from, so that it can be made again."""

    family: Name = Field(description="The generator's scenario.")
    seed: Count = Field(description="Its seed.")
    index: Count = Field(0, description="Its number in the series.")
    optimum: float | None = Field(None, ge=0, allow_inf_nan=False, description="Weighted work lost, once proved.")


class Instance(Model):
    """A cluster as it is now and a request that cannot start (``topreempt/v1``)."""

    format: Literal["topreempt/v1"] = Field(description="The format of the file.")
    comment: str | Seq[str] = Field((), description="Free text: where the data comes from and what was assumed.")
    origin: Origin | None = Field(None, description="For generated instances: how they were made.")
    cluster: Cluster = Field(description="Levels, machines and nodes.")
    jobs: Seq[Job] = Field((), description="Running work.")
    budgets: Seq[Budget] = Field((), description="Disruption budgets.")
    reservations: Seq[Reservation] = Field((), description="Room promised to others.")
    request: Request = Field(description="The request that cannot start.")
    policy: Policy = Field(default_factory=Policy, description="The rules of this decision.")

    @classmethod
    def parse(cls, data: Any, *, source: str = "") -> Self:
        """Return the instance that plain data describes, checked as a whole.

        Parameters
        ----------
        data : Any
            Dicts, lists and scalars.
        source : str
            The file's name, for messages.

        Returns
        -------
        Instance
            The validated instance.

        Raises
        ------
        InstanceError
            With every problem that was found, each with its path.
        """
        instance = super().parse(data, source=source)
        problems = inconsistencies(instance)
        if problems:
            raise InstanceError(problems, source=source)
        return instance

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read an instance from a JSON or YAML file.

        Parameters
        ----------
        path : str or Path
            The file; ``-`` is standard input.

        Returns
        -------
        Instance
            The validated instance.

        Raises
        ------
        InstanceError
            The file cannot be read or is no valid instance.
        """
        return cls.parse(load_document(path), source=str(path))

    def asking(self, request: Request, policy: Policy | None = None) -> Self:
        """Return the same cluster and jobs with another request.

        Parameters
        ----------
        request : Request
            The request.
        policy : Policy, optional
            The rules of the decision; default: this instance's.

        Returns
        -------
        Instance
            Shares everything else with this one.

        Raises
        ------
        InstanceError
            The request does not fit the cluster's levels or contradicts itself.
        """
        changed = self.model_copy(update={"request": request, "policy": policy or self.policy})
        problems = request_problems(changed)
        if problems:
            raise InstanceError(problems)
        return changed

    def changed(self, jobs: tuple[Job, ...], gone: Sequence[Job], entered: Sequence[Job]) -> Self:
        """Return the same cluster and request after some jobs have left and others have come.

        Parameters
        ----------
        jobs : tuple of Job
            All jobs afterwards.
        gone : sequence of Job
            Those of this instance's jobs that left.
        entered : sequence of Job
            Those of `jobs` that came.

        Returns
        -------
        Instance
            Reservations of an owner who came are fulfilled and gone.

        Raises
        ------
        InstanceError
            A job that comes contradicts the cluster or what runs on it.
        """
        started = {job.name for job in entered} - {job.name for job in gone}
        held = tuple(held for held in self.reservations if held.owner not in started)
        after = self.model_copy(update={"jobs": jobs, "reservations": held})
        for derived in ("jobs_by_name", "pods_by_name"):
            after.__dict__.pop(derived, None)
        after.__dict__["pods_on"] = _moved(self.pods_on, gone, entered)
        problems = arrival_problems(after, entered)
        if problems:
            raise InstanceError(problems)
        return after

    @cached_property
    def nodes_by_name(self) -> dict[str, Node]:
        """Nodes by their names."""
        return {node.name: node for node in self.cluster.nodes}

    @cached_property
    def jobs_by_name(self) -> dict[str, Job]:
        """Jobs by their names."""
        return {job.name: job for job in self.jobs}

    @cached_property
    def pods_by_name(self) -> dict[str, tuple[Job, Pod]]:
        """Pods, each with its job, by their names."""
        return {pod.name: (job, pod) for job in self.jobs for pod in job.pods}

    @cached_property
    def pods_on(self) -> dict[str, list[tuple[Job, Pod]]]:
        """Pods, each with its job, by the node they run on."""
        found: dict[str, list[tuple[Job, Pod]]] = {}
        for job in self.jobs:
            for pod in job.pods:
                found.setdefault(pod.node, []).append((job, pod))
        return found

    @cached_property
    def _shapes(self) -> dict[str, Shape]:
        shared: dict[str, Shape] = {}
        shapes: dict[str, Shape] = {}
        for node in self.cluster.nodes:
            key = node.machine or repr(node.model_copy(update={"name": "", "within": {}, "labels": {}}))
            if key not in shared:
                fields = node if node.machine is None else self._machine(node.machine)
                shared[key] = shape_of(fields, self.cluster.levels_below)
            shapes[node.name] = shared[key]
        return shapes

    def _machine(self, name: str) -> Any:
        machine = self.cluster.machines.get(name)
        return machine if machine is not None else catalogue.preset(name)

    def shape(self, node: str) -> Shape:
        """Return the resolved shape of a node; nodes of one machine share one object.

        Parameters
        ----------
        node : str
            A node's name.

        Returns
        -------
        Shape
            Its slots, domains, links and resources.
        """
        return self._shapes[node]


PodsOn = dict[str, list[tuple[Job, Pod]]]


def _moved(pods_on: PodsOn, gone: Sequence[Job], entered: Sequence[Job]) -> PodsOn:
    """Return the pods by node after some jobs have left and others have come; untouched nodes keep their lists."""
    after = dict(pods_on)
    leaving = {job.name for job in gone}
    for node in {pod.node for job in gone for pod in job.pods}:
        after[node] = [(job, pod) for job, pod in after[node] if job.name not in leaving]
    for job in entered:
        for pod in job.pods:
            after[pod.node] = [*after.get(pod.node, ()), (job, pod)]
    return after
