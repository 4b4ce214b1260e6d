"""Counts against the brute force: what counts alone call impossible is impossible."""

from __future__ import annotations

import pytest
from builders import drawn
from probing import answer_of, chunks, decision_of, drawn_instance, name, probe_of

from topreempt.solver.exact.rungs import Rungs, rungs_in_order
from topreempt.solver.explain.room import places_of

NORMAL, LONG = 1_500, 20_000


def faults(seed: int) -> list[str]:
    decision = decision_of(drawn_instance(seed))
    answer = answer_of(seed)
    found = []
    every = list(rungs_in_order(decision))
    most = max(int(places_of(decision, rungs).seats.max(initial=0)) for rungs in every)
    if answer.status == "optimal" and most < answer.placed and decision.policy.extra_pods == "evict":
        found.append(f"room for {most} pods at most, {answer.placed} are placed")
    if answer.status == "optimal" and most < decision.pods_least:
        found.append(f"room for {most} pods at most, there is a plan for {decision.pods_least}")
    if probe_of(decision).is_feasible(decision) is not (answer.status == "optimal"):
        found.append(f"a plan exists: {answer.status == 'optimal'}")
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 100), ids=name)
def test_counts_never_exclude_a_plan(seeds: range) -> None:
    assert {seed: wrong for seed in seeds if (wrong := faults(seed))} == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 500), ids=name)
def test_counts_never_exclude_a_plan_of_many_more(seeds: range) -> None:
    assert {seed: wrong for seed in seeds if (wrong := faults(seed))} == {}


def test_islands_of_one_pod_by_hand() -> None:
    # n1: domain 0 has b (may go), one offline; domain 1 is held by a, which may not go.
    instance = drawn({"n1": "bx..|aa", "n2": "b."}, {"a": 200, "b": 1}, request={"gpus": 3, "pod": "numa"})
    places = places_of(decision_of(instance), Rungs(("numa",), ("cluster",), "cluster"))
    assert [places.label(place) for place in range(len(places))] == ["n1/0", "n1/1", "n2"]
    assert places.slots.tolist() == [4, 2, 2]
    assert places.free.tolist() == [3, 0, 2]
    assert places.seats.tolist() == [1, 0, 0]
    assert places.empty_seats.tolist() == [1, 0, 0]


def test_regions_of_a_gang_by_hand() -> None:
    # r1 has three free pairs of slots; CPUs of n2 suffice for one pod of it only.
    instance = drawn(
        {"n1": "..", "n2": "....", "n3": "aa"},
        {"a": 200},
        request={"gpus": 2, "pods": 3, "resources": {"cpus": 4}, "gang": "rack"},
        levels=["rack", "node"],
        within={"n1": {"rack": "r1"}, "n2": {"rack": "r1"}, "n3": {"rack": "r2"}},
        node_fields={
            "n1": {"resources": {"cpus": 9}},
            "n2": {"resources": {"cpus": 7}},
            "n3": {"resources": {"cpus": 99}},
        },
    )
    places = places_of(decision_of(instance), Rungs(("node",), ("cluster",), "rack"))
    assert [places.label(place) for place in range(len(places))] == ["r1", "r2"]
    assert places.slot_seats.tolist() == [3, 0]
    assert places.seats.tolist() == [2, 0]
    assert places.hindered["cpus"].tolist() == [1, 0]


def test_unseen_pods_that_stay_burden_the_node() -> None:
    # a holds 2 GPUs nobody knows which: of 4 free slots 2 are certain on the node, no island of 2 alone is.
    job = {"a": {"priority": 200, "pods": [{"name": "a-0", "node": "n", "gpus": 2}]}}
    instance = drawn({"n": "..|.."}, job, request={"gpus": 2, "pod": "numa"})
    decision = decision_of(instance)
    assert places_of(decision, Rungs(("node",), ("cluster",), "cluster")).seats.tolist() == [1]
    assert places_of(decision, Rungs(("numa",), ("cluster",), "cluster")).seats.tolist() == [0, 0]
