"""Cores against the brute force: together they keep the request out, without any one of them it fits."""

from __future__ import annotations

import pytest
from builders import drawn
from oracle.draw import instance_of_seed
from probing import chunks, decision_of, drawn_instance, fits, infeasible, name, probe_of

from topreempt.models import Instance
from topreempt.models.explanation import Core
from topreempt.solver.exact.rungs import rungs_in_order
from topreempt.solver.explain.core import cores_of, without
from topreempt.solver.explain.edits import around, on_rungs
from topreempt.solver.explain.rules import rules_in_force

NORMAL, LONG = 600, 5_000
"""Seeds; something over a third of them are infeasible."""


def cores(instance: Instance) -> list[Core]:
    decision = decision_of(instance)
    return cores_of(decision, list(rungs_in_order(decision))[-1], None, probe_of(decision))


def faults(instance: Instance) -> list[str]:
    decision = decision_of(instance)
    rungs = list(rungs_in_order(decision))[-1]
    found = []
    for core in cores(instance):
        part = on_rungs(around(instance, core.nodes) if core.nodes else instance, rungs)
        rules = rules_in_force(part)
        kept = [rule for rule in rules if (rule.code, rule.name) in {(own.code, own.name) for own in core.rules}]
        others = [rule for rule in rules if rule not in kept]
        assert len(kept) == len(core.rules)
        if not core.minimal:
            found.append(f"{core.scope}: not settled")
        if fits(without(part, others)):
            found.append(f"{core.scope}: fits under {core.text}")
        found += [
            f"{core.scope}: {rule.code} is not needed in {core.text}"
            for rule in kept
            if not fits(without(part, [*others, rule]))
        ]
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_cores_are_minimal(seeds: range) -> None:
    assert {seed: wrong for seed, instance in infeasible(seeds) if (wrong := faults(instance))} == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_many_more_cores_are_minimal(seeds: range) -> None:
    assert {seed: wrong for seed, instance in infeasible(seeds) if (wrong := faults(instance))} == {}


def test_every_infeasible_instance_has_a_core_and_all_sizes_occur() -> None:
    sizes = [{len(core.rules) for core in cores(instance)} for _, instance in infeasible(range(300))]
    assert all(sizes)
    assert {0, 1, 2} <= set.union(*sizes)


@pytest.mark.parametrize("seed", range(40))
def test_cutting_down_to_all_nodes_changes_nothing(seed: int) -> None:
    instance = drawn_instance(seed)
    whole = around(instance, [node.name for node in instance.cluster.nodes])
    assert fits(whole) == fits(instance)


@pytest.mark.parametrize("seed", range(300, 340))
def test_room_on_some_nodes_is_room_in_the_whole(seed: int) -> None:
    instance = instance_of_seed(seed)
    for node in instance.cluster.nodes:
        if fits(around(instance, [node.name])):
            assert fits(instance)


def test_two_rules_of_one_node() -> None:
    # One slot of n is kept by priority, one by the budget; either would do for one GPU.
    instance = drawn(
        {"n": "ab"},
        {"a": 100, "b": {"priority": 1, "budget": "team"}},
        request={"gpus": 1, "priority": 100},
        budgets=[{"name": "team", "max_evictions": 0}],
    )
    (core,) = cores(instance)
    assert {(rule.code, rule.name) for rule in core.rules} == {
        ("equal-or-higher-priority", ""),
        ("budget-spent", "team"),
    }
    assert core.scope == "node n"
    assert core.minimal


def test_a_node_too_small_has_no_rules() -> None:
    (core,) = cores(drawn({"n": "a"}, request=2))
    assert core.rules == ()
    assert core.text == "too small whatever the rules: 1 slot, for 1 pod of 2 GPUs"
