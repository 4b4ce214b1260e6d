"""Reviews of plans against the brute force: whether the request starts, and which victims it starts without."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from builders import drawn
from documented import plan_evicting
from oracle.brute import best_for_victims
from oracle.victims import evictable_jobs, ways_to_evict
from probing import SECONDS, chunks, decision_of, drawn_instance, name

from topreempt.models import Instance
from topreempt.models.review import Review
from topreempt.solver import solve_preemption
from topreempt.solver.explain import Ask, review_plan
from topreempt.solver.explain.after import only_these

NORMAL, LONG = 400, 4_000
QUICK = Ask(alternatives=0, victims=False, causes=False, time_limit=SECONDS)


def some_victims(seed: int, instance: Instance) -> set[str]:
    """A random permitted way to evict for some of the jobs."""
    rng = Random(seed)
    gone: set[str] = set()
    for job in evictable_jobs(instance):
        if rng.random() < 0.6:
            gone |= rng.choice(ways_to_evict(job))
    return gone


def rank(instance: Instance, rungs: dict[str, str] | None) -> list[int]:
    decision = decision_of(instance)
    return [] if rungs is None else [decision.ladder(scope).index(rungs[scope]) for scope in ("pod", "slice", "gang")]


def faults(seed: int) -> list[str]:
    instance = drawn_instance(seed)
    gone = some_victims(seed, instance)
    review = review_plan(instance, plan_evicting(instance, gone), QUICK)
    with_all = best_for_victims(instance, frozenset(gone))
    if review.starts is not (with_all.status == "optimal"):
        return [f"evicting {sorted(gone)}: starts {review.starts}, brute force {with_all}"]
    if not review.starts:
        return [] if review.blocked_by or not gone else [f"evicting {sorted(gone)}: no reason why it does not start"]
    found = []
    enough = best_for_victims(instance, frozenset(review.enough))
    if enough.status != "optimal" or rank(instance, enough.rungs) > rank(instance, with_all.rungs):
        found.append(f"of {sorted(gone)} {review.enough} is not enough: {enough}")
    needless = {pod for each in review.needless for pod in each.pods}
    if needless | set(review.enough) != gone or needless & set(review.enough):
        found.append(f"{sorted(gone)} is not {sorted(needless)} and {review.enough}")
    for job in instance.jobs:
        rest = set(review.enough) - {pod.name for pod in job.pods}
        fewer = best_for_victims(instance, frozenset(rest))
        as_good = fewer.status == "optimal" and rank(instance, fewer.rungs) <= rank(instance, with_all.rungs)
        as_good &= fewer.placed >= enough.placed and instance.policy.relaxation != "priced"
        if len(rest) < len(review.enough) and as_good:
            found.append(f"{job.name} is needless too")
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_reviews_are_true(seeds: range) -> None:
    assert {seed: wrong for seed in seeds if (wrong := faults(seed))} == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_many_more_reviews_are_true(seeds: range) -> None:
    assert {seed: wrong for seed in seeds if (wrong := faults(seed))} == {}


def test_all_outcomes_occur() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(150):
        instance = drawn_instance(seed)
        review = review_plan(instance, plan_evicting(instance, some_victims(seed, instance)), QUICK)
        kinds[f"starts {review.starts}"] += 1
        kinds["needless"] += bool(review.needless)
    assert min(kinds.values()) >= 15
    assert set(kinds) == {"starts True", "starts False", "needless"}


def reviewed(instance: Instance, *pods: str) -> Review:
    return review_plan(instance, plan_evicting(instance, set(pods)), Ask(time_limit=SECONDS))


def test_a_needless_victim_by_hand() -> None:
    # Two GPUs are asked, one is free: a or b would do. Both went; b loses 20, a 50.
    jobs = {"a": {"lost_gpu_seconds": 50}, "b": {"lost_gpu_seconds": 20}}
    review = reviewed(drawn({"n": "ab."}, jobs, request=2), "a@n", "b@n")
    assert review.starts
    assert review.enough == ("b@n",)
    assert [(each.job, each.pods, each.lost_gpu_seconds, each.weighted_cost) for each in review.needless] == [
        ("a", ("a@n",), 50.0, 50.0)
    ]
    assert (review.cost, review.least_cost, review.excess) == (70.0, 20.0, 50.0)
    assert review.findings == (
        "request starts once these pods are gone (proved)",
        "1 pod of 2 need not go (proved): a; 50 GPU-s lost in vain, cost 50",
        "it costs 70; the cheapest plan costs 20, 50 less",
    )


def test_an_eviction_in_vain_by_hand() -> None:
    review = reviewed(drawn({"n": "a|b"}, {"a": 1, "b": 1}, request={"gpus": 2, "pod": "node"}), "a@n")
    assert review.starts is False
    assert [(reason.scope, str(reason.code)) for reason in review.blocked_by] == [("node n", "spared")]
    assert review.findings[0] == (
        "request does not start once these pods are gone (proved) (node n: 1 of 2 slots is held by jobs that stay: b; "
        "1 can be free, a pod needs 2)"
    )
    assert review.findings[-1] == "the cheapest plan that lets it start costs 2 and evicts 2 pods"


def test_part_of_a_rigid_job_counts_as_gone() -> None:
    # A baseline may kill one pod of a gang: the GPU is free, and the rule that is broken is named.
    pods = [{"name": "a-0", "node": "n", "slots": [0]}, {"name": "a-1", "node": "m", "slots": [0]}]
    review = reviewed(
        drawn({"n": ".", "m": "."}, {"a": {"pods": pods}}, request=1, node_fields={"m": {"cordoned": True}}), "a-0"
    )
    assert review.starts
    assert "whole-job" in {broken.rule for broken in review.broken_rules}


def test_victims_whom_nobody_may_evict_count_as_gone_too() -> None:
    review = reviewed(drawn({"n": "a"}, {"a": 200}, request=1), "a@n")
    assert review.starts
    assert "protected-job" in {broken.rule for broken in review.broken_rules}
    assert "no permitted eviction lets the request start" in review.findings


def test_our_own_plan_has_nothing_needless() -> None:
    instance = drawn({"n": "ab|c."}, {"a": 1, "b": 2, "c": 9}, request={"gpus": 2, "pod": "numa"})
    plan = solve_preemption(instance)
    review = review_plan(instance, plan, Ask(time_limit=SECONDS))
    assert (review.starts, review.needless, review.broken_rules, review.excess) == (True, (), (), 0.0)
    assert review.findings[-1] == "it costs 3; no plan costs less"
    assert all(len(victim.facts) == 2 for victim in review.victims)


def test_a_missed_plan_and_a_right_refusal() -> None:
    fits = drawn({"n": "a"}, {"a": 1}, request=1)
    missed = solve_preemption(drawn({"n": "a"}, {"a": 200}, request=1))
    assert review_plan(fits, missed, QUICK).findings[-1] == "there is a plan for 1 that evicts 1 pod"
    cannot = drawn({"n": "a"}, {"a": 200}, request=1)
    assert review_plan(cannot, missed, QUICK).findings == (
        "there is no plan: no permitted eviction lets the request start",
    )


def test_weights_of_a_table_need_not_know_the_victims() -> None:
    instance = drawn({"n": "a"}, {"a": 200}, request=1, policy={"weights": {"table": {"200": 2}}})
    assert only_these(instance, {"a@n"}).jobs[0].priority == 99
    assert reviewed(instance, "a@n").starts
