"""Nomad: distances, device options, the order of the searches, and the node score."""

from __future__ import annotations

import pytest
from builders import drawn
from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.nomad import Network, distance, net_priority, nomad_device
from topreempt.solver.greedy.survey import situation_of


def victims(instance: Instance) -> set[str]:
    return set(nomad_device(situation_of(instance)).evicted)


@pytest.mark.parametrize(
    ("used", "expected"),
    [((2048, 512, 4096), 0), ((1024, 400, 1024), 0.928), ((8192, 200, 1024), 3.152), ((2048, 500, 4096), 0.023)],
)
def test_distance_is_the_norm_of_relative_differences(used, expected) -> None:
    assert distance((2048, 512, 4096), used) == pytest.approx(expected, abs=5e-4)


def test_what_is_no_longer_asked_does_not_count() -> None:
    assert distance((-5, 0, 10), (100, 100, 10)) == 0


def test_the_nearest_allocation_goes_first() -> None:
    # Equal priority; 2 cores and 4 of memory are short, and near holds just that.
    jobs = {
        "far": {"on": "n", "resources": {"cpus": 6, "memory": 8}},
        "near": {"on": "n", "resources": {"cpus": 2, "memory": 4}},
    }
    instance = counted({"n": {"cpus": 8, "memory": 12}}, jobs, {"resources": {"cpus": 2, "memory": 4}})
    assert victims(instance) == {"near"}


def test_ten_priorities_must_lie_between() -> None:
    jobs = {"a": {"on": "n", "cpus": 1, "priority": 50}}
    assert victims(counted({"n": 1}, jobs, {"cpus": 1, "priority": 60})) == {"a"}
    assert victims(counted({"n": 1}, jobs, {"cpus": 1, "priority": 59})) == set()


def test_the_holder_of_a_wanted_port_goes_before_the_nearest_bandwidth() -> None:
    jobs = {
        "exact": {"on": "n", "resources": {"network_mbits": 300}},
        "port": {"on": "n", "resources": {"network_mbits": 500, "port_88": 1}},
    }
    node = {"n": {"network_mbits": 800, "port_88": 1}}
    assert victims(counted(node, jobs, {"resources": {"network_mbits": 300, "port_88": 1}})) == {"port"}
    assert victims(counted(node, jobs, {"resources": {"network_mbits": 300}})) == {"exact"}


def test_network_resources_can_be_called_otherwise() -> None:
    jobs = {"a": {"on": "n", "resources": {"gbit": 5}}, "b": {"on": "n", "resources": {"gbit": 2}}}
    situation = situation_of(counted({"n": {"gbit": 7}}, jobs, {"resources": {"gbit": 2}}))
    assert set(nomad_device(situation, network=Network(bandwidth="gbit")).evicted) == {"b"}


def models(one: str, other: str) -> dict[str, object]:
    return {"node_fields": {"n1": {"gpu_model": [one] * 2 + [other] * 2}}}


def test_the_option_with_the_least_sum_of_distinct_priorities_wins() -> None:
    # a and b of 30 each sum to 30 when distinct priorities count, less than 40; a plain sum would say 60.
    instance = drawn({"n1": "abcc"}, {"a": 30, "b": 30, "c": 40}, 2, **models("x", "y"))
    assert victims(instance) == {"a@n1", "b@n1"}


def test_devices_come_from_one_model() -> None:
    instance = drawn({"n1": "a.b."}, {"a": 3, "b": 2}, 2, **models("x", "y"))
    assert victims(instance) == {"b@n1"}


def test_free_devices_are_ignored_when_holders_are_kept() -> None:
    # Three are asked, one is free, b (1) then a (2) are collected; the largest, a, gives 2 of 3: b goes as well,
    # though a and the free one suffice.
    instance = drawn({"n1": "baa."}, {"a": 5, "b": 1}, 3)
    assert victims(instance) == {"a@n1", "b@n1"}


def test_the_node_with_the_least_net_priority_wins() -> None:
    assert net_priority([]) == 0
    jobs = {
        "a": {"on": "n1", "cpus": 2, "priority": 40},
        "b": {"on": "n2", "cpus": 1, "priority": 39},
        "c": {"on": "n2", "cpus": 1, "priority": 39},
    }
    # 40 + 40/40 = 41 against 39 + 78/39 = 41: equal, so the name; at 38 the second is lower.
    assert nomad_device(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2))).nodes == ("n1",)
    jobs |= {name: {**jobs[name], "priority": 38} for name in ("b", "c")}
    assert nomad_device(situation_of(counted({"n1": 2, "n2": 2}, jobs, 2))).nodes == ("n2",)


def test_shares_of_devices_do_not_exist() -> None:
    assert nomad_device(situation_of(drawn({"n1": "a"}, {"a": 1}, {"gpus": 1, "share": 0.5}))).gave_up is not None
