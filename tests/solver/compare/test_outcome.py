"""What a plan amounts to: hits, sockets, idle GPUs, broken gangs."""

from __future__ import annotations

from builders import drawn

from topreempt.models import Instance, Plan
from topreempt.solver import solve_preemption
from topreempt.solver.compare.outcome import Outcome, outcome_of
from topreempt.solver.greedy.registry import policies


def measured(instance: Instance, policy: str = "exact") -> Outcome:
    plan: Plan = solve_preemption(instance) if policy == "exact" else policies()[policy](instance)
    return outcome_of(0, "x", instance, plan, 0.0, keep_plan=False)


def with_sockets(instance: Instance, sockets: dict[str, list[int]]) -> Instance:
    data = instance.model_dump(mode="json", exclude_defaults=True)
    data["cluster"]["levels"].insert(1, "socket")
    for node in data["cluster"]["nodes"]:
        node.setdefault("domains", {})["socket"] = sockets
    return Instance.parse(data)


def test_a_request_that_gets_a_looser_island_starts_but_is_no_hit() -> None:
    loose = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    instance = drawn({"n1": "a.|b."}, {"a": 500, "b": 500}, loose)
    outcome = measured(instance)
    assert (outcome.admitted, outcome.hit, outcome.granted) == (True, False, {"pod": "node"})


def test_the_victims_socket_is_counted_whatever_the_request_gets() -> None:
    # The victim held GPUs of both sockets, yet with it gone the request fits one.
    sockets = {"s0": [0, 1], "s1": [2, 3]}
    instance = with_sockets(drawn({"n1": "a.a."}, {"a": 1}, {"gpus": 2, "pod": "numa"}), sockets)
    instance = Instance.parse(
        instance.model_dump(mode="json", exclude_defaults=True)
        | {"request": {"name": "r", "priority": 100, "gpus": 2, "affinity": {"pod": {"island": "socket"}}}}
    )
    outcome = measured(instance)
    assert (outcome.hit, outcome.one_socket) == (True, False)


def test_without_victims_or_sockets_nothing_is_said() -> None:
    assert measured(drawn({"n1": ".."}, {}, 1)).one_socket is None
    assert measured(with_sockets(drawn({"n1": ".."}, {}, 1), {"s0": [0], "s1": [1]})).one_socket is None


def test_freed_gpus_that_nobody_uses_are_idle() -> None:
    assert measured(drawn({"n1": "aaaa"}, {"a": 1}, 1)).idle_gpus == 3
    # Refused after the eviction: all that was freed is idle.
    refused = measured(drawn({"n1": "a.|bc"}, {"a": 5, "b": 1, "c": 7}, {"gpus": 2, "pod": "numa"}), "k8s-default")
    assert (refused.in_vain, refused.idle_gpus) == (True, 1)


def test_shares_are_idle_in_part() -> None:
    instance = drawn({"n1": "a"}, {"a": 1}, {"gpus": 1, "share": 0.25})
    assert measured(instance).idle_gpus == 0.75


def test_a_broken_gang_is_counted_and_its_whole_work_lost() -> None:
    outcome = measured(drawn({"n1": "aa", "n2": "aa"}, {"a": {"unsaved_seconds": 10}}, 2), "k8s-default")
    assert (outcome.gangs_broken, outcome.evicted_pods, outcome.weighted_work) == (1, 1, 40)


def test_only_like_plans_are_compared() -> None:
    loose = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    instance = drawn({"n1": "aa|b.|.c"}, {"a": 9, "b": 1, "c": 2}, loose)
    best, naive = measured(instance), measured(instance, "k8s-default")
    assert best.hit and naive.admitted and not naive.hit
    assert best.is_like(best) and not naive.is_like(best)
