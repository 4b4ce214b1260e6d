"""Solve one region's model objective by objective, and read the answer out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from ortools.sat.python import cp_model

from ....models.errors import InstanceError, InternalError, Problem
from ....models.units import MICRO
from ..decision import EXACT, LIMIT, Decision
from ..region import Region
from ..rungs import Rungs
from . import gang, islands, numa, reservations, resources, slots, unknown, victims
from .objectives import Objective, objectives
from .packing import packed
from .read import Solution, read_solution
from .variables import Variables

_log = logging.getLogger(__name__)

RULES: tuple[Callable[[Variables], None], ...] = (
    slots.add,
    islands.add,
    gang.add,
    victims.add_elastic,
    victims.add_limits,
    resources.add,
    numa.add,
    reservations.add,
    unknown.add,
)


@dataclass(frozen=True)
class Effort:
    """What a solve may use.

    Attributes
    ----------
    deadline : float
        On the monotonic clock, in seconds.
    workers : int
        Threads.
    seed : int
        For the solver's choices.
    """

    deadline: float
    workers: int
    seed: int


@dataclass(frozen=True)
class Outcome:
    """How one region's solve ended.

    Attributes
    ----------
    solution : Solution or None
        The best plan found.
    proved : bool
        Whether the search ran to its end: with a solution it is optimal, without one there is none (under the
        limits given).
    bound : dict
        Lower bounds of the first objectives by name, as far as they were proved, each given those before it.
    complete : callable or None
        Where only some objectives were minimised: makes the solution consistent in all of them.
    """

    solution: Solution | None
    proved: bool
    bound: dict[str, int]
    complete: Callable[[], Solution] | None = None


def solve_region(
    decision: Decision, rungs: Rungs, region: Region, effort: Effort, limits: dict[str, int], only: Collection[str] = ()
) -> Outcome:
    """Find the best plan of a region.

    Parameters
    ----------
    decision : Decision
        The request.
    rungs : Rungs
        The allowed rungs.
    region : Region
        Nodes and cells.
    effort : Effort
        Time, threads and seed.
    limits : dict
        Upper limits of objectives by name (``violations``, ``missing``, ``work0``): plans beyond them are of no
        interest.
    only : collection of str, optional
        Minimise these objectives alone, not all.

    Returns
    -------
    Outcome
        The plan, or the proof that there is none within the limits, or neither if time ran out.

    Raises
    ------
    InstanceError
        Costs that no 64-bit model can add up.
    InternalError
        The solver calls a model of ours invalid.
    """
    if not region.cells:
        return Outcome(None, True, {})
    coarse = 1
    v, goals = _model(decision, rungs, region, limits)
    if _too_great(goals, only):
        ceiling = _rough_cost(decision, rungs, region, effort, limits, max(goal.most for goal in goals))
        if not isinstance(ceiling, int):
            return ceiling
        limits = limits | {"work0": ceiling}
        v, goals = _model(decision, rungs, region, limits)
        if _too_great(goals, only):
            coarse = max(goal.reach for goal in goals if goal.name == "work0") // ROUGH + 1
            v, goals = _model(decision, rungs, region, limits, coarse)
    wanted = [goal for goal in goals if goal.name in only] if only else goals
    _refuse_huge_costs(decision, wanted)
    solver = cp_model.CpSolver()
    solution, proved, bound = _lexicographic(v, wanted, effort, solver)
    if "work0" in bound:
        bound["work0"] *= coarse
    if solution is None:
        return Outcome(None, proved, bound)
    if coarse > 1:
        solution = _with_exact_cost(decision, rungs, solution)
    if proved and not only:
        return Outcome(solution, proved, bound)

    def complete() -> Solution:
        tidied = _tidied(v, goals, solution, effort)
        return tidied if coarse == 1 else _with_exact_cost(decision, rungs, tidied)

    return Outcome(solution, proved, bound, complete) if only else Outcome(complete(), proved, bound)


def _model(
    decision: Decision, rungs: Rungs, region: Region, limits: dict[str, int], coarse: int = 1
) -> tuple[Variables, list[Objective]]:
    v = Variables(decision, rungs, region, limits.get("work0"))
    for rule in RULES:
        rule(v)
    goals = objectives(v, coarse)
    for goal in goals:
        if goal.name in limits:
            limit = limits[goal.name] // (coarse if goal.name == "work0" else 1)
            if limit < goal.reach < LIMIT:
                v.model.add(goal.value <= limit)
    return v, goals


def _rough_cost(
    decision: Decision, rungs: Rungs, region: Region, effort: Effort, limits: dict[str, int], most: int
) -> int | Outcome:
    """Return a cost that the best plan does not exceed, where all costs together are too large to count exactly.

    Costs rounded down to multiples of a step are small enough. The best plan by them has a true cost below its rough
    one by less than one step for each term, and the true optimum is no dearer. What alone costs more is in no best
    plan; usually what is left can be counted exactly.
    """
    coarse = most // ROUGH + 1
    v, goals = _model(decision, rungs, region, limits, coarse)
    rough = next(goal for goal in goals if goal.name == "work0")
    solution, proved, _ = _lexicographic(v, [rough], effort, cp_model.CpSolver())
    if solution is None:
        return Outcome(None, proved, {})
    terms = len(v.units) + len(v.whole) + 2 * decision.pods_most + 1
    ceiling = coarse * (solution.value("work0") + terms)
    return min(ceiling, limits.get("work0", ceiling))


def _too_great(goals: list[Objective], only: Collection[str]) -> bool:
    """Whether plans of interest may cost more than the solver's floating-point numbers count, or overflow its sums."""
    work = [goal for goal in goals if goal.name == "work0" and (not only or goal.name in only)]
    return any(goal.most >= EXACT or goal.reach >= LIMIT for goal in work)


