"""Pods, nodes, priority classes and disruption budgets, as far as a decision reads them."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ....models.base import Priority, Seq
from .objects import KubeName, KubeObject, Labels, Part, Resources, Word
from .times import Time

Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute", ""]


class ResourceNeeds(Part):
    """Requests and limits."""

    requests: Resources = Field(default_factory=dict)
    limits: Resources = Field(default_factory=dict)


class Container(Part):
    """A container of a pod."""

    name: str = ""
    resources: ResourceNeeds = Field(default_factory=ResourceNeeds)
    restart_policy: str = ""

    @property
    def is_sidecar(self) -> bool:
        """Whether an init container goes on running beside the others."""
        return self.restart_policy == "Always"


class Toleration(Part):
    """Which taints a pod stands."""

    key: str = ""
    operator: Literal["Exists", "Equal", "Lt", "Gt", ""] = ""
    value: str = ""
    effect: Effect = ""


class Requirement(Part):
    """One line of a selector."""

    key: str
    operator: str
    values: Seq[str] = ()


class NodeTerm(Part):
    """Requirements that a node must meet together."""

    match_expressions: Seq[Requirement] = ()
    match_fields: Seq[Requirement] = ()


class NodeTerms(Part):
    """Terms of which a node must meet one."""

    node_selector_terms: Seq[NodeTerm] = ()


class NodeAffinity(Part):
    """Affinity to nodes."""

    required: NodeTerms | None = Field(None, alias="requiredDuringSchedulingIgnoredDuringExecution")


class PodTerms(Part):
    """Affinity to pods, of which we only read whether there is any."""

    required: Seq[dict[str, Any]] = Field((), alias="requiredDuringSchedulingIgnoredDuringExecution")


class AffinityRules(Part):
    """A pod's affinity."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodTerms | None = None
    pod_anti_affinity: PodTerms | None = None


class ClaimReference(Part):
    """A claim that a pod uses."""

    name: KubeName
    resource_claim_name: KubeName | None = None
    resource_claim_template_name: KubeName | None = None


class SchedulingGroup(Part):
    """The gang that a pod names in its own spec."""

    pod_group_name: KubeName | None = None


class WorkloadReference(Part):
    """The workload and the gang in it that a pod names in its own spec."""

    name: KubeName
    pod_group: Word = ""


class SpreadConstraint(Part):
    """How pods must spread, of which we only read whether it is hard."""

    when_unsatisfiable: str = ""


class Volume(Part):
    """A volume, of which we only read whether it is a claim."""

    persistent_volume_claim: dict[str, Any] | None = None


class PodSpec(Part):
    """What a pod asks for."""

    node_name: KubeName | None = None
    containers: Seq[Container] = ()
    init_containers: Seq[Container] = ()
    overhead: Resources = Field(default_factory=dict)
    resources: ResourceNeeds | None = None
    priority: Priority | None = None
    priority_class_name: Word = ""
    preemption_policy: str = ""
    termination_grace_period_seconds: Annotated[int, Field(ge=0, le=10**12)] | None = None
    tolerations: Seq[Toleration] = ()
    node_selector: Labels = Field(default_factory=dict)
    affinity: AffinityRules | None = None
    resource_claims: Seq[ClaimReference] = ()
    scheduling_gates: Seq[dict[str, Any]] = ()
    topology_spread_constraints: Seq[SpreadConstraint] = ()
    volumes: Seq[Volume] = ()
    scheduling_group: SchedulingGroup | None = None
    workload_ref: WorkloadReference | None = None


class Condition(Part):
    """A condition of a pod or node."""

    type: str
    status: str = ""
    reason: str = ""
    last_transition_time: Time | None = None
    last_heartbeat_time: Time | None = None


class ContainerStatus(Part):
    """What a running container really has, which an in-place resize lets differ from its spec."""

    name: str = ""
    allocated_resources: Resources = Field(default_factory=dict)
    resources: ResourceNeeds = Field(default_factory=ResourceNeeds)


class ClaimStatus(Part):
    """The claim that was made for a pod from a template."""

    name: KubeName
    resource_claim_name: KubeName | None = None


class PodStatus(Part):
    """How a pod is."""

    phase: str = ""
    start_time: Time | None = None
    nominated_node_name: Word = ""
    qos_class: str = ""
    conditions: Seq[Condition] = ()
    container_statuses: Seq[ContainerStatus] = ()
    init_container_statuses: Seq[ContainerStatus] = ()
    resource_claim_statuses: Seq[ClaimStatus] = ()


class Pod(KubeObject):
    """A pod."""

    spec: PodSpec
    status: PodStatus = Field(default_factory=PodStatus)

    @property
    def is_finished(self) -> bool:
        """Whether it holds nothing any more."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def is_bound(self) -> bool:
        """Whether it holds room on a node."""
        return self.spec.node_name is not None and not self.is_finished

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a node."""
        return self.spec.node_name is None and not self.is_finished and self.metadata.deletion_timestamp is None

    @property
    def is_terminating(self) -> bool:
        """Whether it is going already."""
        return self.metadata.deletion_timestamp is not None


class Taint(Part):
    """What keeps pods off a node."""

    key: KubeName
    value: Word = ""
    effect: Effect


class NodeSpec(Part):
    """A node's settings."""

    unschedulable: bool = False
    taints: Seq[Taint] = ()


class NodeStatus(Part):
    """What a node has."""

    capacity: Resources = Field(default_factory=dict)
    allocatable: Resources = Field(default_factory=dict)
    conditions: Seq[Condition] = ()


class Node(KubeObject):
    """A node."""

    namespaced: ClassVar[bool] = False
    spec: NodeSpec = Field(default_factory=NodeSpec)
    status: NodeStatus = Field(default_factory=NodeStatus)

    @cached_property
    def capacity(self) -> Resources:
        """What the machine has; where only the allocatable part is given, that."""
        return self.status.capacity or self.status.allocatable

    @cached_property
    def allocatable(self) -> Resources:
        """What pods may use; where only the capacity is given, that."""
        return self.status.allocatable or self.status.capacity


class PriorityClass(KubeObject):
    """A named priority."""

    namespaced: ClassVar[bool] = False
    value: Priority
    global_default: bool = False
    preemption_policy: str = ""


class LabelSelector(Part):
    """A selector of objects by their labels; an empty one selects all."""

    match_labels: Labels = Field(default_factory=dict)
    match_expressions: Seq[Requirement] = ()


IntOrPercent = Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^\d{1,9}%?$")]


class BudgetSpec(Part):
    """Whom a budget covers and what it allows."""

    selector: LabelSelector | None = None
    min_available: IntOrPercent | None = None
    max_unavailable: IntOrPercent | None = None


class BudgetStatus(Part):
    """What is left of a budget."""

    disruptions_allowed: Annotated[int, Field(ge=0)] | None = None


class PodDisruptionBudget(KubeObject):
    """A disruption budget."""

    spec: BudgetSpec = Field(default_factory=BudgetSpec)
    status: BudgetStatus = Field(default_factory=BudgetStatus)
