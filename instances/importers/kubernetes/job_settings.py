"""Names that say which pods make a job, and what an eviction of it costs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ....models.base import Model, Name, Priority, Seq


class JobSettings(Model):
    """What makes pods a job, and what an eviction of it costs."""

    group_keys: Seq[Name] = Field(
        (
            "scheduling.x-k8s.io/pod-group",
            "pod-group.scheduling.sigs.k8s.io",
            "pod-group.scheduling.sigs.k8s.io/name",
            "scheduling.k8s.io/group-name",
            "scheduling.volcano.sh/group-name",
            "pod-group-name",
            "gang.scheduling.koordinator.sh/name",
            "kueue.x-k8s.io/pod-group-name",
        ),
        description="Pod labels or annotations with the name of the gang.",
    )
    group_size_keys: Seq[Name] = Field(
        (
            "gang.scheduling.koordinator.sh/min-available",
            "pod-group.scheduling.sigs.k8s.io/min-available",
            "kueue.x-k8s.io/pod-group-total-count",
        ),
        description="Pod labels or annotations with the fewest pods of the gang.",
    )
    leader_set_keys: Seq[Name] = Field(
        ("leaderworkerset.sigs.k8s.io/name",), description="Pod labels with the LeaderWorkerSet's name."
    )
    leader_group_keys: Seq[Name] = Field(
        ("leaderworkerset.sigs.k8s.io/group-index",), description="Pod labels with the number of the group in it."
    )
    job_set_keys: Seq[Name] = Field(
        ("jobset.sigs.k8s.io/jobset-name",), description="Pod labels with the JobSet's name."
    )
    job_kinds: Seq[Name] = Field(
        (
            "Job",
            "JobSet",
            "AppWrapper",
            "JAXJob",
            "MPIJob",
            "MXJob",
            "PaddleJob",
            "PyTorchJob",
            "TFJob",
            "TrainJob",
            "XGBoostJob",
        ),
        description="Owners whose pods live and die together.",
    )
    protected_kinds: Seq[Name] = Field(("Node",), description="Owners whose pods are never evicted (static pods).")
    ignored_namespaces: Seq[Name] = Field(
        ("kai-resource-reservation", "runai-reservation"),
        description="Namespaces whose pods only stand for what other pods hold.",
    )
    preemptible_keys: Seq[Name] = Field(
        ("volcano.sh/preemptable", "scheduling.koordinator.sh/preemptible", "kai.scheduler/preemptibility"),
        description="Pod labels or annotations that say whether a pod may be evicted: true or false.",
    )
    priority_classes: dict[Name, Priority] = Field(
        default_factory=lambda: {
            "system-cluster-critical": 2_000_000_000,
            "system-node-critical": 2_000_001_000,
            "train": 50,
            "build-preemptible": 75,
            "build": 100,
            "inference": 125,
        },
        description="Priorities of classes that are not among the objects.",
    )
    priority_order: Seq[Literal["number", "class", "label"]] = Field(
        ("number", "class", "label"),
        description="Where a pod's priority is looked for: its number, its class, a label with a class. "
        "KAI goes by its label: [label, number, class].",
    )
    priority_class_labels: Seq[Name] = Field(("priorityClassName",), description="Pod labels with a priority class.")
    unsaved_annotations: Seq[Name] = Field(
        ("topreempt/unsaved-seconds",), description="Pod annotations with the work since the last checkpoint."
    )
    saved_at_annotations: Seq[Name] = Field(
        ("topreempt/saved-at",), description="Pod annotations with the moment of the last checkpoint."
    )
    restart_annotations: Seq[Name] = Field(
        ("topreempt/restart-seconds",), description="Pod annotations with the time to be where it was."
    )
    checkpoint_annotations: Seq[Name] = Field(
        ("topreempt/checkpoint-seconds",), description="Pod annotations with how long a checkpoint takes."
    )
    lost_annotations: Seq[Name] = Field(
        ("topreempt/lost-gpu-seconds",), description="Pod annotations with the loss outright."
    )
    min_available_annotations: Seq[Name] = Field(
        ("topreempt/min-available",), description="Pod annotations with the fewest pods its job goes on with."
    )
