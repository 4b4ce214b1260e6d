"""Random running work: jobs whose pods fill slots, budgets, reservations."""

from __future__ import annotations

from random import Random
from typing import Any

LOW = (1, 2, 3, 5, 9)
HIGH = (10, 12)
REQUEST_PRIORITY = 10
SHARES = (0.25, 0.5, 0.5, 0.3, 1.0)


def draw_jobs(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], nodes: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return up to six jobs (wide: ten) and the budgets that they belong to."""
    room = {node["name"]: dict.fromkeys(range(machines[node["machine"]]["gpus"]), 100) for node in nodes}
    budgets = []
    if "budgets" in rules:
        budgets = [{"name": name, "max_evictions": rng.choice([0, 1, 1, 2])} for name in ("team-a", "team-b")]
    jobs = []
    protected = rng.choice([0.05, 0.1, 0.3])
    for number in range(rng.choice([8, 9, 10]) if "wide" in rules else rng.choice([4, 6, 6, 6])):
        name = f"j{number}"
        pods = _pods(rng, rules, levels, machines, nodes, room, name)
        if pods:
            jobs.append(_job(rng, rules, name, pods, protected, budgets))
    return jobs, budgets


def _job(
    rng: Random, rules: frozenset[str], name: str, pods: list[dict[str, Any]], protected: float, budgets: list[Any]
) -> dict[str, Any]:
    high = rng.random() < protected
    job: dict[str, Any] = {"name": name, "priority": rng.choice(HIGH if high else LOW), "pods": pods}
    if "priorities" in rules:
        job["priority"] = rng.choice([11, 10**9, 10**12] if high else [-(10**12), -3, -1, 0, 1, 4])
    job["unsaved_seconds"] = rng.choice([0, 1, 2, 3, 4, 7, 20])
    if "loss" in rules:
        job |= _loss(rng, pods)
    if "elastic" in rules and rng.random() < 0.6:
        job["min_available"] = rng.randint(0, len(pods))
    if "terminating" in rules and rng.random() < 0.3:
        job["state"] = "terminating"
    if budgets and rng.random() < 0.7:
        job["budget"] = rng.choice(budgets)["name"]
    if "limits" in rules:
        job["preemptible"] = rng.random() < 0.9
        job["running_seconds"] = rng.choice([0, 30, 60, 100])
        job["labels"] = rng.choice([{}, {"keep": "yes"}, {"keep": "no"}])
    return job


def _loss(rng: Random, pods: list[dict[str, Any]]) -> dict[str, Any]:
    job: dict[str, Any] = {
        "restart_seconds": rng.choice([0, 1, 2.5]),
        "checkpoint_seconds": rng.choice([None, 1, 5]),
        "grace_seconds": rng.choice([None, 1, 3, 30]),
        "running_seconds": rng.choice([None, 3, 10.25]),
        "unsaved_seconds": rng.choice([None, 0, 2, 6.125]),
    }
    if rng.random() < 0.3:
        job["lost_gpu_seconds"] = rng.choice([0, 1, 10, 7.000001])
    for pod in pods:
        if rng.random() < 0.15:
            pod["lost_gpu_seconds"] = rng.choice([0, 2, 3.5])
    return job


def _pods(
    rng: Random, rules: frozenset[str], levels: list[str], machines: dict[str, Any], nodes: list[dict[str, Any]],
    room: dict[str, dict[int, int]], name: str,
) -> list[dict[str, Any]]:  # fmt: skip
    count = rng.choice([1, 1, 2, 3]) if rules & {"elastic", "spread", "gang"} else 1
    home = rng.choice(nodes)
    pods = []
    for number in range(count):
        node = rng.choice(nodes) if "spread" in rules else home
        machine = machines[node["machine"]]
        pod: dict[str, Any] = {"name": f"{name}-{number}", "node": node["name"]}
        if not ("cpu-only" in rules and rng.random() < 0.3):
            held = _hold(rng, rules, levels, machine, room[node["name"]])
            if held is None:
                continue
            pod |= held
        elif "resources" not in machine:
            continue
        if "resources" in machine and (rng.random() < 0.7 or "slots" not in pod):
            pod["resources"] = {"cpus": rng.choice([1, 2, 3]), "memory_gib": rng.choice([0, 2, 4.5])}
            if rng.random() < 0.1:
                pod["resources"]["pods"] = 1
            pod |= _where(rng, rules, machine, pod)
        pods.append(pod)
    return pods


def _hold(
    rng: Random, rules: frozenset[str], levels: list[str], machine: dict[str, Any], room: dict[int, int]
) -> dict[str, Any] | None:
    """Slots of one size of share, taken from the room; unknown to the instance now and then."""
    share = rng.choice(SHARES) if "shares" in rules else 1.0
    fit = [slot for slot, left in room.items() if left >= round(share * 100)]
    if not fit:
        return None
    slots = sorted(rng.sample(fit, min(len(fit), rng.choice([1, 2, 2, 3]))))
    if "unknown" in rules and rng.random() < 0.5:
        whole = [slot for slot in fit if room[slot] == 100][: len(slots)]
        if not whole:
            return None
        for slot in whole:
            room[slot] = 0
        held: dict[str, Any] = {"gpus": len(whole)}
        homes = [
            (level, name)
            for level, domains in machine["domains"].items()
            for name, members in domains.items()
            if set(whole) <= set(members)
        ]
        if homes and rng.random() < 0.2:
            held["within"] = dict([rng.choice(homes)])
        return held
    for slot in slots:
        room[slot] -= round(share * 100)
    return {"slots": slots, "share": share}


def _where(rng: Random, rules: frozenset[str], machine: dict[str, Any], pod: dict[str, Any]) -> dict[str, Any]:
    if "alignment" not in rules or rng.random() < 0.6:
        return {}
    for level, domains in machine.get("domain_resources", {}).items():
        return {"domain_resources": {level: {rng.choice(sorted(domains)): {"cpus": pod["resources"]["cpus"]}}}}
    return {}


def draw_reservations(
    rng: Random, rules: frozenset[str], machines: dict[str, Any], nodes: list[dict[str, Any]], request: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return up to three reservations: by slots or by number, of the request itself, of lower or higher priority."""
    found = []
    for _ in range(rng.choice([1, 1, 2, 3]) if "reservations" in rules else 0):
        node = rng.choice(nodes)
        gpus = machines[node["machine"]]["gpus"]
        if gpus:
            room: dict[str, Any] = {"gpus": rng.choice([1, 1, min(2, gpus)])}
            if rng.random() < 0.6:
                room = {"slots": rng.sample(range(gpus), rng.choice([1, min(2, gpus)]))}
            owner = rng.choice(["other", "third", request["name"]])
            priority = request["priority"] + rng.choice([-5, -1, -1, 0, 4])
            found.append({"owner": owner, "priority": priority, "node": node["name"], **room})
    return found
