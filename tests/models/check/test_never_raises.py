"""`violations` judges any plan, however wrong, and never raises."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from topreempt.models import Instance, InstanceError, Plan
from topreempt.models.check import Rule, violations

RIGHT = [
    (Instance.parse(situation["instance"]), Plan.parse(situation["plan"]).model_dump(mode="json"))
    for path in sorted(Path(__file__).parent.joinpath("situations").glob("*.yaml"))
    for situation in [yaml.safe_load(path.read_text(encoding="utf-8"))]
]


def names(instance: Instance) -> list[str]:
    """Every name that a plan could use rightly or wrongly."""
    found = {"", "cluster", "gpu", "link-clique", "link-connected", "block", "exact", "unknown", "feasible", "optimal"}
    found |= {"n1/0+1", "n1/", "n1/0+", "n1/m0", "n1/s1", "n1/99", *instance.cluster.levels}
    for node in instance.cluster.nodes:
        found |= {node.name, *node.within.values()}
    for job in instance.jobs:
        found |= {job.name, *(pod.name for pod in job.pods)}
    return sorted(found | {held.owner for held in instance.reservations})


def entries(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in plain data."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(inner for key in keys for inner in entries(value[key], (*path, key)))]


def replacements(instance: Instance, old: Any) -> st.SearchStrategy[Any]:
    if isinstance(old, list):
        grown = [*old, *old[-1:]]
        return st.sampled_from([[], None, grown, old[:-1], [0, 1], [-1], [10**9], [1, 1], ["", "x"]])
    if isinstance(old, bool):
        return st.booleans()
    if isinstance(old, int | float):
        return st.one_of(st.integers(-2, 9), st.integers(), st.floats(allow_nan=True, allow_infinity=True), st.none())
    if isinstance(old, dict):
        return st.sampled_from([{}, None, {"numa": 10**20}, {"numa": -1}])
    return st.one_of(st.sampled_from(names(instance)), st.none(), st.text(max_size=3), st.integers(0, 3))


def parsed(plan: Any) -> Plan | None:
    try:
        return Plan.parse(plan)
    except InstanceError:
        return None


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_any_plan_is_judged(data: st.DataObject) -> None:
    instance, plan = data.draw(st.sampled_from(RIGHT))
    for _ in range(data.draw(st.integers(1, 6))):
        mutant = deepcopy(plan)
        *parents, last = data.draw(st.sampled_from([path for path in entries(plan) if path]))
        target = mutant
        for key in parents:
            target = target[key]
        target[last] = data.draw(replacements(instance, target[last]))
        plan = mutant if parsed(mutant) else plan
    found = violations(instance, Plan.parse(plan))
    assert all(isinstance(violation.rule, Rule) and violation.text for violation in found)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_the_plan_of_another_instance_is_judged(data: st.DataObject) -> None:
    (instance, _), (_, plan) = data.draw(st.tuples(st.sampled_from(RIGHT), st.sampled_from(RIGHT)))
    assert all(found.text for found in violations(instance, Plan.parse(plan)))
