"""Snapshots changed step by step against fresh compiles of the changed instance."""

from __future__ import annotations

import random
from dataclasses import fields

import numpy as np
import pytest
from oracle.draw import instance_of_seed

from topreempt import InstanceError, solve_preemption
from topreempt.models.jobs import Job
from topreempt.solver.exact.ledger import Ledger
from topreempt.solver.exact.snapshot import Snapshot, compile_snapshot

ALL_AT_ONCE = ("slot_first_hold", "node_first_pod", "job_first_unit", "unit_first_pod", "unknown_pods", "leaving_share")


def assert_same(stepped: Snapshot) -> None:
    fresh = compile_snapshot(stepped.instance)
    for column in fields(Ledger):
        one, other = getattr(stepped, column.name), getattr(fresh, column.name)
        if column.name == "lost_step":
            assert not any(lost % one for lost in fresh.unit_lost)
        else:
            np.testing.assert_array_equal(one, other, err_msg=column.name)
    for name in ALL_AT_ONCE:
        np.testing.assert_equal(getattr(stepped, name), getattr(fresh, name), err_msg=name)
    for level in stepped.instance.cluster.levels:
        np.testing.assert_array_equal(stepped.whole_domains(level), fresh.whole_domains(level))
    for resource in ("cpus", "pods"):
        one, other = stepped.counted(resource), fresh.counted(resource)
        np.testing.assert_array_equal(one.held * one.unit, other.held * other.unit)


def step(snapshot: Snapshot, rng: random.Random) -> Snapshot:
    jobs = list(snapshot.jobs)
    kind = rng.choice(["evict", "finish", "restart", "part"])
    if not jobs:
        return snapshot
    job: Job = rng.choice(jobs)
    if kind == "evict":
        return snapshot.evict(job.name)
    if kind == "finish":
        return snapshot.finish(job.name)
    if kind == "part":
        return snapshot.evict(job.name, {rng.choice(job.pods).name})
    renamed = job.model_copy(update={"name": rng.choice(["a-first", "j1-new", "z-last"])})
    return snapshot.finish(job.name).start(renamed)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_steps_equal_a_fresh_compile(first: int) -> None:
    for seed in range(first, first + 50):
        rng = random.Random(seed)
        snapshot = compile_snapshot(instance_of_seed(seed))
        for _ in range(4):
            try:
                snapshot = step(snapshot, rng)
            except InstanceError as error:
                assert "no other has" in str(error)
            assert_same(snapshot)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_an_applied_plan_leaves_the_state_of_the_changed_instance(first: int) -> None:
    applied = 0
    for seed in range(first, first + 100):
        snapshot = compile_snapshot(instance_of_seed(seed))
        plan = solve_preemption(snapshot)
        if plan.status != "optimal":
            with pytest.raises(InstanceError, match="places the request"):
                snapshot.apply(plan)
            continue
        after = snapshot.apply(plan)
        applied += 1
        assert_same(after)
        assert snapshot.instance.request.name in after.instance.jobs_by_name
        assert not plan.evicted & after.instance.pods_by_name.keys()
        again = after.instance.request.model_copy(update={"name": "another", "priority": plan_priority(after)})
        policy = after.instance.policy.model_copy(update={"weights": "uniform"})
        one = solve_preemption(after, again, policy=policy)
        assert one == solve_preemption(after.instance.asking(again, policy))
    assert applied > 20


def plan_priority(snapshot: Snapshot) -> int:
    return max((job.priority for job in snapshot.jobs), default=0) + 1


def with_jobs() -> Snapshot:
    return next(s for s in (compile_snapshot(instance_of_seed(seed)) for seed in range(20)) if len(s.jobs) > 2)


def test_the_state_before_is_not_changed() -> None:
    snapshot = with_jobs()
    names, holds = snapshot.job_names.tolist(), snapshot.hold_slot.copy()
    snapshot.evict(names[0])
    assert snapshot.job_names.tolist() == names
    np.testing.assert_array_equal(snapshot.hold_slot, holds)


def test_unknown_names_are_refused() -> None:
    snapshot = with_jobs()
    with pytest.raises(InstanceError, match="nobody"):
        snapshot.finish("nobody")
    job = snapshot.jobs[0]
    with pytest.raises(InstanceError, match="nobody"):
        snapshot.evict(job.name, {"nobody"})
    with pytest.raises(InstanceError, match="no other has"):
        snapshot.start(job)
