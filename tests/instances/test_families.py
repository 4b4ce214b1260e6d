"""The hard families keep to the facts they are drawn from."""

from __future__ import annotations

from collections import Counter

import pytest

from topreempt import solve_preemption
from topreempt.instances.generators import SCENARIOS, nvl72, openb, philly_small, seren, spot

FAMILIES = (openb, spot, philly_small, nvl72, seren)


@pytest.mark.parametrize("name", ["openb", "spot", "philly-small", "nvl72", "seren"])
def test_most_decisions_of_a_family_have_an_answer_and_cost_something(name: str) -> None:
    plans = [solve_preemption(SCENARIOS[name](5, index), time_limit=20.0) for index in range(8)]
    assert all(plan.status in ("optimal", "infeasible") for plan in plans)
    assert sum(plan.cost.weighted_work > 0 for plan in plans) >= 4


@pytest.mark.parametrize("make", FAMILIES)
def test_origin_says_how_to_make_it_again(make) -> None:
    origin = make(7, 2).origin
    assert SCENARIOS[origin.family](origin.seed, origin.index) == make(7, 2)


@pytest.mark.parametrize("make", FAMILIES)
def test_one_node_is_enough(make) -> None:
    assert len(make(0, 3, nodes=2, fill=0.5).cluster.nodes) == 2


def test_openb_shares_cards_and_protects_what_is_latency_sensitive() -> None:
    instance = openb(0, nodes=200)
    pods = [pod for job in instance.jobs for pod in job.pods]
    shared = sum(pod.share < 1 for pod in pods) / len(pods)
    assert 0.35 < shared < 0.6  # 43.6 % of the trace's GPU pods
    protected = sum(job.priority >= instance.request.priority for job in instance.jobs) / len(instance.jobs)
    assert 0.5 < protected < 0.64  # 56.8 % + 0.1 %
    assert {node.machine for node in instance.cluster.nodes} >= {"G2x8-96", "T4x2-104"}


def test_spot_jobs_are_a_quarter() -> None:
    jobs = [job for seed in range(8) for job in spot(seed).jobs]
    share = sum(job.priority == 10 for job in jobs) / len(jobs)
    assert 0.2 < share < 0.32
    assert {job.priority for job in jobs} == {10, 100}


def test_philly_is_mostly_single_cards_on_irregular_machines() -> None:
    instance = philly_small(0)
    sizes = Counter(len(pod.slots or ()) for job in instance.jobs for pod in job.pods)
    assert sizes[1] > 0.7 * sizes.total()
    assert {node.machine for node in instance.cluster.nodes} == {
        "h100-pcie8-irregular",
        "rccl-4p3l-2h",
        "pcie8-nv12-pairs",
    }


def test_an_nvl72_rack_has_18_trays_of_4() -> None:
    instance = nvl72(0)
    racks = Counter(node.within["rack"] for node in instance.cluster.nodes)
    assert set(racks.values()) == {18}
    assert {instance.shape(node.name).gpus for node in instance.cluster.nodes} == {4}


def test_pretraining_holds_most_of_seren() -> None:
    held: Counter[str] = Counter()
    for seed in range(8):
        for job in seren(seed).jobs:
            held[job.name.split("-")[0]] += sum(len(pod.slots or ()) for pod in job.pods)
    assert held["pretrain"] > 0.5 * held.total()  # 69.5 % of the GPU time; the last job is cut short
