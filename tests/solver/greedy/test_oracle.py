"""The shared oracle: the same verdict as the exact engine where nobody is evicted, and what it hides from the blind."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from builders import drawn
from counted import counted
from oracle.draw import RULES, random_instance

from topreempt.models import Instance
from topreempt.solver import solve_preemption
from topreempt.solver.greedy.decision import smallest_prefix
from topreempt.solver.greedy.oracle import BLIND, EVERYTHING, Knowledge, Oracle
from topreempt.solver.greedy.packing import any_slots, of_a_list
from topreempt.solver.greedy.survey import situation_of


def verdicts(first: int, last: int) -> list[tuple[bool, bool]]:
    found = []
    for seed in range(first, last):
        rng = Random(seed)
        instance = random_instance(rng, frozenset(rng.sample(RULES, rng.choice((1, 2, 3, 5, len(RULES))))))
        data = instance.model_dump(mode="json", exclude_defaults=True)
        data["request"]["may_preempt"] = False
        if seed % 2:
            data["jobs"] = [job for job in data.get("jobs", []) if job["priority"] >= instance.request.priority]
        settled = Instance.parse(data)
        fits = Oracle(situation_of(settled), EVERYTHING).nodes_for((), settled.request.fewest_pods)
        found.append((fits is not None, solve_preemption(settled).status == "optimal"))
    return found


def test_without_evictions_it_agrees_with_the_exact_engine() -> None:
    found = verdicts(200, 400)
    assert all(ours == theirs for ours, theirs in found)
    assert 50 < sum(ours for ours, _ in found) < 150


@pytest.mark.long
def test_it_agrees_on_many_more() -> None:
    assert all(ours == theirs for ours, theirs in verdicts(1000, 4000))


def test_a_blind_scheduler_is_given_counts_and_no_more() -> None:
    situation = situation_of(drawn({"n1": "a.|.a"}, {"a": 500}, {"gpus": 2, "pod": "numa"}))
    host = situation.hosts["n1"]
    assert Oracle(situation, BLIND).pods_on(host, ()) == 1
    assert Oracle(situation, Knowledge("slots")).pods_on(host, ()) == 1
    assert Oracle(situation, EVERYTHING).pods_on(host, ()) == 0


def test_shares_add_up_for_the_blind_and_not_slot_by_slot() -> None:
    data = drawn({"n1": "ab"}, {"a": 500, "b": 500}, 1).model_dump(mode="json", exclude_defaults=True)
    for job in data["jobs"]:
        job["pods"][0]["share"] = 0.5
    situation = situation_of(Instance.parse(data))
    host = situation.hosts["n1"]
    assert Oracle(situation, BLIND).pods_on(host, ()) == 1
    assert Oracle(situation, Knowledge("slots")).pods_on(host, ()) == 0


def test_what_may_never_serve_is_not_counted() -> None:
    nodes = {"n1": "x.", "n2": "..", "n3": ".."}
    faults = {"n2": {"cordoned": True}, "n3": {"gpu_model": "other"}, "n1": {"gpu_model": "asked"}}
    situation = situation_of(drawn(nodes, {}, {"gpus": 1, "pods": 4, "gpu_models": ["asked"]}, node_fields=faults))
    oracle = Oracle(situation)
    assert [oracle.pods_on(host, ()) for host in situation.hosts.values()] == [1, 0, 0]


def test_reserved_room_is_not_counted() -> None:
    held = [{"owner": "other", "priority": 500, "node": "n1", "gpus": 1}]
    situation = situation_of(drawn({"n1": ".."}, {}, {"gpus": 1, "pods": 2}, reservations=held))
    for knowledge in (BLIND, EVERYTHING):
        assert Oracle(situation, knowledge).pods_on(situation.hosts["n1"], ()) == 1


def test_a_gang_is_kept_together_only_by_who_knows() -> None:
    within = {"a": {"rack": "r1"}, "b": {"rack": "r2"}, "c": {"rack": "r2"}}
    request = {"cpus": 1, "pods": 2, "affinity": {"gang": {"island": "rack"}}}
    situation = situation_of(counted({"a": 1, "b": 1, "c": 1}, {}, request, within=within, levels=["rack", "node"]))
    assert Oracle(situation, BLIND).nodes_for((), 2) == ("a", "b")
    assert Oracle(situation, Knowledge(gang=True)).nodes_for((), 2) == ("b", "c")


@pytest.mark.parametrize("seed", range(60))
def test_packing_finds_the_most(seed: int) -> None:
    rng = Random(seed)
    slots, size, limit = rng.randint(2, 7), rng.randint(1, 3), rng.randint(1, 4)
    room = {slot: rng.randint(1, 2) for slot in range(slots)}
    sets = [taken for taken in combinations(range(slots), size) if rng.random() < 0.5]

    def most(available: list[tuple[int, ...]]) -> int:
        def fits(chosen: tuple[tuple[int, ...], ...]) -> bool:
            return all(sum(slot in taken for taken in chosen) <= room[slot] for slot in room)

        copies = [taken for taken in available for _ in range(2)]
        return max(n for n in range(limit + 1) if any(fits(c) for c in combinations(copies, n)))

    for packed, available in (
        (of_a_list(sets, room, limit), sets),
        (any_slots(room, size, limit), list(combinations(range(slots), size))),
    ):
        assert len(packed) == most(available)
        assert all(sum(slot in taken for taken in packed) <= room[slot] for slot in room)
        assert all(taken in available for taken in packed)


@pytest.mark.parametrize("length", range(6))
def test_the_smallest_prefix_is_found(length: int) -> None:
    for threshold in range(length + 1):
        assert smallest_prefix(length, lambda number, threshold=threshold: number >= threshold) == threshold
    assert smallest_prefix(length, lambda number: False) is None
