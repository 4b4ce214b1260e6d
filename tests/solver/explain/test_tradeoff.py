"""The trade-off of the ladders against the brute force: the least cost of every combination of rungs."""

from __future__ import annotations

import pytest
from builders import drawn
from oracle.brute import Answer, solve
from probing import MILLIONTHS, SECONDS, chunks, drawn_instance, name

from topreempt.models import Instance, Plan
from topreempt.models.explanation import TradeOff
from topreempt.models.ladder import ladder_of
from topreempt.models.request import SCOPES
from topreempt.solver import solve_preemption
from topreempt.solver.explain import Ask
from topreempt.solver.explain.edits import edited

NORMAL, LONG = 400, 4_000


def explained(instance: Instance) -> Plan:
    ask = Ask(alternatives=0, victims=False, causes=False, tradeoff=True, time_limit=SECONDS)
    return solve_preemption(instance, time_limit=SECONDS, explain=ask)


def on_rungs_of(instance: Instance, row: TradeOff) -> Instance:
    affinity = {}
    for scope in SCOPES:
        asked = getattr(instance.request.affinity, scope)
        if asked is not None:
            affinity[scope] = asked.model_copy(
                update={"island": getattr(row, scope), "mode": "guaranteed", "ladder": None}
            )
    return edited(instance, request={"affinity": instance.request.affinity.model_copy(update=affinity)})


def fault(instance: Instance, row: TradeOff) -> str | None:
    answer: Answer = solve(on_rungs_of(instance, row))
    if row.status != answer.status:
        return f"{row} has status {answer.status}"
    if answer.status == "infeasible":
        return None
    numbers = (row.budget_violations, row.evicted_pods, row.placed_pods)
    least = (answer.budget_violations, answer.evicted_pods, answer.placed)
    if numbers != least:
        return f"{row} has violations, evicted and placed pods {least}"
    assert row.weighted_work is not None
    assert row.price is not None
    if isinstance(answer.cost, int):
        cost = answer.cost / MILLIONTHS
        if row.weighted_work + row.price != pytest.approx(cost, rel=1e-9, abs=1e-9):
            return f"{row} costs {cost}"
    return None


def faults(seeds: range) -> dict[int, list[str]]:
    found = {}
    for seed in seeds:
        instance = drawn_instance(seed)
        rows = explained(instance).tradeoff
        ladders = [ladder_of(instance, scope) for scope in SCOPES]
        assert len(rows) == len(ladders[0]) * len(ladders[1]) * len(ladders[2])
        wrong = [text for row in rows if (text := fault(instance, row))]
        if wrong:
            found[seed] = wrong
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_every_row_is_the_least_cost_on_its_rungs(seeds: range) -> None:
    assert faults(seeds) == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_every_row_of_many_more_is_the_least_cost(seeds: range) -> None:
    assert faults(seeds) == {}


def test_a_ladder_by_hand() -> None:
    # Four GPUs: within a numa domain 9 + 1, on a node 1 (three are free and a goes), over all the same.
    request = {
        "gpus": 2,
        "pods": 2,
        "pod": {"island": "numa", "mode": "best-effort"},
        "gang": {"island": "node", "mode": "best-effort", "ladder": ["node", "cluster"]},
    }
    instance = drawn({"n1": "a.|b.", "n2": ".|.c"}, {"a": 1, "b": 9, "c": 200}, request=request)
    rows = explained(instance).tradeoff
    assert [(row.pod, row.slice, row.gang, row.weighted_work, row.evicted_pods) for row in rows] == [
        ("numa", None, "node", 10.0, 2),
        ("numa", None, "cluster", 10.0, 2),
        ("node", None, "node", 10.0, 2),
        ("node", None, "cluster", 0.0, 0),
    ]
    assert [row.saves for row in rows] == [None, 0.0, 0.0, 10.0]
    assert [row.pareto for row in rows] == [True, False, False, True]
    assert [row.granted for row in rows] == [True, False, False, False]


def test_infeasible_rungs_have_no_cost() -> None:
    request = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    tight, loose = explained(drawn({"n": "a|."}, {"a": 1}, request=request)).tradeoff
    assert (tight.status, tight.weighted_work, tight.pareto) == ("infeasible", None, False)
    assert (loose.status, loose.weighted_work, loose.saves, loose.pareto, loose.granted) == (
        "optimal",
        1.0,
        None,
        True,
        True,
    )
