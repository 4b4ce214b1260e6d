"""The cluster as a plan leaves it, computed once for all rules: who is gone, who stays, where the request lands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..eligibility import binds, yields
from ..instance import Instance
from ..jobs import Job, Pod, Reservation
from ..loss import lost_work
from ..plan import Placement, Plan
from .site import Site

WITH_A_PLAN = ("optimal", "feasible")
EXACT = "exact"


@dataclass(frozen=True)
class State:
    """An instance and a plan for it, as the rules look at them.

    What names nothing (an unknown node, a slot the node lacks) is left out here and reported by the rules of names,
    so that every other rule can rely on what it finds.

    Attributes
    ----------
    instance : Instance
        The decision.
    plan : Plan
        The plan.
    victims : dict
        For each job that loses pods: the names of those pods.
    placements : tuple of Placement
        Those that name a node, slots of it and a new pod of the request.
    sites : tuple of Site
        The nodes of the placements, in name order.
    """

    instance: Instance
    plan: Plan
    victims: dict[str, frozenset[str]]
    placements: tuple[Placement, ...]
    sites: tuple[Site, ...]

    @property
    def has_plan(self) -> bool:
        """Whether the status says that there is a plan at all."""
        return self.plan.status in WITH_A_PLAN

    @property
    def lands(self) -> bool:
        """Whether the plan claims that the request fits after the evictions."""
        return self.has_plan and (self.plan.admitted or self.plan.policy == EXACT)

    def job(self, name: str) -> Job:
        """Return a job by its name.

        Parameters
        ----------
        name : str
            A key of `victims`.

        Returns
        -------
        Job
            The job.
        """
        return self.instance.jobs_by_name[name]

    @cached_property
    def evicted_pods(self) -> int:
        """Number of evicted pods."""
        return sum(len(pods) for pods in self.victims.values())

    @cached_property
    def lost(self) -> dict[str, int]:
        """Work that each job loses, in millionths of a GPU-second.

        A job that keeps pods, but fewer than it needs, loses the work of all of them (a baseline may do that).
        """
        losses = {}
        for name, evicted in self.victims.items():
            of_pod = lost_work(self.instance, self.job(name))
            broken = self.job(name).is_broken_by(len(evicted))
            losses[name] = sum(of_pod.values()) if broken else sum(of_pod[pod] for pod in evicted)
        return losses

    @property
    def located(self) -> Iterator[tuple[Site, Placement]]:
        """Every placement with its node."""
        return ((site, placement) for site in self.sites for placement in site.placements)


def look(instance: Instance, plan: Plan) -> State:
    """Return the state that a plan leaves.

    Parameters
    ----------
    instance : Instance
        A valid instance.
    plan : Plan
        Any plan.

    Returns
    -------
    State
        Only what the plan touches is looked at.
    """
    victims = _victims(instance, plan)
    placements = tuple(_sound_placements(instance, plan))
    by_node: dict[str, list[Placement]] = {}
    for placement in placements:
        by_node.setdefault(placement.node, []).append(placement)
    return State(instance, plan, victims, placements, tuple(_sites(instance, by_node, victims)))


def _victims(instance: Instance, plan: Plan) -> dict[str, frozenset[str]]:
    victims: dict[str, frozenset[str]] = {}
    for victim in plan.victims:
        job = instance.jobs_by_name.get(victim.job)
        if job is not None:
            named = frozenset(victim.pods).intersection(pod.name for pod in job.pods)
            if named:
                victims[job.name] = victims.get(job.name, frozenset()) | named
    return victims


def _sound_placements(instance: Instance, plan: Plan) -> Iterator[Placement]:
    seen: set[int] = set()
    for placement in plan.placements:
        known = placement.node in instance.nodes_by_name
        gpus = instance.shape(placement.node).gpus if known else 0
        if known and placement.pod not in seen and all(0 <= slot < gpus for slot in placement.slots or ()):
            seen.add(placement.pod)
            yield placement


def _sites(
    instance: Instance, by_node: dict[str, list[Placement]], victims: dict[str, frozenset[str]]
) -> Iterator[Site]:
    kept: dict[str, list[Pod]] = {name: [] for name in by_node}
    evicted: dict[str, list[Pod]] = {name: [] for name in by_node}
    leaving: dict[str, list[Pod]] = {name: [] for name in by_node}
    nobody: frozenset[str] = frozenset()
    for name in by_node:
        for job, pod in instance.pods_on.get(name, ()):
            if job.state == "terminating":
                leaving[name].append(pod)
            elif pod.name in victims.get(job.name, nobody):
                evicted[name].append(pod)
            else:
                kept[name].append(pod)
    reservations: dict[str, list[Reservation]] = {name: [] for name in by_node}
    for held in instance.reservations:
        if held.node in reservations and (binds(instance, held) or yields(instance, held)):
            reservations[held.node].append(held)
    for name in sorted(by_node):
        yield Site(
            instance,
            instance.nodes_by_name[name],
            instance.shape(name),
            tuple(by_node[name]),
            tuple(kept[name]),
            tuple(evicted[name]),
            tuple(leaving[name]),
            tuple(reservations[name]),
        )
