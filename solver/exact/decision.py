"""One request against a snapshot: what may be evicted, what that costs, and which slots and nodes could serve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.eligibility import binds, node_refusal, yields
from ...models.errors import InstanceError, Problem
from ...models.instance import Instance
from ...models.ladder import ladder_of, price_of
from ...models.loss import priority_weights
from ...models.request import SCOPES, Scope
from ...models.units import MICRO, micro
from .layout import Ints
from .snapshot import Snapshot

EXACT = 1 << 53
"""Sums below this are exact as floating-point numbers."""

LIMIT = 1 << 60
"""Sums of a model stay below this, so that no 64-bit arithmetic of the solver can overflow."""


@dataclass(frozen=True)
class Asked:
    """One counted resource that the request asks for.

    Attributes
    ----------
    name : str
        The resource.
    amount : int
        What one pod of the request needs, in steps.
    free : ndarray of int64, shape (nodes,)
        What is left now; negative where the node is overcommitted.
    bounds : ndarray of bool, shape (nodes,)
        Where the resource limits the number of pods at all.
    held : ndarray of int64, shape (pods,)
        What each running pod would give back.
    """

    name: str
    amount: int
    free: Ints
    bounds: NDArray[np.bool_]
    held: Ints


class Decision:
    """The request-dependent view of a snapshot; everything is derived once and never changed.

    Parameters
    ----------
    snapshot : Snapshot
        The compiled cluster.
    instance : Instance
        For the request, the policy, budgets and reservations; its cluster and jobs are the snapshot's.
    """

    def __init__(self, snapshot: Snapshot, instance: Instance) -> None:
        self.snapshot = snapshot
        self.instance = instance
        self.request = instance.request
        self.policy = instance.policy
        self.gpus = self.request.gpus
        self.share = micro(self.request.share)
        self.pods_most = self.request.pods
        self.pods_least = self.request.fewest_pods

    def ladder(self, scope: Scope) -> tuple[str, ...]:
        """Return the rungs of a scope, tightest first.

        Parameters
        ----------
        scope : {"pod", "slice", "gang"}
            The scope.

        Returns
        -------
        tuple of str
            Islands.
        """
        return ladder_of(self.instance, scope)

    def price(self, scope: Scope, rung: str) -> int:
        """Return the price of a rung in steps of the cost; 0 under tightest-first.

        Parameters
        ----------
        scope : {"pod", "slice", "gang"}
            The scope.
        rung : str
            An island of its ladder.

        Returns
        -------
        int
            A multiple of the cost's step.
        """
        if self.policy.relaxation != "priced":
            return 0
        return price_of(self.instance, scope, rung) * MICRO // self.cost_step

    @cached_property
    def job_evictable(self) -> NDArray[np.bool_]:
        """Jobs that may be evicted, shape (jobs,): `models.eligibility.protection` for all jobs at once."""
        snapshot, policy = self.snapshot, self.policy
        may = snapshot.job_running_state & snapshot.job_preemptible & self.request.may_preempt
        may &= snapshot.job_priority < self.request.priority
        may &= snapshot.job_running >= micro(policy.min_running_seconds)
        if policy.protected_labels:
            for index in np.flatnonzero(may):
                labels = snapshot.jobs[index].labels
                may[index] = not any(labels.get(key) == value for key, value in policy.protected_labels.items())
        return may

    @cached_property
    def unit_evictable(self) -> NDArray[np.bool_]:
        """Units that some plan may evict, shape (units,).

        A unit with more pods than `max_victims`, or than its hard budget still allows, is in no permitted plan,
        so leaving it out keeps the optimum.
        """
        may = self.job_evictable[self.snapshot.unit_job]
        if self.policy.max_victims is not None:
            may &= self.snapshot.unit_pods <= self.policy.max_victims
        if self.policy.budgets == "hard" and self.instance.budgets:
            most = np.array([*(min(b.max_evictions, EXACT) for b in self.instance.budgets), EXACT], dtype=np.int64)
            may &= self.snapshot.unit_pods <= most[self.snapshot.job_budget[self.snapshot.unit_job]]
        return may

    @cached_property
    def tiers(self) -> list[int]:
        """Priorities whose work is minimised one after another, highest first; one entry unless tiered."""
        if self.policy.weights != "tiered":
            return [0]
        priorities = self.snapshot.job_priority[self.job_evictable]
        return sorted({int(priority) for priority in priorities}, reverse=True) or [0]

    @cached_property
    def weights(self) -> dict[int, int]:
        """Weight of every priority below the request's, in millionths."""
        return priority_weights(self.instance, self.snapshot.priorities)

    @cached_property
    def _step(self) -> tuple[int, int, int]:
        """The steps of lost work, of weights and of the cost: greatest common divisors."""
        lost = self.snapshot.lost_step
        weight = gcd(*self.weights.values()) or 1
        step = lost * weight
        if self.policy.relaxation == "priced":
            for scope in SCOPES:
                for rung in ladder_of(self.instance, scope):
                    step = gcd(step, price_of(self.instance, scope, rung) * MICRO)
        return lost, weight, step

    @property
    def cost_step(self) -> int:
        """The amount that divides every cost and price, in 10**-12 of the unit of the cost."""
        return self._step[2]

    @cached_property
    def unit_cost(self) -> Any:
        """Weighted work lost with each unit in cost steps, shape (tiers, units).

        Python integers where a product leaves 60 bits; a model takes those that its plans can afford.
        """
        snapshot = self.snapshot
        lost, weight, step = self._step
        factor = lost * weight // step
        weights = np.zeros(len(snapshot.priorities), dtype=np.int64)
        for number, priority in enumerate(snapshot.priorities):
            weights[number] = self.weights.get(priority, 0) // weight
        of_unit = np.where(self.unit_evictable, weights[snapshot.unit_priority], 0)
        highest = int(weights.max(initial=0)) * factor * int(snapshot.unit_lost_steps.max(initial=0))
        if highest < LIMIT:
            cost: Any = snapshot.unit_lost_steps * (of_unit * factor)
        else:
            cost = (snapshot.unit_lost // lost) * (of_unit.astype(np.object_) * factor)
        if self.policy.weights != "tiered":
            return cost[None, :]
        tiers = np.array(self.tiers, dtype=np.int64)
        priorities = snapshot.job_priority[snapshot.unit_job]
        by_tier: Any = np.where(priorities[None, :] == tiers[:, None], cost[None, :], 0)
        return by_tier

    @cached_property
    def unit_violations(self) -> Ints:
        """Soft-budget violations that each unit certainly adds, shape (units,): its pods if its budget is spent."""
        certain = np.zeros(len(self.snapshot.unit_job), dtype=np.int64)
        if self.policy.budgets == "soft":
            spent = np.array([*(not budget.max_evictions for budget in self.instance.budgets), False])
            certain = np.where(spent[self.snapshot.job_budget[self.snapshot.unit_job]], self.snapshot.unit_pods, 0)
        return certain

    @cached_property
    def node_usable(self) -> NDArray[np.bool_]:
        """Nodes that are not cordoned and carry the asked labels, shape (nodes,)."""
        nodes = self.snapshot.nodes
        if not self.request.node_labels:
            return ~self.snapshot.cordoned
        return np.array([node_refusal(self.instance, node) is None for node in nodes], dtype=np.bool_)

    @cached_property
    def slot_usable(self) -> NDArray[np.bool_]:
        """Slots that may serve the request once they are free, shape (slots,)."""
        snapshot = self.snapshot
        usable = snapshot.online & self.node_usable[snapshot.node_of_slot]
        if self.request.gpu_models:
            usable &= np.isin(
                snapshot.layout.model_of_slot, [snapshot.layout.model_number(m) for m in self.request.gpu_models]
            )
        for held in self.instance.reservations:
            if held.slots is not None and binds(self.instance, held):
                start = snapshot.first_slot[snapshot.node_index[held.node]]
                usable[start + np.array(held.slots, dtype=np.int64)] = False
        return usable

    @cached_property
    def slot_fixed(self) -> Ints:
        """What pods that stay for certain hold of each slot, in millionths, shape (slots,)."""
        snapshot = self.snapshot
        stays = ~self.unit_evictable[snapshot.hold_unit]
        held = np.bincount(
            snapshot.hold_slot[stays], weights=snapshot.hold_share[stays], minlength=len(snapshot.online)
        )
        return held.astype(np.int64)

    @cached_property
    def displaceable(self) -> list[int]:
        """Reservations (by number) that the request may displace."""
        return [number for number, held in enumerate(self.instance.reservations) if yields(self.instance, held)]

    @cached_property
    def asked(self) -> list[Asked]:
        """The counted resources that limit the request; ``pods`` only where a machine names it.

        Raises
        ------
        InstanceError
            Amounts that no 64-bit model can represent.
        """
        wanted = {name: micro(amount) for name, amount in sorted(self.request.resources.items()) if name != "pods"}
        wanted = {name: amount for name, amount in wanted.items() if amount} | {"pods": MICRO}
        return [
            self._asked(name, amount)
            for name, amount in wanted.items()
            if name != "pods" or self.snapshot.counted("pods").named.any()
        ]

    def _asked(self, name: str, amount: int) -> Asked:
        counted = self.snapshot.counted(name)
        step = gcd(counted.unit, amount)
        factor = counted.unit // step
        most = max(int(counted.capacity.max(initial=0)), int(counted.held.max(initial=0))) * factor
        if max(most, amount // step) * max(1, len(counted.held)) >= EXACT:
            problem = Problem(
                f"request.resources.{name}", str(amount / MICRO), "amounts that can be counted in 53 bits"
            )
            raise InstanceError([problem])
        held = counted.held * factor
        used = np.bincount(self.snapshot.pod_node, weights=held, minlength=len(counted.capacity)).astype(np.int64)
        bounds = counted.named if name == "pods" else np.ones_like(counted.named)
        return Asked(name, amount // step, counted.capacity * factor - used, bounds, held)

    @cached_property
    def node_room(self) -> Ints:
        """The most pods of the request that a node's counted resources allow with all evictable pods gone."""
        room = np.where(self.node_usable, self.pods_most, 0).astype(np.int64)
        evictable = self.unit_evictable[self.snapshot.pod_unit]
        for asked in self.asked:
            back = np.bincount(
                self.snapshot.pod_node[evictable], weights=asked.held[evictable], minlength=len(asked.free)
            ).astype(np.int64)
            most = np.maximum(asked.free + back, 0) // asked.amount
            room = np.where(asked.bounds, np.minimum(room, most), room)
        return room
