"""The engine against the brute force: each rule alone, rules that bear on each other, and all together."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.agreement import disagreements
from oracle.draw import RULES, random_instance
from strategies import instances, shrinkable_instances

from topreempt.models import Instance

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


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_rule_alone(rule: str, data: st.DataObject) -> None:
    assert disagreements(data.draw(shrinkable_instances(frozenset({rule})))) == []


@pytest.mark.parametrize("rules", COMPANIONS)
def test_rules_that_bear_on_each_other(rules: str) -> None:
    wrong = {seed: disagreements(random_instance(Random(seed), frozenset(rules.split()))) for seed in range(100)}
    assert {seed: found for seed, found in wrong.items() if found} == {}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(instances())
def test_all_rules_together(instance: Instance) -> None:
    assert disagreements(instance) == []
