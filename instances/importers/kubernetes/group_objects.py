"""Objects that hold pods together: PodGroups of all schedulers, jobs of all kinds and their pod templates."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from ....models.base import Seq
from .core_objects import Condition, PodSpec
from .objects import KubeName, KubeObject, Labels, Part, Word

Number = Annotated[int, Field(ge=0, le=10**5)]

ENDED: Final = frozenset({"Complete", "Completed", "Failed", "SuccessCriteriaMet", "Aborted", "Terminated"})


class NetworkTopology(Part):
    """How close Volcano keeps a gang."""

    mode: str = "hard"
    highest_tier_allowed: int | None = None
    highest_tier_name: str = ""


class TopologyConstraint(Part):
    """How close KAI keeps a gang."""

    topology: str = ""
    required_topology_level: str = ""
    preferred_topology_level: str = ""


class TopologyKey(Part):
    """A label whose value a gang must share."""

    key: KubeName


class SchedulingConstraints(Part):
    """How close the scheduler of Kubernetes itself keeps a gang."""

    topology: Seq[TopologyKey] = ()


class Gang(Part):
    """The fewest pods that may start."""

    min_count: Number | None = None


class SchedulingPolicy(Part):
    """How a group is scheduled."""

    gang: Gang | None = None


class PodGroupSpec(Part):
    """The fields that any scheduler's PodGroup has."""

    min_member: Number | None = None
    priority_class_name: Word = ""
    preemptibility: str = ""
    network_topology: NetworkTopology | None = None
    topology_constraint: TopologyConstraint | None = None
    scheduling_constraints: SchedulingConstraints | None = None
    scheduling_policy: SchedulingPolicy | None = None

    @property
    def fewest(self) -> int | None:
        """The fewest pods that may run, if it says so."""
        gang = self.scheduling_policy.gang if self.scheduling_policy else None
        return self.min_member if self.min_member is not None else gang.min_count if gang else None


class PodGroup(KubeObject):
    """A gang."""

    spec: PodGroupSpec = Field(default_factory=PodGroupSpec)


class TemplateMeta(Part):
    """Labels and annotations of the pods of a template."""

    labels: Labels = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)


class PodTemplate(Part):
    """What the pods of a workload are made from."""

    metadata: TemplateMeta = Field(default_factory=TemplateMeta)
    spec: PodSpec


class PartitionPolicy(Part):
    """How Volcano splits a task into slices."""

    partition_size: Annotated[int, Field(ge=1, le=10**5)]
    network_topology: NetworkTopology | None = None


class Task(Part):
    """A task of a Volcano job."""

    name: Word = ""
    replicas: Number = 1
    template: PodTemplate
    partition_policy: PartitionPolicy | None = None


class JobSpec(Part):
    """A batch job; with tasks, a Volcano job."""

    parallelism: Number = 1
    template: PodTemplate | None = None
    tasks: Seq[Task] = ()
    min_available: Number | None = None
    priority_class_name: Word = ""
    network_topology: NetworkTopology | None = None


class WorkloadState(Part):
    """The phase of a Volcano job."""

    phase: str = ""


class WorkloadStatus(Part):
    """How a workload is."""

    conditions: Seq[Condition] = ()
    state: WorkloadState = Field(default_factory=WorkloadState)

    @property
    def has_ended(self) -> bool:
        """Whether it makes no more pods."""
        words = {condition.type for condition in self.conditions if condition.status == "True"} | {self.state.phase}
        return bool(words & ENDED)


class Job(KubeObject):
    """A job."""

    spec: JobSpec
    status: WorkloadStatus = Field(default_factory=WorkloadStatus)


class JobTemplate(Part):
    """A job within a job set."""

    spec: JobSpec


class ReplicatedJob(Part):
    """Equal jobs of a job set."""

    name: Word = ""
    replicas: Number = 1
    template: JobTemplate


class JobSetSpec(Part):
    """The jobs of a job set."""

    replicated_jobs: Seq[ReplicatedJob] = ()


class JobSet(KubeObject):
    """Jobs that live and die together."""

    spec: JobSetSpec
    status: WorkloadStatus = Field(default_factory=WorkloadStatus)


class LeaderWorkerTemplate(Part):
    """The pods of one group."""

    size: Annotated[int, Field(ge=1, le=10**5)] = 1
    leader_template: PodTemplate | None = None
    worker_template: PodTemplate
    restart_policy: str = ""


class LeaderWorkerSpec(Part):
    """Groups of a leader with its workers."""

    replicas: Number = 1
    leader_worker_template: LeaderWorkerTemplate


class LeaderWorkerSet(KubeObject):
    """Groups of a leader with its workers."""

    spec: LeaderWorkerSpec
