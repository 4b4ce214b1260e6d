"""What if some jobs are spared, or only some nodes may be used."""

from __future__ import annotations

import pytest
from builders import drawn

from topreempt.models import ConfigError, Instance
from topreempt.solver import solve_preemption
from topreempt.solver.explain import only_nodes, sparing


def instance() -> Instance:
    return drawn({"gpu-1": "a", "gpu-2": "b", "cpu-1": "c"}, {"a": 1, "b": 2, "c": 3}, request=1)


def test_a_spared_job_stays() -> None:
    assert solve_preemption(sparing(instance(), ["a"])).evicted == {"b@gpu-2"}
    assert solve_preemption(sparing(instance(), ["a", "b"])).evicted == {"c@cpu-1"}
    assert solve_preemption(sparing(instance(), ["a", "b", "c"])).status == "infeasible"


def test_only_some_nodes_are_used() -> None:
    assert solve_preemption(only_nodes(instance(), ["cpu-?"])).evicted == {"c@cpu-1"}
    assert solve_preemption(only_nodes(instance(), ["gpu-2", "cpu-*"])).evicted == {"b@gpu-2"}


def test_nothing_asked_changes_nothing() -> None:
    same = instance()
    assert sparing(same, []) is same
    assert only_nodes(same, []) is same


def test_names_must_exist() -> None:
    with pytest.raises(ConfigError, match="found 'd', expected the name of a job"):
        sparing(instance(), ["a", "d"])
    with pytest.raises(ConfigError, match="found 'tpu-\\*', expected the name of a node"):
        only_nodes(instance(), ["gpu-*", "tpu-*"])