def _with_exact_cost(decision: Decision, rungs: Rungs, solution: Solution) -> Solution:
    """Return a solution of a coarsely counted model with its cost counted exactly.

    Where even the cheapest plans cost 2**53 steps or more, a model counts in steps of 2**-48 of that: finer than
    fifteen digits, which is what a plan's numbers can show.
    """
    size = decision.request.slice_size
    cost = sum(int(decision.unit_cost[0][unit]) for unit in solution.units)
    if len(decision.tiers) == 1:
        cost += decision.price("gang", rungs.gang)
        cost += sum(decision.price("pod", placed.kind) for placed in solution.placed)
        cost += sum(decision.price("slice", placed.slice_kind) for placed in solution.placed[::size])
    values = tuple(
        cost if name == "work0" else value for name, value in zip(solution.names, solution.values, strict=True)
    )
    return replace(solution, values=values)


def _refuse_huge_costs(decision: Decision, goals: list[Objective]) -> None:
    for goal in goals:
        if goal.name.startswith("work") and (goal.most >= EXACT or goal.reach >= LIMIT):
            expected = "work lost, weights and prices whose sum over the plans of a region can be counted in 53 bits"
            total = str(goal.most * decision.cost_step / (MICRO * MICRO))
            raise InstanceError([Problem("jobs", total, expected)])


ROUGH = 1 << 48
"""Sums of roughly counted costs stay below this."""

NAMES_EFFORT = 0.25
"""Deterministic time of the solver for the order of names in models that are not small."""

PATIENCE = 20.0
"""Seconds for completing a plan that was found before the time limit; far more than it takes."""

SMALL = 300
"""Models with at most so many variables find the order of names together with the other objectives."""


Ending = tuple[Solution | None, bool, dict[str, int]]


