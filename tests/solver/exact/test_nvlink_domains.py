"""Slices in NVLink domains of 72 GPUs: a full zone of eight is decided with proof."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from topreempt.models import Instance, Plan
from topreempt.solver import solve_preemption

TRAYS, GPUS, DOMAINS = 18, 4, 8


def full_cluster(seed: int, zones: int = 1, *, scattered: bool = False) -> Instance:
    """Zones of 8 NVLink domains of 18 trays of 4 GPUs, every GPU busy with work of lower priority."""
    rng = Random(seed)
    places = [
        (f"z{z}", f"d{d}", f"z{z}-d{d}-t{t:02}") for z, d, t in product(range(zones), range(DOMAINS), range(TRAYS))
    ]
    names = [name for _, _, name in places]
    trays = [{"name": name, "machine": "tray", "within": {"zone": z, "nvlink": d}} for z, d, name in places]
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {
                "levels": ["zone", "nvlink", "node"],
                "machines": {"tray": {"gpus": GPUS, "gpu_model": "GB200", "fully_linked": True}},
                "nodes": trays,
            },
            "jobs": list(_jobs(rng, rng.sample(names, len(names)) if scattered else names)),
            "request": {
                "name": "train",
                "priority": 100,
                "pods": 8,
                "gpus": GPUS,
                "affinity": {"slice": {"island": "nvlink", "size": 4}, "gang": {"island": "zone"}},
            },
        }
    )


def _jobs(rng: Random, trays: list[str]) -> Any:
    """Gangs of whole trays, side by side in the order given, and trays shared by small jobs."""
    at = 0
    while at < len(trays):
        size = min(rng.choice([1, 1, 1, 2, 2, 4, 6, 9]), len(trays) - at)
        if size == 1:
            for first, last in ((0, 1), (1, 2), (2, 4)):
                yield _job(rng, f"small-{trays[at]}-{first}", [(trays[at], list(range(first, last)))])
        else:
            yield _job(rng, f"gang-{trays[at]}", [(tray, list(range(GPUS))) for tray in trays[at : at + size]])
        at += size


def _job(rng: Random, name: str, held: list[tuple[str, list[int]]]) -> dict[str, Any]:
    return {
        "name": name,
        "priority": rng.choice([1, 5, 10, 50]),
        "unsaved_seconds": rng.randint(60, 7200),
        "pods": [{"name": f"{name}-{i}", "node": tray, "slots": slots} for i, (tray, slots) in enumerate(held)],
    }


def check(instance: Instance, plan: Plan) -> None:
    assert plan.status == "optimal"
    assert len(plan.placements) == 8
    within = {node.name: node.within for node in instance.cluster.nodes}
    assert len({within[placed.node]["zone"] for placed in plan.placements}) == 1
    domains = [(within[placed.node]["zone"], within[placed.node]["nvlink"]) for placed in plan.placements]
    assert all(domains.count(domain) % 4 == 0 for domain in domains)
    assert len({placed.node for placed in plan.placements}) == 8
    assert plan.victims
    assert plan.cost.bound == pytest.approx(plan.cost.weighted_work)


@pytest.mark.parametrize("scattered", [False, True], ids=["side by side", "scattered"])
@pytest.mark.parametrize("zones", [1, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_gang_in_slices_takes_a_full_zone_with_proof(seed: int, zones: int, scattered: bool) -> None:
    instance = full_cluster(seed, zones, scattered=scattered)
    check(instance, solve_preemption(instance, time_limit=60.0))
