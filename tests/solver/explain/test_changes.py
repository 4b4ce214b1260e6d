"""Suggested changes against the brute force: after each the request fits, and a step less is not enough."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from builders import drawn
from oracle.brute import solve
from probing import MILLIONTHS, chunks, decision_of, fits, infeasible, name, probe_of

from topreempt.cli import overrides
from topreempt.instances.write import plain_instance
from topreempt.models import Instance
from topreempt.models.explanation import Change, ChangeCode
from topreempt.solver.explain.changes import changes_of

NORMAL, LONG = 600, 5_000


def changes(instance: Instance) -> list[Change]:
    decision = decision_of(instance)
    return changes_of(decision, probe_of(decision))


def changed(instance: Instance, settings: tuple[str, ...] | list[str]) -> Instance:
    return Instance.parse(overrides.apply(plain_instance(instance), list(settings)))


def a_step_less(instance: Instance, change: Change) -> str | None:
    """The setting that changes a little less, where the change is a single number."""
    path, _, value = change.settings[0].partition("=")
    number = json.loads(value)
    steps: dict[ChangeCode, float] = {
        ChangeCode.PRIORITY: -1,
        ChangeCode.BUDGET: -1,
        ChangeCode.MAX_VICTIMS: -1,
        ChangeCode.PODS: instance.request.slice_size,
        ChangeCode.GPUS: 1,
        ChangeCode.RESOURCE: 1e-6,
        ChangeCode.MIN_RUNNING: 1e-6,
    }
    if change.code not in steps:
        return None
    less = round(number + steps[change.code], 6)
    return f"{path}={json.dumps(less if isinstance(number, float) else int(less))}"


def faults(instance: Instance) -> list[str]:
    found = []
    for change in changes(instance):
        answer = solve(changed(instance, change.settings))
        if answer.status != "optimal":
            found.append(f"does not fit {change.text}")
        elif change.evicted_pods != answer.evicted_pods:
            found.append(f"{change.text}, not {answer.evicted_pods}")
        elif isinstance(answer.cost, int) and instance.policy.relaxation != "priced":
            cost = answer.cost / MILLIONTHS
            if change.weighted_work != pytest.approx(cost, rel=1e-9, abs=1e-9):
                found.append(f"{change.text}, not {cost}")
        less = a_step_less(instance, change)
        if change.smallest and less is not None and fits(changed(instance, [less])):
            found.append(f"{less} is enough, not only {change.text}")
        found += [
            f"{setting} is not needed"
            for setting in change.settings
            if len(change.settings) > 1
            and change.code == ChangeCode.TOGETHER
            and fits(changed(instance, [other for other in change.settings if other != setting]))
        ]
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_changes_help_and_none_is_larger_than_needed(seeds: range) -> None:
    assert {seed: wrong for seed, instance in infeasible(seeds) if (wrong := faults(instance))} == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_many_more_changes_help(seeds: range) -> None:
    assert {seed: wrong for seed, instance in infeasible(seeds) if (wrong := faults(instance))} == {}


def test_nearly_every_instance_has_a_change_and_all_kinds_occur() -> None:
    kinds: Counter[str] = Counter()
    without_any = 0
    for _, instance in infeasible(range(400)):
        found = changes(instance)
        without_any += not found
        kinds.update(change.code for change in found)
    assert without_any <= 5
    assert len(kinds) >= 14


def only(instance: Instance, code: ChangeCode) -> Change:
    (found,) = (change for change in changes(instance) if change.code == code)
    return found


def test_priority_just_above_the_cheapest_holder() -> None:
    instance = drawn({"n1": "aa", "n2": "bb"}, {"a": 300, "b": 200}, request={"gpus": 2, "priority": 100})
    change = only(instance, ChangeCode.PRIORITY)
    assert change.settings == ("request.priority=201",)
    assert change.text == ("with priority 201 instead of 100; the cheapest plan then costs 400 and evicts 1 pod")
    assert change.smallest


def test_one_more_eviction_of_a_budget() -> None:
    job = {"priority": 1, "budget": "team-a"}
    instance = drawn(
        {"n": "abc"}, {"a": job, "b": job, "c": 200}, request=2, budgets=[{"name": "team-a", "max_evictions": 1}]
    )
    change = only(instance, ChangeCode.BUDGET)
    assert change.settings == ("budgets[0].max_evictions=2",)
    assert change.text.startswith("with 1 eviction more allowed by budget team-a (2 instead of 1)")


def test_fewer_cpus() -> None:
    node: dict[str, Any] = {"n": {"resources": {"cpus": 100, "nvidia.com/mig": 1}}}
    asked = {"gpus": 1, "resources": {"cpus": 102.5, "nvidia.com/mig": 1}}
    change = only(drawn({"n": ".."}, request=asked, node_fields=node), ChangeCode.RESOURCE)
    assert change.settings == ("request.resources.cpus=100.0",)
    assert change.smallest


def test_a_resource_with_a_dotted_name() -> None:
    instance = drawn({"n": ".."}, request={"gpus": 1, "resources": {"nvidia.com/mig": 2}})
    change = only(instance, ChangeCode.RESOURCE)
    assert change.settings == ("request.resources['nvidia.com/mig']=0.0",)
    assert fits(changed(instance, change.settings))


def test_a_looser_rung() -> None:
    instance = drawn({"n": "a.|b."}, {"a": 200, "b": 200}, request={"gpus": 2, "pod": "numa"})
    change = only(instance, ChangeCode.POD_RUNG)
    assert change.settings == ('request.affinity.pod={"island": "node"}',)


def test_slots_to_repair_are_the_fewest() -> None:
    instance = drawn({"n": "xxx."}, request=3)
    change = only(instance, ChangeCode.OFFLINE)
    assert len(json.loads(change.settings[0].partition("=")[2])) == 1
    assert change.smallest


def test_two_kinds_together_where_none_helps_alone() -> None:
    instance = drawn({"n": "a"}, {"a": {"priority": 200, "preemptible": False}}, request={"gpus": 1, "priority": 100})
    (change,) = changes(instance)
    assert change.code == ChangeCode.TOGETHER
    assert set(change.settings) == {"request.priority=201", "jobs[0].preemptible=true"}
