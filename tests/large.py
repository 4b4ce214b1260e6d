"""Random instances of 50 to 300 nodes: the machines, jobs and requests of `oracle.draw`, many times over."""

from __future__ import annotations

from random import Random
from typing import Any

from oracle.draw import RULES, draw_levels
from oracle.draw_cluster import draw_machines
from oracle.draw_jobs import draw_jobs, draw_reservations
from oracle.draw_request import draw_policy, draw_request

from topreempt.models import Instance

ALWAYS = frozenset({"racks", "levels", "gang"})


def large_instance(seed: int, fewest: int = 50, most: int = 300, emptiness: float | None = None) -> Instance:
    """Return the instance of a seed: racks that are busy, half empty or wholly free, among them identical copies.

    `emptiness` is the share of wholly free racks; by default the seed says it, often 0.
    """
    rng = Random(seed)
    rules = ALWAYS | frozenset(rng.sample(RULES, rng.choice([2, 4, 6, 8])))
    levels = draw_levels(rng, rules)
    machines = draw_machines(rng, rules, levels) | {"copy": _machine(rng, rules, levels)}
    nodes, busy = draw_racks(rng, rules, levels, machines, rng.randint(fewest, most), emptiness)
    jobs, budgets = _jobs(rng, rules, levels, machines, busy)
    request = _request(rng, rules, levels, machines, nodes)
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {"levels": levels, "machines": machines, "nodes": nodes},
            "jobs": jobs,
            "budgets": budgets,
            "reservations": [
                held for _ in range(4) for held in draw_reservations(rng, rules, machines, nodes, request)
            ],
            "request": request,
            "policy": _policy(rng, rules, jobs),
        }
    )


def _machine(rng: Random, rules: frozenset[str], levels: list[str]) -> dict[str, Any]:
    return max(draw_machines(rng, rules, levels).values(), key=lambda machine: machine["gpus"])


def draw_racks(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], number: int, empty: float | None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the nodes, and those of them that run something; most racks are of one machine."""
    nodes: list[dict[str, Any]] = []
    busy = []
    emptiness = rng.choice([0.0, 0.0, 0.0, 0.05, 0.3]) if empty is None else empty
    idle = rng.choice([0.0, 0.0, 0.01, 0.1]) if empty is None else empty
    while len(nodes) < number:
        rack = f"r{len(nodes):03}"
        machine = rng.choice(sorted(machines))
        free = rng.random() < emptiness
        for _ in range(rng.choice([2, 4, 4, 8])):
            node = {"name": f"n{len(nodes):03}", "machine": machine, "within": {"rack": rack}}
            if "zone" in levels:
                node["within"]["zone"] = f"z{int(rack[1:]) * 3 // number}"
            if rng.random() < 0.1:
                node["machine"] = rng.choice(sorted(machines))
            nodes.append(node | _state(rng, rules, machines[node["machine"]]["gpus"], free))
            if not free and rng.random() >= idle:
                busy.append(nodes[-1])
    return nodes, busy


def _state(rng: Random, rules: frozenset[str], gpus: int, free: bool) -> dict[str, Any]:
    state: dict[str, Any] = {}
    if "labels" in rules:
        state["labels"] = {"pool": "b" if rng.random() < 0.3 else "a"}
    if "offline" in rules and gpus and not free and rng.random() < 0.1:
        state["offline_slots"] = [rng.randrange(gpus)]
    if "cordoned" in rules and rng.random() < 0.05:
        state["cordoned"] = True
    return state


def _jobs(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], busy: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Jobs on every three busy nodes, one after another; some are joined to jobs that run in several places."""
    jobs: list[dict[str, Any]] = []
    budgets: list[dict[str, Any]] = []
    order = rng.sample(busy, len(busy))
    for first in range(0, len(order), 3):
        found, budgets = draw_jobs(rng, rules, levels, machines, order[first : first + 3])
        for job in found:
            job["name"] = f"{job['name']}-{first:03}"
            job["unsaved_seconds"] = job["unsaved_seconds"] or rng.choice([2, 5, 30])
            for pod in job["pods"]:
                pod["name"] = f"{pod['name']}-{first:03}"
            if jobs and rng.random() < 0.2:
                _join(rng.choice(jobs[-8:]), job)
            else:
                jobs.append(job)
    jobs += _fill(rng, machines, busy, jobs) if rng.random() < 0.9 else []
    return jobs, [budget | {"max_evictions": budget["max_evictions"] * 2} for budget in budgets]


def _join(job: dict[str, Any], other: dict[str, Any]) -> None:
    job["pods"] += other["pods"]


def _fill(
    rng: Random, machines: dict[str, Any], busy: list[dict[str, Any]], jobs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Jobs of one or several pods on nearly all slots that are left of nodes without unknown placements."""
    held: dict[str, set[int]] = {node["name"]: set() for node in busy}
    for pod in (pod for job in jobs for pod in job["pods"]):
        held[pod["node"]] |= set(range(10) if "gpus" in pod else pod.get("slots", ()))
    pods = []
    for node in busy:
        left = [slot for slot in range(machines[node["machine"]]["gpus"]) if slot not in held[node["name"]]]
        while left and rng.random() >= 0.002:
            size = rng.choice([1, 1, 2, 4])
            pods.append({"name": f"fill-{len(pods):03}", "node": node["name"], "slots": left[:size]})
            left = left[size:]
    rng.shuffle(pods)
    filling: list[dict[str, Any]] = []
    while pods:
        some, pods = pods[: (size := rng.choice([1, 1, 1, 2, 5]))], pods[size:]
        priority, unsaved = rng.choice(jobs)["priority"] if jobs else 1, rng.choice([1, 2, 3, 7, 11, 20, 60])
        filling.append({"name": f"fill{len(pods):03}", "priority": priority, "unsaved_seconds": unsaved, "pods": some})
    return filling


def _request(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], nodes: list[dict[str, Any]]
) -> dict[str, Any]:
    request = draw_request(rng, rules, levels, machines, nodes)
    times = rng.choice([1, 2, 4, 8])
    request["pods"] *= times
    if "min_pods" in request:
        request["min_pods"] *= rng.choice([1, times])
    if rng.random() < 0.8:
        request["affinity"]["gang"] = {"island": rng.choice(["rack", levels[0], "cluster", "cluster"])}
    return request


def _policy(rng: Random, rules: frozenset[str], jobs: list[dict[str, Any]]) -> dict[str, Any]:
    policy = draw_policy(rng, rules, jobs)
    if policy.get("max_victims") is not None:
        policy["max_victims"] *= 4
    return policy
