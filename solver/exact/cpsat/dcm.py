"""The model of the baseline ``dcm-cpsat``: who stays so that the request fits by counts and most priority is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from ortools.sat.python import cp_model

from ....models.errors import InternalError

MOST = 1 << 50


@dataclass(frozen=True)
class HostRow:
    """One node of the model.

    Attributes
    ----------
    free : sequence of int
        What is free of each thing once every pod that may go is gone.
    pods : sequence of tuple
        Priority (not negative) and amounts of each pod that may go.
    """

    free: Sequence[int]
    pods: Sequence[tuple[int, Sequence[int]]]


@dataclass(frozen=True)
class HostAnswer:
    """What happens on one node.

    Attributes
    ----------
    seats : int
        Pods of the request that go there.
    kept : tuple of bool
        Which pods stay.
    """

    seats: int
    kept: tuple[bool, ...]


def keep_most_priority(rows: Sequence[HostRow], need: Sequence[int], pods: int) -> list[HostAnswer] | None:
    """Maximise the sum of the priorities kept, then the number of pods kept.

    Parameters
    ----------
    rows : sequence of HostRow
        The nodes that the request may use.
    need : sequence of int
        What one pod of the request asks for.
    pods : int
        How many pods of it must be placed.

    Returns
    -------
    list of HostAnswer or None
        One a node; None if the request fits nowhere.

    Raises
    ------
    InternalError
        The solver ended without a proof.
    """
    model = cp_model.CpModel()
    kept = [[model.new_bool_var("") for _ in row.pods] for row in rows]
    seats = [model.new_int_var(0, pods, "") for _ in rows]
    model.add(cp_model.LinearExpr.sum(seats) == pods)
    for row, stay, here in zip(rows, kept, seats, strict=True):
        for index, amount in enumerate(need):
            if amount:
                held = [amounts[index] for _, amounts in row.pods]
                unit = gcd(amount, *held)
                room = min(row.free[index] // unit, MOST)
                taken = cp_model.LinearExpr.weighted_sum([*stay, here], [*(h // unit for h in held), amount // unit])
                model.add(taken <= room)
    variables = [variable for stay in kept for variable in stay]
    values = [priority for row in rows for priority, _ in row.pods]
    scale = len(values) + 1 if sum(values) * (len(values) + 1) < MOST else 1
    weights = [value * scale + 1 for value in values]
    model.maximize(cp_model.LinearExpr.weighted_sum(variables, weights))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status != cp_model.OPTIMAL:
        raise InternalError(f"dcm-cpsat: the solver ended as {solver.status_name(status)}")
    return [
        HostAnswer(solver.value(here), tuple(bool(solver.value(variable)) for variable in stay))
        for stay, here in zip(kept, seats, strict=True)
    ]
