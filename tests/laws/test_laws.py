"""Laws that hold for every instance, whatever the optimum is."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from laws.objective import objective, without_times
from oracle.brute import solve
from oracle.draw import instance_of_seed
from strategies import seeds

from topreempt.models import Instance, Plan
from topreempt.solver import solve_preemption

law = settings(max_examples=200, deadline=None, derandomize=True)


def plan_for(instance: Instance, **options: Any) -> Plan:
    return solve_preemption(instance, **{"time_limit": 60.0, **options})


def plain(instance: Instance) -> dict[str, Any]:
    return instance.model_dump(mode="json", exclude_unset=True)


@law
@given(seeds())
def test_a_free_node_never_makes_it_worse(seed: int) -> None:
    instance = instance_of_seed(seed)
    data = plain(instance)
    twin = Random(seed).choice(data["cluster"]["nodes"])
    data["cluster"]["nodes"].append(twin | {"name": "n9"})
    wider = Instance.parse(data)
    assert objective(wider, plan_for(wider)) <= objective(instance, plan_for(instance))


@law
@given(seeds())
def test_order_of_the_file_changes_nothing(seed: int) -> None:
    instance, rng = instance_of_seed(seed), Random(seed)
    shuffled = Instance.parse(_shuffled(plain(instance), rng))
    assert without_times(plan_for(shuffled)) == without_times(plan_for(instance))


LISTS_WITH_ORDER = ("levels", "ladder", "gpu_model")


def _shuffled(value: Any, rng: Random, name: str = "") -> Any:
    if isinstance(value, dict):
        items = [(key, _shuffled(part, rng, key)) for key, part in value.items()]
        return dict(rng.sample(items, len(items)))
    if isinstance(value, list):
        parts = [_shuffled(part, rng) for part in value]
        return parts if name in LISTS_WITH_ORDER else rng.sample(parts, len(parts))
    return value


@law
@given(seeds())
def test_names_of_the_same_order_give_the_same_plan(seed: int) -> None:
    instance = instance_of_seed(seed)
    renamed = Instance.parse(json.loads(_renamed(instance.model_dump_json(exclude_unset=True))))
    assert without_times(plan_for(renamed)) == _renamed(without_times(plan_for(instance)))


def _renamed(text: str) -> str:
    """Nodes n0, n1 ... become k0, k1 ..., jobs and pods j0, j0-0 ... become a0, a0-0 ...: the order stays."""
    return re.sub(r"\bj(?=\d)", "a", re.sub(r"\bn(?=\d)", "k", text))


@law
@given(seeds())
def test_other_names_give_a_plan_as_good(seed: int) -> None:
    instance = instance_of_seed(seed)
    text = re.sub(r"\b([nj])(\d)", lambda m: m[1] + str(9 - int(m[2])), instance.model_dump_json(exclude_unset=True))
    reversed_ = Instance.parse(json.loads(text))
    assert objective(reversed_, plan_for(reversed_)) == objective(instance, plan_for(instance))


@law
@given(seeds())
def test_same_seed_gives_the_same_plan(seed: int) -> None:
    instance = instance_of_seed(seed)
    first, second = (plan_for(instance, seed=seed % 7) for _ in range(2))
    assert without_times(first) == without_times(second)


@law
@given(seeds())
def test_every_seed_gives_the_same_plan(seed: int) -> None:
    instance = instance_of_seed(seed)
    assert without_times(plan_for(instance, seed=1)) == without_times(plan_for(instance, seed=2))


@law
@given(seeds())
def test_a_higher_request_never_fares_worse(seed: int) -> None:
    instance = instance_of_seed(seed)
    raised = instance.request.model_copy(update={"priority": instance.request.priority + 2})
    higher = instance.model_copy(update={"request": raised})
    assert objective(higher, plan_for(higher)) <= objective(instance, plan_for(instance))


@law
@given(seeds())
def test_once_the_victims_go_the_request_fits(seed: int) -> None:
    instance = instance_of_seed(seed)
    plan = plan_for(instance)
    if plan.status == "optimal":
        after = applied(instance, plan)
        fits = plan_for(after)
        assert (fits.status, fits.evicted, fits.cost.price) == ("optimal", frozenset(), pytest.approx(plan.cost.price))
        assert fits.affinity == plan.affinity or instance.policy.relaxation == "priced"
        assert len(fits.placements) == len(plan.placements)


def applied(instance: Instance, plan: Plan) -> Instance:
    """The cluster once the plan is carried out as far as evictions go: the victims are terminating."""
    data = plain(instance)
    jobs = []
    for job in data["jobs"]:
        for state, pods in (
            (job.get("state", "running"), [pod for pod in job["pods"] if pod["name"] not in plan.evicted]),
            ("terminating", [pod for pod in job["pods"] if pod["name"] in plan.evicted]),
        ):
            if pods:
                part = job | {"name": job["name"] + "-gone" * (state == "terminating"), "state": state, "pods": pods}
                jobs.append({key: value for key, value in part.items() if key not in ("min_available", "budget")})
    return Instance.parse(data | {"jobs": jobs, "policy": data["policy"] | {"weights": "value"}})


@law
@given(seeds())
def test_a_bound_is_never_above_the_optimum(seed: int) -> None:
    instance = instance_of_seed(seed)
    if instance.policy.weights == "tiered":
        return
    plan = plan_for(instance, time_limit=0.0005)
    answer = solve(instance)
    if plan.cost.bound is not None and answer.status == "optimal":
        assert plan.cost.bound <= answer.cost / 10**12 * (1 + 1e-9)
    if plan.status == "feasible":
        assert plan.cost.bound is None or plan.cost.bound <= plan.cost.weighted_work + plan.cost.price + 1e-6
    if plan.status == "infeasible":
        assert answer.status == "infeasible"


@law
@given(seeds())
def test_tighter_limits_never_help(seed: int) -> None:
    instance = instance_of_seed(seed)
    policy = instance.policy.model_copy(update={"max_victims": 1})
    tighter = instance.model_copy(update={"policy": policy})
    if instance.policy.max_victims is None or instance.policy.max_victims >= 1:
        assert objective(instance, plan_for(instance)) <= objective(tighter, plan_for(tighter))
