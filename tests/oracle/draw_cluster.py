"""Random machines with odd sockets, crossing bridges and overlapping blocks, and nodes in racks of equal names."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random
from typing import Any

MODELS = ("H100", "A100")


def draw_machines(rng: Random, rules: frozenset[str], levels: list[str]) -> dict[str, Any]:
    """Return one or two machines of 2 to 5 slots, now and then one without any."""
    machines = {}
    for name in ("big", "odd")[: rng.choice([1, 1, 2])]:
        gpus = rng.choice([2, 3, 4, 4, 4, 5])
        if "cpu-only" in rules and name == "odd" and rng.random() < 0.3:
            gpus = 0
        machines[name] = _machine(rng, rules, levels, gpus)
    return machines


def _machine(rng: Random, rules: frozenset[str], levels: list[str], gpus: int) -> dict[str, Any]:
    machine: dict[str, Any] = {"gpus": gpus, "domains": {}}
    for level in levels[levels.index("node") + 1 :]:
        if rng.random() < 0.85:
            machine["domains"][level] = _partition(rng, gpus)
    if "models" in rules:
        machine["gpu_model"] = rng.choice([MODELS[0], [rng.choice(MODELS) for _ in range(gpus)]])
    if "links" in rules:
        machine |= _links(rng, gpus)
    if "blocks" in rules:
        sizes = [size for size in (1, 2, 2, 3, 4) if size <= gpus]
        machine["blocks"] = [sorted(rng.sample(range(gpus), rng.choice(sizes))) for _ in range(4)] if sizes else []
    if rules & {"resources", "cpu-only"}:
        machine["resources"] = {"cpus": rng.choice([4, 8, 8, 12]), "memory_gib": rng.choice([8, 16, 16])}
        if rng.random() < 0.3:
            machine["resources"]["pods"] = rng.randint(1, 5)
    if "alignment" in rules:
        machine |= _alignment(rng, levels, machine)
    return machine


def _partition(rng: Random, gpus: int) -> dict[str, list[int]]:
    slots = list(range(gpus))
    if rng.random() < 0.3:
        rng.shuffle(slots)
    first = rng.choice([1, max(1, gpus // 2), max(1, gpus - 1)])
    parts = [slots[:first], slots[first:]]
    if len(parts[1]) > 2 and rng.random() < 0.3:
        parts[1:] = [parts[1][:1], parts[1][1:]]
    if rng.random() < 0.15:
        parts.append([])
    return {f"d{number}": part for number, part in enumerate(parts) if part or number > 1 or gpus == 0}


def _links(rng: Random, gpus: int) -> dict[str, Any]:
    """Bridge pairs in any order, a ring with a chord, or any graph; now and then a switch."""
    if rng.random() < 0.1:
        return {"fully_linked": True}
    slots = list(range(gpus))
    rng.shuffle(slots)
    kind = rng.choice(["bridges", "ring", "any"])
    if kind == "bridges":
        pairs = list(zip(slots[::2], slots[1::2], strict=False))
    elif kind == "ring" and gpus > 2:
        pairs = [*pairwise(slots), (slots[-1], slots[0])] + ([(slots[0], slots[2])] * (gpus > 3))
    else:
        pairs = [pair for pair in combinations(slots, 2) if rng.random() < 0.5]
    links = [
        {"gpus": list(pair), "kind": rng.choice(["nvlink", "nvlink", "pix"]), "count": rng.choice([1, 1, 2])}
        for pair in pairs
    ]
    return {"links": links}


def _alignment(rng: Random, levels: list[str], machine: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "topology_policy": rng.choice(["restricted", "restricted", "restricted", "single-numa-node", "none"])
    }
    level = next((name for name in ("numa", "tile", "pcie") if name in levels), None)
    if level in machine["domains"] and rng.random() < 0.8:
        parts = {name: rng.choice([3, 4, 6, 8]) for name in machine["domains"][level]}
        found["domain_resources"] = {level: {name: {"cpus": amount} for name, amount in parts.items()}}
        found["resources"] = machine.get("resources", {}) | {"cpus": sum(parts.values()), "memory_gib": 16}
    return found


def draw_nodes(rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one to four nodes with at most 10 slots together; where wide is a rule up to eight with 18."""
    most = rng.choice([1, 2, 2, 3]) if not rules & {"racks", "gang", "slices"} else rng.choice([2, 3, 3, 4])
    slots = 10
    if "wide" in rules:
        most, slots = rng.choice([4, 5, 6, 8]), 18
    nodes: list[dict[str, Any]] = []
    for number in range(most):
        machine = rng.choice(sorted(machines))
        gpus = machines[machine]["gpus"]
        if sum(machines[node["machine"]]["gpus"] for node in nodes) + gpus > slots:
            break
        node: dict[str, Any] = {"name": f"n{number}", "machine": machine, "within": _within(rng, levels)}
        if "labels" in rules:
            node["labels"] = {"pool": rng.choice(["a", "a", "b"])}
        if "offline" in rules and gpus and rng.random() < 0.5:
            node["offline_slots"] = [rng.randrange(gpus)]
        if "cordoned" in rules and rng.random() < 0.25:
            node["cordoned"] = True
        nodes.append(node)
    return nodes


def _within(rng: Random, levels: list[str]) -> dict[str, str]:
    above = levels[: levels.index("node")]
    return {level: f"{level[0]}{rng.choice([1, 1, 2])}" for level in above if rng.random() < 0.9}
