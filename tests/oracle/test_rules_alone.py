"""The engine against the brute force with each rule alone, and with all; Hypothesis makes a failing instance simple."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.agreement import differences
from oracle.brute import solve
from oracle.draw import RULES
from strategies import instances, shrinkable_instances

from topreempt.models import Instance
from topreempt.models.check import violations
from topreempt.solver import solve_preemption


def check(instance: Instance) -> None:
    plan = solve_preemption(instance, time_limit=60.0)
    assert differences(instance, plan, solve(instance)) == []
    assert [str(violation) for violation in violations(instance, plan)] == []


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_rule_alone(rule: str, data: st.DataObject) -> None:
    check(data.draw(shrinkable_instances(frozenset({rule}))))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(instances())
def test_all_rules_together(instance: Instance) -> None:
    check(instance)
