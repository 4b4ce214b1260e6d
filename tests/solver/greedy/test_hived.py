"""HiveD: two passes, packing, affinity before victims, groups die whole."""

from __future__ import annotations

from builders import drawn

from topreempt.solver.greedy.hived import hived_cells
from topreempt.solver.greedy.registry import policies
from topreempt.solver.greedy.survey import situation_of


def test_the_first_pass_takes_what_is_free_though_a_tighter_cell_could_be_had() -> None:
    # Two free GPUs in two domains; evicting would give both in one. Free cells come first.
    decision = hived_cells(situation_of(drawn({"n1": "a.|b."}, {"a": 1, "b": 1}, 2)))
    assert (decision.evicted, decision.slots) == ({}, ((1, 3),))


def test_the_most_used_node_is_packed_first() -> None:
    decision = hived_cells(situation_of(drawn({"n1": "..", "n2": "b."}, {"b": 1}, 1)))
    assert decision.nodes == ("n2",)


def test_of_equally_used_nodes_the_one_with_less_above_the_request() -> None:
    instance = drawn({"n1": "a.", "n2": "b."}, {"a": 500, "b": 1}, 1)
    assert hived_cells(situation_of(instance)).nodes == ("n2",)


def test_inside_a_node_the_tightest_level_wins_and_free_cells_before_held_ones() -> None:
    # Two cells of one domain: the second domain has a free one, so it takes c and the free cell, not a and b.
    instance = drawn({"n1": "ab|c.|d"}, {"a": 1, "b": 1, "c": 1, "d": {"priority": 500}}, 2)
    decision = hived_cells(situation_of(instance))
    assert (decision.slots, set(decision.evicted)) == (((2, 3),), {"c@n1"})


def test_a_group_dies_whole_wherever_it_runs() -> None:
    instance = drawn({"n1": "aa", "n2": "ab"}, {"a": 1, "b": {"priority": 500}}, {"gpus": 2})
    assert set(hived_cells(situation_of(instance)).evicted) == {"a@n1", "a@n2"}


def test_cores_are_none_of_its_business_so_it_may_be_refused() -> None:
    short = {"node_fields": {"n1": {"resources": {"cpus": 1}}}}
    instance = drawn({"n1": "a"}, {"a": 1}, {"gpus": 1, "resources": {"cpus": 2}}, **short)
    plan = policies()["hived-cells"](instance)
    assert (plan.evicted, plan.admitted) == ({"a@n1"}, False)


def test_it_has_no_shares() -> None:
    assert hived_cells(situation_of(drawn({"n1": "a"}, {"a": 1}, {"gpus": 1, "share": 0.5}))).gave_up is not None
