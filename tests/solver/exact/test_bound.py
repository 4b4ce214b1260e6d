"""No plan costs less than the bound of its region, of its node or of its slots; an infinite bound means no plan.

The normal run solves about 1,500 regions, the long profile 10,000 others:

    python -m pytest tests/solver/exact/test_bound.py -m long
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from oracle.draw import instance_of_seed
from unreduced import decision_of, searches, solved_region

from topreempt.solver.exact.bound import SAFE, region_bounds
from topreempt.solver.exact.cpsat.read import Solution
from topreempt.solver.exact.decision import Decision
from topreempt.solver.exact.reduce import least_costs
from topreempt.solver.exact.rungs import Regions, Rungs
from topreempt.solver.exact.search import work_names

NORMAL = 640
LONG = 4_400


@dataclass(frozen=True)
class Case:
    """One region of one search on one random instance."""

    seed: int
    decision: Decision
    rungs: Rungs
    regions: Regions
    number: int

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.rungs}, region {self.number}"


def cases(seeds: range) -> Iterator[Case]:
    for seed in seeds:
        decision = decision_of(instance_of_seed(seed))
        for rungs, regions in searches(decision):
            for number in range(len(regions)):
                yield Case(seed, decision, rungs, regions, number)


def optimum(case: Case, objective: str) -> Solution | None:
    return solved_region(case.decision, case.rungs, case.regions, case.number, [objective]).solution


def check_bounds(seeds: range) -> Counter[str]:
    """Assert it for every region of the seeds; count how often each outcome occurred."""
    seen: Counter[str] = Counter()
    for case in cases(seeds):
        bounds = region_bounds(case.decision, case.rungs, case.regions).values[:, case.number]
        rows = ["violations", *work_names(case.decision)]
        assert len(bounds) == len(rows), case
        for bound, objective in zip(bounds.tolist(), rows, strict=True):
            best = optimum(case, objective)
            if best is None:
                seen["infeasible"] += 1
                seen["infinite"] += np.isinf(bound)
                continue
            assert np.ceil(bound * SAFE) <= best.value(objective), f"{case}: {objective}"
            seen["positive"] += bound > 0
            seen["met"] += bound > 0 and best.value(objective) == np.ceil(bound * SAFE)
        seen["regions"] += 1
    return seen


def check_least_costs(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for case in cases(seeds):
        solution = optimum(case, "work0") if case.decision.gpus else None
        if solution is None:
            continue
        least = least_costs(case.decision, case.rungs, case.regions, case.number)
        cost = solution.value("work0")
        for placed in solution.placed:
            assert (least.rest + least.node[placed.node]) * SAFE <= cost, f"{case}: node {placed.node}"
            slots = np.array(placed.slots or (), dtype=np.int64)
            assert ((least.rest + least.slot[slots]) * SAFE <= cost).all(), f"{case}: slots {placed.slots}"
            seen["slots"] += len(slots)
            seen["met"] += int((cost > 0) & (least.rest + least.slot[slots] == cost).sum())
    return seen


def chunks(first: int, number: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(first, first + number, size)]


def name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"


def test_no_plan_costs_less_than_the_bound_of_its_region() -> None:
    seen = check_bounds(range(NORMAL))
    assert seen["regions"] >= 1_500
    assert seen["infinite"] >= seen["infeasible"] / 3
    assert seen["met"] >= seen["positive"] / 3 >= 50


def test_no_plan_costs_less_than_its_nodes_and_slots_at_least() -> None:
    seen = check_least_costs(range(NORMAL))
    assert seen["slots"] >= 1_000
    assert seen["met"] >= 60


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 400), ids=name)
def test_no_plan_of_many_more_costs_less(seeds: range) -> None:
    assert check_bounds(seeds)["regions"] >= 500
    assert check_least_costs(seeds)["slots"] >= 500
