"""The zoo: one node of every kind that is hard to draw, and its plan."""

from pathlib import Path

import pytest

from topreempt import Instance, Plan, solve_preemption

ZOO = Path(__file__).parent / "zoo.yaml"


@pytest.fixture(scope="session")
def zoo() -> Instance:
    return Instance.load(ZOO)


@pytest.fixture(scope="session")
def zoo_plan(zoo: Instance) -> Plan:
    plan = solve_preemption(zoo)
    assert plan.status == "optimal"
    assert plan.evicted
    return plan
