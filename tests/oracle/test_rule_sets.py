"""The engine against the brute force: each rule alone, rules that bear on each other, and all together."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.agreement import differences
from oracle.brute import solve
from oracle.draw import RULES, random_instance
from strategies import instances, shrinkable_instances

from topreempt.models import Instance
from topreempt.models.check import violations
from topreempt.solver import solve_preemption

COMPANIONS = (
    "levels gang slices priced shares",
    "levels gang slices best-effort racks wide",
    "levels gang slices alignment resources",
    "links blocks priced gang extra",
    "unknown links blocks",
    "unknown levels slices gang priced",
    "unknown levels alignment",
    "unknown shares terminating gang",
    "unknown reservations levels gang extra",
    "reservations gang extra elastic wide",
    "budgets elastic spread limits weights loss",
    "racks gang extra elastic spread wide",
    "resources cpu-only elastic spread terminating",
)
"""Rules whose meeting is where the reasoning is hard."""


def check(instance: Instance) -> None:
    plan = solve_preemption(instance, time_limit=60.0)
    assert differences(instance, plan, solve(instance)) == []
    assert [str(violation) for violation in violations(instance, plan)] == []


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_rule_alone(rule: str, data: st.DataObject) -> None:
    check(data.draw(shrinkable_instances(frozenset({rule}))))


@pytest.mark.parametrize("rules", COMPANIONS)
def test_rules_that_bear_on_each_other(rules: str) -> None:
    for seed in range(100):
        check(random_instance(Random(seed), frozenset(rules.split())))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(instances())
def test_all_rules_together(instance: Instance) -> None:
    check(instance)
