"""Random requests and policies: islands, ladders and prices that the levels allow."""

from __future__ import annotations

from random import Random
from typing import Any

from .draw_jobs import REQUEST_PRIORITY


def draw_request(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], nodes: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a request of one to four pods (wide: six) that together ask for no more than about what the nodes have."""
    slots = sum(machines[node["machine"]]["gpus"] for node in nodes)
    pods = rng.choice([1, 2, 2, 3, 4]) if rules & {"gang", "slices", "extra"} else rng.choice([1, 1, 1, 2])
    if "wide" in rules and pods > 1:
        pods += rng.choice([0, 1, 2])
    gpus = max(1, min(rng.choice([1, 1, 2, 2, 2, 3, 4]), slots // pods))
    request: dict[str, Any] = {"name": "request", "priority": REQUEST_PRIORITY, "pods": pods, "gpus": gpus}
    if "cpu-only" in rules and rng.random() < 0.3:
        request["gpus"] = 0
    if "shares" in rules and rng.random() < 0.6:
        request["share"] = rng.choice([0.25, 0.5, 0.4, 1.0])
    if "models" in rules:
        request["gpu_models"] = rng.choice([[], ["H100"], ["H100", "A100"], ["A100"]])
    if "labels" in rules:
        request["node_labels"] = rng.choice([{}, {"pool": "a"}, {"pool": "a"}, {"pool": "b"}])
    if rules & {"resources", "cpu-only", "alignment"}:
        request["resources"] = {"cpus": rng.choice([0, 1, 1, 2, 3, 5]), "memory_gib": rng.choice([0, 2, 2, 6.5])}
        request["resources"] |= rng.choice([{}, {}, {}, {}, {}, {}, {"pods": 1}, {"licences": 1}])
    if "limits" in rules and rng.random() < 0.1:
        request["may_preempt"] = False
    size = rng.choice([part for part in (1, 2, 3) if pods % part == 0]) if "slices" in rules else 1
    if "extra" in rules:
        request["min_pods"] = rng.choice(range(size, pods + 1, size))
    request["affinity"] = _affinity(rng, rules, levels, request["gpus"], size)
    return request


def _affinity(rng: Random, rules: frozenset[str], levels: list[str], gpus: int, size: int) -> dict[str, Any]:
    at_or_below = levels[levels.index("node") :]
    kinds = [*at_or_below, *at_or_below[1:]]
    kinds += ["gpu"] * (gpus <= 1 and rng.random() < 0.3)
    kinds += ["link-clique", "link-connected"] * 2 if "links" in rules else []
    kinds += ["block"] * 3 if "blocks" in rules else []
    pod = _scope(rng, rules, rng.choice(kinds), list(dict.fromkeys(kinds)))
    if "links" in rules:
        pod |= {"link_kind": rng.choice([None, None, "nvlink", "pix"]), "min_links": rng.choice([1, 1, 2])}
    affinity = {"pod": pod}
    wide = ["cluster", *levels]
    if "slices" in rules:
        affinity["slice"] = _scope(rng, rules, rng.choice(wide[1:]), wide) | {"size": size}
    if "gang" in rules and rng.random() < 0.8:
        affinity["gang"] = _scope(rng, rules, rng.choice(wide), wide)
    return affinity


def _scope(rng: Random, rules: frozenset[str], island: str, kinds: list[str]) -> dict[str, Any]:
    """Guaranteed, or best-effort with the default ladder or one in any order."""
    if not rules & {"best-effort", "priced"} or rng.random() < 0.25:
        return {"island": island}
    scope: dict[str, Any] = {"island": island, "mode": "best-effort"}
    if "priced" in rules or rng.random() < 0.4:
        others = [kind for kind in kinds if kind != island]
        scope["ladder"] = [island, *rng.sample(others, min(len(others), rng.choice([1, 2])))]
        scope["prices"] = {rung: rng.choice([0, 1, 3.5, 20]) for rung in scope["ladder"] if rng.random() < 0.8}
    return scope


def draw_policy(rng: Random, rules: frozenset[str], jobs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a policy; a table of weights lists every priority."""
    policy: dict[str, Any] = {}
    if "weights" in rules:
        table = {str(job["priority"]): rng.choice([0, 1, 1, 2.5, 8]) for job in jobs}
        policy["weights"] = rng.choice(["value", "rank", "uniform", "tiered", "tiered", {"table": table}])
    if "priced" in rules and policy.get("weights") != "tiered":
        policy["relaxation"] = "priced"
    if "budgets" in rules:
        policy["budgets"] = rng.choice(["hard", "soft"])
    if "extra" in rules:
        policy["extra_pods"] = rng.choice(["free-only", "evict"])
    if "limits" in rules:
        policy["min_running_seconds"] = rng.choice([0, 0, 0, 30, 60.5])
        policy["max_victims"] = rng.choice([None, None, None, 0, 1, 2, 3, 3])
        policy["protected_labels"] = rng.choice([{}, {}, {}, {"keep": "yes"}])
    return policy
