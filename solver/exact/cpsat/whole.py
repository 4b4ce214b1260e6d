"""The plain alternative: one model of the whole cluster, no bounds and no reductions, for comparison."""

from __future__ import annotations

from collections import defaultdict
from time import monotonic

from ortools.sat.python import cp_model

from ..decision import Decision
from ..region import spell_out
from ..rungs import Rungs
from .objectives import objectives
from .run import RULES, Effort, configure
from .variables import Variables


def solve_whole(decision: Decision, rungs: Rungs, effort: Effort) -> tuple[int | None, bool]:
    """Find the least cost on some rungs with one model of all nodes.

    Parameters
    ----------
    decision : Decision
        A request with GPUs whose gang asks for a level at or above node, or the cluster.
    rungs : Rungs
        The allowed rungs.
    effort : Effort
        Time, threads and seed.

    Returns
    -------
    tuple
        The first tier's cost in steps (None without a plan), and whether it was proved least.
    """
    snapshot = decision.snapshot
    region = spell_out(decision, rungs, range(len(snapshot.nodes)), None)
    v = Variables(decision, rungs, region)
    for rule in RULES:
        rule(v)
    _choose_domain(v, rungs.gang)
    goal = next(goal for goal in objectives(v) if goal.name == "work0")
    v.model.minimize(goal.value)
    solver = cp_model.CpSolver()
    configure(solver, effort, max(0.01, effort.deadline - monotonic()), None)
    status = solver.solve(v.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, status == cp_model.INFEASIBLE
    return int(solver.value(goal.value)), status == cp_model.OPTIMAL


def _choose_domain(v: Variables, level: str) -> None:
    numbers = v.decision.snapshot.domain_of_node(level)[0]
    cells: dict[int, list[int]] = defaultdict(list)
    for number, cell in enumerate(v.region.cells):
        cells[int(numbers[cell.node])].append(number)
    if len(cells) == 1:
        return
    chosen = {domain: v.model.new_bool_var(f"domain{domain}") for domain in cells}
    v.model.add_exactly_one(chosen.values())
    for domain, inside in cells.items():
        for number in inside:
            v.model.add(v.count[number] <= v.cell(number).most * chosen[domain])
