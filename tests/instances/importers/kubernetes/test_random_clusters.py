"""Clusters without contradictions always import, and what is held, offline and free adds up."""

import random
from collections import Counter

import pytest
from kubectl import GPU, gpu, imported, node, nrt, offered, pod, rules, thing, zone

from topreempt import solve_preemption
from topreempt.models.check import violations


def cluster(random_: random.Random) -> tuple[list[dict], Counter[str]]:
    items: list[dict] = []
    free: Counter[str] = Counter()
    pods = 0
    for number in range(random_.randint(1, 4)):
        name = f"n{number}"
        kind = random_.choice(("plain", "zones", "slices", "shared"))
        gpus = random_.randint(1, 8)
        labels = {"topology.kubernetes.io/zone": random_.choice("ab"), "rack": random_.choice("xy")}
        claims: list[dict] = []
        broken = random_.choice((0, 0, 1)) if gpus > 1 else 0
        if kind == "slices":
            broken = 0
            items.append(node(name, 0, labels=labels))
            items.append(offered(name, *(gpu(n, random_.choice((0, 1, None))) for n in range(gpus))))
        elif kind == "shared":
            broken = 0
            items.append(node(name, 4 * gpus, labels=labels | {"nvidia.com/gpu.replicas": "4"}))
        else:
            amounts = {GPU: str(gpus), "cpu": "64", "pods": "20"}
            offer = amounts | {GPU: str(gpus - broken)}
            items.append(node(name, gpus, labels=labels, capacity=amounts, allocatable=offer))
        if kind == "zones":
            first = random_.randint(0, gpus)
            policy = random_.choice(("none", "best-effort", "restricted", "single-numa-node"))
            parts = [first, gpus - first]
            usable = list(parts)
            usable[0 if parts[0] >= broken else 1] -= broken
            zones = [zone(n, parts[n], usable[n], cpu="32", memory="64Gi") for n in range(2)]
            items.append(nrt(name, *zones, policy=policy))
        left = [f"gpu-{n}" for n in range(gpus)]
        random_.shuffle(left)
        while len(left) > broken and random_.random() < 0.8:
            held = min(random_.choice((1, 1, 2, 4)), len(left) - broken)
            taken, left = left[:held], left[held:]
            more: dict = {"priority": random_.choice((0, 5, 9)), "cpu": random_.choice((None, "1", "2500m"))}
            if random_.random() < 0.5:
                more["owner"] = ("Job", f"j{random_.randint(0, 3)}")
            if random_.random() < 0.2:
                more["meta"] = {"deletionTimestamp": "2026-03-01T12:00:00Z"}
            key = f"p{pods:02}"
            pods += 1
            if kind == "slices":
                results = [{"request": "r", "driver": "gpu.nvidia.com", "pool": name, "device": d} for d in taken]
                status = {"allocation": {"devices": {"results": results}}}
                claims.append(thing("ResourceClaim", "resource.k8s.io/v1", key, "default", status=status))
                more["resourceClaims"] = [{"name": "c", "resourceClaimName": key}]
            items.append(pod(key, name, 0 if kind == "slices" else held * (4 if kind == "shared" else 1), **more))
        items += claims
        free[name] = len(left) - broken
    items.append(pod("wanted", None, random_.randint(1, 4), priority=random_.choice((1, 10))))
    random_.shuffle(items)
    return items, free


@pytest.mark.parametrize("seed", range(120))
def test_everything_adds_up(seed: int) -> None:
    items, free = cluster(random.Random(f"cluster {seed}"))
    instance = imported(*items).instance
    held: Counter[str] = Counter()
    for job in instance.jobs:
        for found in job.pods:
            held[found.node] += round(found.share * 10**6) * (len(found.slots or ()) + (found.gpus or 0))
    for found in instance.cluster.nodes:
        gpus = instance.shape(found.name).gpus
        # Shares are rounded down to millionths, so that they fit.
        left = (gpus - len(found.offline_slots) - free[found.name]) * 10**6 - held[found.name]
        assert 0 <= left <= 30


@pytest.mark.parametrize("seed", range(12))
def test_plans_of_imported_clusters_hold(seed: int) -> None:
    items, _ = cluster(random.Random(f"plan {seed}"))
    instance = imported(*items).instance
    plan = solve_preemption(instance, time_limit=5)
    assert plan.status in ("optimal", "infeasible")
    assert violations(instance, plan) == []


@pytest.mark.parametrize(("held", "evicted"), [(1, set()), (2, {"default/p"})])
def test_known_machines_take_part(held: int, evicted: set[str]) -> None:
    # Two NUMA nodes of four: one GPU somewhere leaves one of them whole, two may sit in both.
    wanted = pod("wanted", None, 4, priority=5, annotations={"topreempt/island": "numa"})
    plan = solve_preemption(imported(node("a", 8), pod("p", "a", held), wanted, machines=rules(a="dgx-h100")).instance)
    assert (plan.status, set(plan.evicted), plan.placements[0].level) == ("optimal", evicted, "numa")
