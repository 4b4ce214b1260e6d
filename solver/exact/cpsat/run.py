"""Solve one region's model objective by objective, and read the answer out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from time import monotonic

from ortools.sat.python import cp_model

from ....models.errors import InternalError
from ..decision import LIMIT, Decision
from ..region import Region
from ..rungs import Rungs
from . import gang, islands, numa, reservations, resources, slots, unknown, victims
from .objectives import Objective, objectives
from .read import Solution, read_solution
from .variables import Linear, Variables

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
    bound : tuple of int
        Lower bounds of the first objectives, as far as they were proved; in the order of `Solution.values`.
    """

    solution: Solution | None
    proved: bool
    bound: tuple[int, ...]


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
        return Outcome(None, True, ())
    v = Variables(decision, rungs, region)
    for rule in RULES:
        rule(v)
    goals = objectives(v)
    for goal in goals:
        if goal.name in limits:
            v.model.add(goal.value <= limits[goal.name])
    goals = [goal for goal in goals if not only or goal.name in only]
    return _lexicographic(v, goals, effort)


NAMES_EFFORT = 0.25
"""Deterministic time of the solver for the order of names in models that are not small."""

SMALL = 300
"""Models with at most so many variables find the order of names together with the other objectives."""


def _packed(goals: list[Objective], small: bool) -> list[tuple[list[Objective], Linear, list[int]]]:
    """Join neighbouring objectives into one sum where it stays within 60 bits: each weighs more than all later ones.

    In models that are not small, broken islands stand alone, level by level: a sum of several has relaxations that
    no rounding closes. The order of names comes last and alone: it decides between plans that are equal on
    everything that counts, so it gets a fixed amount of work (deterministic time, so the same plan comes out every
    time) and no proof.
    """
    packs: list[list[Objective]] = []
    size = 0
    for goal in goals:
        if goal.most >= LIMIT:
            raise InternalError(f"objective {goal.name} may reach {goal.most}, more than a 64-bit model can add up")
        apart = goal.name.startswith(("broken", "names")) and not small
        if packs and not apart and size * (goal.most + 1) < LIMIT:
            packs[-1].append(goal)
            size *= goal.most + 1
        else:
            packs.append([goal])
            size = goal.most + 1
    joined = []
    for pack in packs:
        weights = [1]
        for goal in reversed(pack[1:]):
            weights.insert(0, weights[0] * (goal.most + 1))
        joined.append((pack, sum(w * goal.value for w, goal in zip(weights, pack, strict=True)), weights))
    return joined


def _lexicographic(v: Variables, goals: list[Objective], effort: Effort) -> Outcome:
    solution: Solution | None = None
    bounds: list[int] = []
    solver = cp_model.CpSolver()
    small = len(v.model.proto.variables) <= SMALL
    for pack, total, weights in _packed(goals, small) or [([], 0, [1])]:
        seconds = effort.deadline - monotonic()
        if seconds <= 0:
            return Outcome(solution, False, tuple(bounds))
        if solution is not None and not any(solution.value(goal.name) for goal in pack):
            bounds += [0] * len(pack)
            for goal in pack:
                if not isinstance(goal.value, int):
                    v.model.add(goal.value == 0)
            continue
        only_names = [goal.name for goal in pack] == ["names"]
        _configure(solver, effort, seconds, NAMES_EFFORT if only_names else None)
        if pack:
            v.model.minimize(total)
        status = solver.solve(v.model)
        if status == cp_model.INFEASIBLE:
            if solution is not None:
                raise InternalError("a model lost its solution between two objectives")
            return Outcome(None, True, ())
        if status == cp_model.MODEL_INVALID:
            raise InternalError(f"invalid model: {v.model.validate()}")
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
            raise InternalError(f"unknown solver status {status}")
        if status != cp_model.UNKNOWN:
            solution = read_solution(v, goals, solver)
        if only_names and solution is not None:
            return Outcome(solution, True, tuple(bounds))
        if status != cp_model.OPTIMAL:
            bound = solver.response_proto.inner_objective_lower_bound + int(v.model.proto.objective.offset)
            bounds.append(max(0, bound) // weights[0])
            return Outcome(solution, False, tuple(bounds))
        assert solution is not None
        values = dict(zip([id(goal) for goal in goals], solution.values, strict=True))
        bounds += [values[id(goal)] for goal in pack]
        for goal in pack:
            if not isinstance(goal.value, int):
                v.model.add(goal.value == values[id(goal)])
        hint = v.model.proto.solution_hint
        hint.vars.clear()
        hint.values.clear()
        hint.vars.extend(range(len(v.model.proto.variables)))
        hint.values.extend(solver.response_proto.solution)
    return Outcome(solution, True, tuple(bounds))


def _configure(solver: cp_model.CpSolver, effort: Effort, seconds: float, deterministic: float | None) -> None:
    solver.parameters.num_workers = effort.workers
    solver.parameters.random_seed = effort.seed
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.max_deterministic_time = float("inf") if deterministic is None else deterministic
    solver.parameters.linearization_level = 2
    solver.parameters.interleave_search = effort.workers > 1
