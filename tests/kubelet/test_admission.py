"""What the kubelet says to the engine's plans: always yes; and how often no, had the engine not known its rule.

2,000 random nodes in the normal run, 20,000 others in the long profile. To see the numbers:

    python -m pytest tests/kubelet/test_admission.py -s
    python -m pytest tests/kubelet/test_admission.py -s -m long
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy

import pytest
from kubelet.draw_nodes import Drawn

from topreempt.models import Plan
from topreempt.solver import solve_preemption

NORMAL = 2_000
LONG = 20_000
TIME_LIMIT = 60.0


def refused(truth: Drawn, plan: Plan) -> list[int]:
    """End the plan's victims, start its pods one after another, and return those that their node does not admit."""
    drawn = deepcopy(truth)
    for victim in plan.victims:
        for pod in victim.pods:
            drawn.kubelet_of(pod).remove(pod)
    return [p.pod for p in plan.placements if not drawn.kubelets[p.node].admit(f"request-{p.pod}", drawn.asked)]


def evict_all(drawn: Drawn) -> None:
    request = drawn.instance.request
    for job in drawn.instance.jobs:
        for pod in job.pods if job.priority < request.priority else ():
            drawn.kubelet_of(pod.name).remove(pod.name)


def could_start(truth: Drawn) -> bool:
    """Whether the kubelets admit all pods of the request once everybody of lower priority is gone."""
    drawn = deepcopy(truth)
    evict_all(drawn)
    names = [f"request-{number}" for number in range(drawn.instance.request.pods)]
    admitted = [sum(kubelet.admit(name, drawn.asked) for name in names) for kubelet in drawn.kubelets.values()]
    return sum(admitted) >= len(names)


def outcomes(first: int, number: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in range(first, first + number):
        drawn = Drawn(seed)
        plan = solve_preemption(drawn.instance, time_limit=TIME_LIMIT)
        seen[plan.status] += 1
        seen["plans with victims"] += bool(plan.victims)
        assert refused(drawn, plan) == [], f"seed {seed}"
        if plan.status == "infeasible" and drawn.is_plain:
            seen["impossible, to the kubelet too"] += 1
            assert not could_start(drawn), f"seed {seed}"
        plan = solve_preemption(drawn.without_alignment(), time_limit=TIME_LIMIT)
        seen["plans without the rule"] += plan.admitted
        seen["of these refused"] += bool(refused(drawn, plan))
    return seen


def check(first: int, number: int) -> None:
    seen = outcomes(first, number)
    print(f"\n{number:,} random nodes: {dict(seen)}")
    assert seen["optimal"] >= number * 0.4
    assert seen["plans with victims"] >= number * 0.2
    assert seen["impossible, to the kubelet too"] >= number * 0.05
    assert seen["of these refused"] >= number * 0.01


@pytest.mark.parametrize("first", range(0, NORMAL, 500))
def test_the_kubelet_admits_every_plan(first: int) -> None:
    check(first, 500)


@pytest.mark.long
@pytest.mark.parametrize("first", range(NORMAL, NORMAL + LONG, NORMAL))
def test_the_kubelet_admits_every_plan_on_many_more_nodes(first: int) -> None:
    check(first, NORMAL)
