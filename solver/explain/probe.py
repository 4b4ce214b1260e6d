"""Further solves that explanations need: whether an edited decision has a plan at all, and what the best one costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from ...models.instance import Instance
from ...models.plan import Plan
from ..exact.answer import plan_of
from ..exact.bound import SAFE, region_bounds
from ..exact.cpsat import Effort, Outcome, solve_region
from ..exact.decision import Decision
from ..exact.layout import Ints
from ..exact.reduce import least_costs
from ..exact.region import spell_out
from ..exact.relax import Verdict, decide
from ..exact.rungs import Regions, Rungs, regions_of, rungs_in_order
from ..exact.search import Found, Tally, search
from ..exact.snapshot import Snapshot, compile_snapshot
from .room import places_of

FIRST = ("violations", "missing")
"""Objectives that come before the cost."""

FIRST_NODES = 24
"""Regions with more nodes are first tried on the cheapest of them."""


@dataclass
class Probe:
    """What explanations may spend, and the snapshots they share.

    Attributes
    ----------
    effort : Effort
        Time, threads and seed of all solves together.
    tally : Tally
        Counts what was done.
    """

    effort: Effort
    tally: Tally = field(default_factory=Tally)
    _snapshots: list[tuple[Instance, Snapshot]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether the time is spent."""
        return monotonic() >= self.effort.deadline

    def part(self, share: float) -> Probe:
        """Return a probe that may spend a part of the time that is left.

        Parameters
        ----------
        share : float
            From 0 to 1.

        Returns
        -------
        Probe
            With the same snapshots and tally.
        """
        now = monotonic()
        deadline = now + share * (self.effort.deadline - now)
        return Probe(replace(self.effort, deadline=deadline), self.tally, self._snapshots)

    def know(self, decision: Decision) -> None:
        """Reuse the snapshot of a decision for every instance with the same cluster and jobs.

        Parameters
        ----------
        decision : Decision
            Compiled already.
        """
        self._snapshots.append((decision.instance, decision.snapshot))

    def decision(self, instance: Instance) -> Decision:
        """Return the decision of an instance, on a known snapshot where only its request or policy is another.

        Parameters
        ----------
        instance : Instance
            Any.

        Returns
        -------
        Decision
            Ready to search.
        """
        for known, snapshot in self._snapshots:
            if known.cluster is instance.cluster and known.jobs is instance.jobs:
                return Decision(snapshot, instance)
        return Decision(compile_snapshot(instance), instance)

    def best(self, decision: Decision) -> Verdict:
        """Return how a decision ends, as `solve_preemption` would.

        Parameters
        ----------
        decision : Decision
            Any.

        Returns
        -------
        Verdict
            Not proved where the time ran out.
        """
        return decide(decision, self.effort, self.tally)

    def plan(self, decision: Decision) -> Plan:
        """Return the best plan of a decision.

        Parameters
        ----------
        decision : Decision
            Any.

        Returns
        -------
        Plan
            Without explanations.
        """
        return plan_of(decision, self.best(decision), Tally())

    def best_on(self, decision: Decision, rungs: Rungs) -> Found:
        """Return the best plan on some rungs, soft-budget violations and pods placed first as in a decision.

        Parameters
        ----------
        decision : Decision
            Any.
        rungs : Rungs
            One choice of rungs.

        Returns
        -------
        Found
            Not proved where the time ran out.
        """
        limits: dict[str, int] = {}
        proved = True
        soft = decision.policy.budgets == "soft" and bool(decision.instance.budgets)
        if soft or (decision.policy.extra_pods == "evict" and decision.pods_least < decision.pods_most):
            first = search(decision, rungs, self.effort, self.tally, limits={}, only=FIRST)
            if first.solution is None:
                return first
            proved = first.proved
            limits = {name: first.solution.value(name) for name in FIRST}
        found = search(decision, rungs, self.effort, self.tally, limits=limits)
        return found if proved else replace(found, proved=False)

    def is_feasible(self, decision: Decision) -> bool | None:
        """Return whether any plan exists on any rungs.

        Parameters
        ----------
        decision : Decision
            Any.

        Returns
        -------
        bool or None
            None if the time ran out before either was proved.
        """
        unknown = False
        for rungs in reversed(list(rungs_in_order(decision))):
            answer = self.has_plan(decision, rungs)
            if answer:
                return True
            unknown |= answer is None
        return None if unknown else False

    def has_plan(self, decision: Decision, rungs: Rungs) -> bool | None:
        """Return whether any plan exists on some rungs; what it costs is not asked.

        Parameters
        ----------
        decision : Decision
            Any.
        rungs : Rungs
            The allowed rungs.

        Returns
        -------
        bool or None
            None if the time ran out before either was proved.
        """
        places = places_of(decision, rungs)
        if not len(places) or int(places.seats.max()) < decision.pods_least:
            return False
        regions = regions_of(decision, rungs)
        bounds = region_bounds(decision, rungs, regions).values
        possible = np.flatnonzero(np.isfinite(bounds).all(axis=0))
        open_regions = False
        for region in possible[np.lexsort(np.ceil(bounds[::-1, possible] * SAFE))].tolist():
            if self.is_over:
                return None
            outcome = self._any_plan(decision, rungs, regions, region)
            if outcome.solution is not None:
                return True
            open_regions |= not outcome.proved
        return None if open_regions else False

    def _any_plan(self, decision: Decision, rungs: Rungs, regions: Regions, number: int) -> Outcome:
        below = decision.snapshot.instance.cluster.levels_below
        cuts = any(level in below or level == "gpu" for level in regions.levels)
        slots = regions.slots.slots(number) if cuts and decision.gpus else None
        nodes = regions.nodes[number]

        def solve(chosen: Ints) -> Outcome:
            self.tally.solved += 1
            region = spell_out(decision, rungs, chosen.tolist(), slots)
            return solve_region(decision, rungs, region, self.effort, {}, only=("nothing but a plan",))

        if decision.gpus and slots is None and len(nodes) > FIRST_NODES:
            cost = least_costs(decision, rungs, regions, number).node[nodes]
            order = nodes[np.argsort(cost, kind="stable")]
            order = order[: int(np.isfinite(cost).sum())]
            wanted = 2 * decision.pods_least + 8
            while wanted < len(order):
                outcome = solve(np.sort(order[:wanted]))
                if outcome.solution is not None or not outcome.proved:
                    return outcome
                wanted *= 8
            nodes = np.sort(order)
        return solve(nodes)
