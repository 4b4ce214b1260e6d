"""Whenever the search is cut: no plan is called impossible, no bound is above the optimum, every plan is a plan.

The clock is a counter that the test owns, and the solver is told to stop at its first solution or before it, so that
every run is cut at the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from large import large_instance
from oracle.draw import instance_of_seed, random_instance
from ortools.sat.python import cp_model

from topreempt.models import Instance, Plan
from topreempt.models.check import violations
from topreempt.models.check.rules import Rule, Violation
from topreempt.models.errors import InternalError
from topreempt.solver import solve, solve_preemption
from topreempt.solver.exact import reduce, search
from topreempt.solver.exact.cpsat import run

LOOKS = 40
"""More looks at the clock, or models, than the tiny instances need."""

AGES = 1e6
"""A time limit that no test reaches."""

FAMILIES = {
    "any": frozenset(),
    "soft budgets": frozenset({"wide", "budgets", "gang", "elastic", "racks"}),
    "ladders": frozenset({"wide", "budgets", "elastic", "best-effort", "levels"}),
    "prices": frozenset({"wide", "priced", "levels", "gang"}),
    "tiers": frozenset({"wide", "weights", "gang", "extra"}),
}


class Clock:
    """A second passes with every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def drawn(family: str, seed: int) -> Instance:
    rules = FAMILIES[family]
    return random_instance(Random(seed), rules) if rules else instance_of_seed(seed)


def cut_by_the_clock(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plan]:
    """Plans with the time up at the first look at the clock, at the second, ..."""
    for looks in range(1, LOOKS):
        with monkeypatch.context() as patched:
            clock = Clock()
            for module in (solve, search, run):
                patched.setattr(module, "monotonic", clock)
            yield solve_preemption(instance, time_limit=looks + 0.5)


def cut_in_the_solver(instance: Instance, monkeypatch: pytest.MonkeyPatch, at_first: bool) -> Iterator[Plan]:
    """Plans with the solver stopped, at its first solution or before, in the first model, from the second on, ..."""
    solve_model = cp_model.CpSolver.solve
    for models in range(LOOKS):
        calls = 0

        def stop(solver: cp_model.CpSolver, model: cp_model.CpModel, models: int = models) -> object:
            nonlocal calls
            calls += 1
            cut = calls > models and solver.parameters.max_time_in_seconds > AGES / 2
            solver.parameters.stop_after_first_solution = cut and at_first
            if cut and not at_first:
                solver.parameters.max_deterministic_time = 0.0
            return solve_model(solver, model)

        with monkeypatch.context() as patched:
            patched.setattr(cp_model.CpSolver, "solve", stop)
            yield solve_preemption(instance, time_limit=AGES)


def check(instance: Instance, plans: Iterator[Plan], seen: Counter[str], whole: Plan | None = None) -> None:
    """Compare cut answers with the whole one until they are the same."""
    truth = solve_preemption(instance, time_limit=AGES) if whole is None else whole
    optimum = truth.cost.weighted_work + truth.cost.price
    for plan in plans:
        seen[plan.status] += 1
        assert violations(instance, plan) == []
        assert plan.status != "infeasible" or truth.status == "infeasible"
        assert plan.status not in ("feasible", "optimal") or truth.status == "optimal"
        if plan.cost.bound is not None and truth.status == "optimal":
            seen[f"bound of {plan.status}"] += 1
            assert plan.cost.bound <= optimum * (1 + 1e-9) + 1e-9
        if plan.status == "optimal":
            assert plan.cost.weighted_work + plan.cost.price == pytest.approx(optimum, rel=1e-9, abs=1e-9)
        if plan.status == truth.status:
            return
    raise AssertionError("never the whole answer")


@pytest.mark.parametrize("reduced", [False, True], ids=["whole", "reduced"])
@pytest.mark.parametrize("family", FAMILIES)
def test_whenever_the_clock_says_stop(family: str, reduced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    force_reductions(monkeypatch, reduced)
    seen: Counter[str] = Counter()
    for seed in range(70, 100):
        instance = drawn(family, seed)
        check(instance, cut_by_the_clock(instance, monkeypatch), seen)
    assert seen["unknown"] >= 50
    assert seen["bound of unknown"] + seen["bound of feasible"] >= 10


@pytest.mark.parametrize("reduced", [False, True], ids=["whole", "reduced"])
@pytest.mark.parametrize("at_first", [False, True], ids=["no solution", "first solution"])
@pytest.mark.parametrize("family", FAMILIES)
def test_whenever_the_solver_stops(family: str, at_first: bool, reduced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    force_reductions(monkeypatch, reduced)
    seen: Counter[str] = Counter()
    for seed in range(100, 130):
        instance = drawn(family, seed)
        check(instance, cut_in_the_solver(instance, monkeypatch, at_first), seen)
    assert seen["feasible"] >= 1 if at_first else seen["unknown"] >= 20


def force_reductions(monkeypatch: pytest.MonkeyPatch, reduced: bool) -> None:
    if reduced:
        monkeypatch.setattr(search, "MANY_NODES", 0)
        monkeypatch.setattr(reduce, "SPREAD", 0)
        monkeypatch.setattr(reduce, "SPARE", 1)


@pytest.mark.parametrize("bound_rows", ["violations first", "rung below"])
def test_bounds_that_were_once_too_high(bound_rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A region of more violations but less cost was still open; a looser rung was still open."""
    family, seed = {"violations first": ("soft budgets", 173), "rung below": ("ladders", 76)}[bound_rows]
    instance = drawn(family, seed)
    check(instance, cut_by_the_clock(instance, monkeypatch), Counter())


@pytest.mark.parametrize("seed", [27, 28], ids=["anywhere", "in a rack"])
def test_a_gang_on_many_nodes_with_hardly_any_time(seed: int) -> None:
    instance = large_instance(seed, 300, 300)
    truth = solve_preemption(instance, time_limit=AGES)
    assert truth.status == "optimal" and truth.victims and instance.request.pods >= 8
    plans = (solve_preemption(instance, time_limit=limit) for limit in (1e-9, 1e-3, 0.03, 0.1, 0.2, 0.4, 0.8, AGES))
    check(instance, plans, Counter(), truth)


def test_a_refuted_plan_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = Violation(next(iter(Rule)), "n1 holds a pod twice")
    monkeypatch.setattr(solve, "violations", lambda instance, plan: [refusal])
    with pytest.raises(InternalError, match="n1 holds a pod twice"):
        solve_preemption(instance_of_seed(0))
