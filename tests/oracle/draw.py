"""Random tiny instances, reproducible by seed: any set of the problem's rules, on irregular machines."""

from __future__ import annotations

from random import Random

from topreempt.models import Instance

from .draw_cluster import draw_machines, draw_nodes
from .draw_jobs import draw_jobs, draw_reservations
from .draw_request import draw_policy, draw_request

RULES = (
    "wide",
    "levels",
    "racks",
    "links",
    "blocks",
    "shares",
    "models",
    "offline",
    "cordoned",
    "labels",
    "resources",
    "elastic",
    "spread",
    "cpu-only",
    "gang",
    "slices",
    "best-effort",
    "priced",
    "weights",
    "loss",
    "priorities",
    "terminating",
    "budgets",
    "reservations",
    "extra",
    "limits",
    "unknown",
    "alignment",
)
"""What an instance may contain besides nodes, rigid one-pod jobs and a request for whole GPUs of one island."""


def random_instance(rng: Random, rules: frozenset[str] = frozenset(RULES)) -> Instance:
    """Return a random instance with at most 10 slots (wide: 18), 6 jobs (wide: 10) and 4 request pods (wide: 6).

    Parameters
    ----------
    rng : Random
        Its state decides everything.
    rules : frozenset of str
        Rules of `RULES` that the instance may use; of many only some are used, lest nothing fits any more.
    """
    rules = frozenset(rule for rule in sorted(rules) if rng.random() * len(rules) < 8)
    levels = draw_levels(rng, rules)
    machines = draw_machines(rng, rules, levels)
    nodes = draw_nodes(rng, rules, levels, machines)
    jobs, budgets = draw_jobs(rng, rules, levels, machines, nodes)
    request = draw_request(rng, rules, levels, machines, nodes)
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {"levels": levels, "machines": machines, "nodes": nodes},
            "jobs": jobs,
            "budgets": budgets,
            "reservations": draw_reservations(rng, rules, machines, nodes, request),
            "request": request,
            "policy": draw_policy(rng, rules, jobs),
        }
    )


def some_rules(rng: Random) -> frozenset[str]:
    """Return one rule alone, a few together, or all, so that each is met alone and in company."""
    size = rng.choice([1, 2, 3, 5, 8, len(RULES)])
    return frozenset(rng.sample(RULES, size))


def instance_of_seed(seed: int) -> Instance:
    """Return the instance of a seed, over rules that the seed also chooses."""
    rng = Random(seed)
    return random_instance(rng, some_rules(rng))


def draw_levels(rng: Random, rules: frozenset[str]) -> list[str]:
    """Return the names of the levels, broadest first."""
    above = rng.choice([["rack"], ["zone", "rack"]]) if "racks" in rules else []
    below: list[str] = []
    if "levels" in rules:
        below = rng.choice([["numa"], ["socket", "numa"], ["socket", "pcie"], ["numa", "pcie"]])
    if "alignment" in rules and not below:
        below = [rng.choice(["numa", "numa", "tile"])]
    return [*above, "node", *below]