def _lexicographic(v: Variables, goals: list[Objective], effort: Effort, solver: cp_model.CpSolver) -> Ending:
    """Minimise one pack of objectives after the other, each fixed before the next; solution, proved, bounds."""
    solution: Solution | None = None
    bound: dict[str, int] = {}
    small = len(v.model.proto.variables) <= SMALL
    for pack, total, weights in packed(goals, small) or [([], 0, [1])]:
        seconds = effort.deadline - monotonic()
        if seconds <= 0:
            return solution, False, bound
        if solution is None or any(solution.value(goal.name) for goal in pack):
            only_names = [goal.name for goal in pack] == ["names"]
            configure(solver, effort, seconds, NAMES_EFFORT if only_names else None)
            if pack:
                v.model.minimize(total)
            status = _status(v, solver)
            if status == cp_model.INFEASIBLE:
                if solution is not None:
                    raise InternalError("a model lost its solution between two objectives")
                return None, True, {}
            if status != cp_model.UNKNOWN:
                solution = read_solution(v, goals, solver)
            if only_names and solution is not None:
                return solution, True, bound
            if status != cp_model.OPTIMAL:
                least = solver.response_proto.inner_objective_lower_bound + int(v.model.proto.objective.offset)
                return solution, False, bound | ({pack[0].name: max(0, least) // weights[0]} if pack else {})
            _hint(v, list(solver.response_proto.solution))
        assert solution is not None
        for goal in pack:
            bound[goal.name] = solution.value(goal.name)
            if not isinstance(goal.value, int):
                v.model.add(goal.value == bound[goal.name])
    return solution, True, bound


def _status(v: Variables, solver: cp_model.CpSolver) -> Any:
    status = solver.solve(v.model)
    if status == cp_model.MODEL_INVALID:
        raise InternalError(f"invalid model: {v.model.validate()}")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN, cp_model.INFEASIBLE):
        raise InternalError(f"unknown solver status {status}")
    return status


def _hint(v: Variables, values: list[int]) -> None:
    hint = v.model.proto.solution_hint
    hint.vars.clear()
    hint.values.clear()
    hint.vars.extend(range(len(values)))
    hint.values.extend(values)


def _tidied(v: Variables, goals: list[Objective], solution: Solution, effort: Effort) -> Solution:
    """Return the same plan with every objective at what the plan makes of it.

    Where the search was cut, what only counts (violations, broken islands, …) may stand higher than the plan needs.
    With the plan's own decisions fixed that is settled at once, whatever time is left.
    """
    for variable, value in solution.decisions:
        v.model.add(variable == value)
    patient = Effort(monotonic() + PATIENCE, effort.workers, effort.seed)
    tidied, proved, _ = _lexicographic(v, goals, patient, cp_model.CpSolver())
    if tidied is None or not proved:
        raise InternalError("a plan found before the time limit could not be completed")
    return tidied


def configure(solver: cp_model.CpSolver, effort: Effort, seconds: float, deterministic: float | None) -> None:
    """Set the solver's parameters.

    ``linearization_level = 2`` closes models that the default level does not (a 64-pod gang among 256 islands: 35 s
    against 0.03 s with one worker). One round of presolve without probing is enough for models that were reduced
    before (a third of the time of the largest is saved). Several workers are interleaved, so that their result does
    not depend on chance.

    Parameters
    ----------
    solver : CpSolver
        To be used next.
    effort : Effort
        Threads and seed.
    seconds : float
        Time, above 0.
    deterministic : float or None
        At most so much deterministic time; None: the deadline alone limits it.
    """
    solver.parameters.num_workers = effort.workers
    solver.parameters.random_seed = effort.seed
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.max_deterministic_time = float("inf") if deterministic is None else deterministic
    solver.parameters.linearization_level = 2
    solver.parameters.max_presolve_iterations = 1
    solver.parameters.cp_model_probing_level = 0
    solver.parameters.interleave_search = effort.workers > 1
    if _log.isEnabledFor(logging.DEBUG):
        solver.parameters.log_search_progress = True
        solver.parameters.log_to_stdout = False
        solver.log_callback = _log.debug
