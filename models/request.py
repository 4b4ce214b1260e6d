"""The request that cannot start: what each pod needs and how close together its pods must be."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Amount, Model, Name, Priority, Seq, Share
from .topology import CLUSTER, NODE

Mode = Literal["guaranteed", "best-effort"]
Scope = Literal["pod", "slice", "gang"]
SCOPES: tuple[Scope, ...] = ("pod", "slice", "gang")


class ScopeAffinity(Model):
    """The affinity of one scope: a ladder of island kinds, tightest first."""

    island: Name = Field(description="A level, gpu, cluster, link-clique, link-connected or block.")
    mode: Mode = Field("guaranteed", description="guaranteed: this island or nothing; best-effort: the ladder.")
    ladder: Annotated[Seq[Name], Field(min_length=1)] | None = Field(
        None, description="Islands that will do, tightest first; default: the island and every broader level."
    )
    prices: dict[Name, Amount] = Field(
        default_factory=dict, description="With priced relaxation: the price of a rung in the unit of the cost."
    )
    link_kind: Name | None = Field(None, description="For link islands: only links of this kind count.")
    min_links: Annotated[int, Field(ge=1, le=10**6)] = Field(
        1, description="For link islands: how many links a pair needs."
    )


class SliceAffinity(ScopeAffinity):
    """The affinity of a slice: groups of `size` pods."""

    size: Annotated[int, Field(ge=1, le=10**6)] = Field(description="Pods a slice.")


class Affinity(Model):
    """The three scopes of a request."""

    pod: ScopeAffinity = Field(
        default_factory=lambda: ScopeAffinity(island=NODE), description="What the slots of one pod must share."
    )
    slice: SliceAffinity | None = Field(None, description="What the pods of one slice must share.")
    gang: ScopeAffinity | None = Field(None, description="What all pods must share.")


class Request(Model):
    """One pod, or a gang of equal pods, that waits for room."""

    name: Name = Field(description="Its name; reservations of this owner are its own.")
    priority: Priority = Field(description="Only jobs of strictly lower priority may be evicted for it.")
    may_preempt: bool = Field(True, description="False: it takes free room only.")
    pods: Annotated[int, Field(ge=1, le=10**5)] = Field(1, description="How many pods.")
    min_pods: Annotated[int, Field(ge=1, le=10**5)] | None = Field(
        None, description="The fewest that will do; default pods."
    )
    gpus: Annotated[int, Field(ge=0, le=4096)] = Field(description="Slots a pod.")
    share: Share = Field(1.0, description="The share of each slot.")
    gpu_models: Seq[Name] = Field((), description="Models that will do, exactly; empty: any.")
    node_labels: dict[Name, str] = Field(default_factory=dict, description="Labels its nodes must carry.")
    resources: dict[Name, Amount] = Field(default_factory=dict, description="Counted resources a pod.")
    affinity: Affinity = Field(default_factory=Affinity, description="The islands it asks for.")

    @property
    def fewest_pods(self) -> int:
        """The number of pods that evictions serve."""
        return self.pods if self.min_pods is None else self.min_pods

    @property
    def slice_size(self) -> int:
        """Pods a slice; 1 where the request has no slices."""
        return 1 if self.affinity.slice is None else self.affinity.slice.size

    def scope(self, scope: Scope) -> ScopeAffinity:
        """Return the affinity of a scope; a scope that asks nothing asks for the cluster.

        Parameters
        ----------
        scope : {"pod", "slice", "gang"}
            The scope.

        Returns
        -------
        ScopeAffinity
            What it asks for.
        """
        asked = getattr(self.affinity, scope)
        return asked if asked is not None else ScopeAffinity(island=CLUSTER)
