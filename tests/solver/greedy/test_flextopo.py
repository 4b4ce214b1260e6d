"""FlexTopo: subsets, the score of sockets and NUMA nodes, early stop, the guaranteed filter, and a law."""

from __future__ import annotations

from random import Random

from builders import drawn
from oracle.draw import random_instance

from topreempt.models import Instance
from topreempt.solver import solve_preemption
from topreempt.solver.greedy.flextopo import flextopo_early_stop, flextopo_exhaustive
from topreempt.solver.greedy.oracle import EVERYTHING, Oracle
from topreempt.solver.greedy.survey import situation_of

BEST_EFFORT = {"island": "numa", "mode": "best-effort"}


def node(text: str, sockets: dict[str, list[int]], request: dict[str, object], jobs: dict[str, object]) -> Instance:
    instance = drawn({"n1": text}, jobs, request)
    data = instance.model_dump(mode="json", exclude_defaults=True)
    data["cluster"]["levels"] = ["node", "socket", "numa"]
    data["cluster"]["nodes"][0].setdefault("domains", {})["socket"] = sockets
    return Instance.parse(data)


def test_early_stop_takes_the_smallest_set_and_the_exhaustive_one_the_best_score() -> None:
    # Two GPUs asked. The pair c spans both sockets (7); a and b lie in one NUMA node (15) but are two victims.
    request, jobs = {"gpus": 2, "pod": BEST_EFFORT}, {"a": 1, "b": 1, "c": 1}
    instance = node("abc|c", {"s0": [0, 1, 2], "s1": [3]}, request, jobs)
    assert set(flextopo_exhaustive(situation_of(instance)).evicted) == {"a@n1", "b@n1"}
    assert set(flextopo_early_stop(situation_of(instance)).evicted) == {"c@n1"}


def test_crossing_numa_nodes_costs_three_and_sockets_five_more() -> None:
    # c crosses NUMA nodes of one socket (12), d crosses sockets (7); equal sizes, so c.
    request, jobs = {"gpus": 2, "pod": BEST_EFFORT}, {"c": 1, "d": 1}
    instance = node("d|dc|c", {"s0": [0], "s1": [1, 2, 3]}, request, jobs)
    assert set(flextopo_early_stop(situation_of(instance)).evicted) == {"c@n1"}


def test_free_gpus_that_complete_an_island_are_invisible() -> None:
    # b's GPU and the free one share a NUMA node, a's alone does not; both sets score 15, so the first name goes.
    request, jobs = {"gpus": 2, "pod": BEST_EFFORT}, {"a": 1, "b": 1, "z": {"priority": 500}}
    instance = node("az|b.", {"s0": [0, 1], "s1": [2, 3]}, request, jobs)
    assert set(flextopo_exhaustive(situation_of(instance)).evicted) == {"a@n1"}


def test_a_guaranteed_request_passes_only_where_one_numa_node_or_socket_has_the_room() -> None:
    jobs = {"a": 1, "b": 1, "z": {"priority": 500}}
    request = {"gpus": 2, "pod": "numa"}
    instance = node("az|b.", {"s0": [0, 1], "s1": [2, 3]}, request, jobs)
    assert set(flextopo_exhaustive(situation_of(instance)).evicted) == {"b@n1"}
    everywhere = node("az|zb", {"s0": [0, 1], "s1": [2, 3]}, request, jobs)
    assert flextopo_exhaustive(situation_of(everywhere)).gave_up is not None


def test_priorities_play_no_part() -> None:
    jobs = {"a": 90, "b": 1}
    assert set(flextopo_exhaustive(situation_of(drawn({"n1": "ab"}, jobs, 1))).evicted) == {"a@n1"}


SINGLE = frozenset(
    {"levels", "links", "blocks", "models", "offline", "labels", "resources", "loss", "priorities", "weights"}
)


def test_with_our_cost_as_its_score_the_exhaustive_search_finds_our_optimum() -> None:
    # Single-node requests without gangs: then all subsets of a node's pods are all there is to choose from.
    compared = infeasible = 0
    for seed in range(400):
        instance = random_instance(Random(seed), SINGLE)
        gangs = instance.request.pods > 1 or any(len(job.pods) > 1 for job in instance.jobs)
        if gangs or instance.policy.weights == "tiered":
            continue
        situation, plan = situation_of(instance), solve_preemption(instance)
        decision = flextopo_exhaustive(
            situation,
            oracle=Oracle(situation, EVERYTHING),
            score=lambda pods, situation=situation: -situation.cost(pods),
        )
        if decision.gave_up is not None:
            infeasible += 1
            assert plan.status == "infeasible", seed
        else:
            compared += 1
            lost = situation.cost([situation.pods[name] for name in decision.evicted])
            assert abs(lost / 10**12 - plan.cost.weighted_work) <= 1e-6 * max(1, plan.cost.weighted_work), seed
    assert compared > 30 and infeasible > 10
