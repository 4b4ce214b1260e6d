"""The simulator itself on cases worked by hand."""

from __future__ import annotations

import pytest
from kubelet.topology_manager import GPUS, Hint, Kubelet, merge


def node(policy: str, gpus: list[int], cpus: list[int]) -> Kubelet:
    numbers = iter(range(sum(gpus)))
    return Kubelet(policy, [[next(numbers) for _ in range(n)] for n in gpus], [{"cpus": amount} for amount in cpus])


@pytest.mark.parametrize(
    ("gpus", "cpus", "asked", "restricted", "single"),
    [
        ([4, 4], [16, 16], {GPUS: 6, "cpus": 10}, False, False),  # GPUs want two NUMA nodes, CPUs one
        ([4, 4], [16, 16], {GPUS: 6, "cpus": 24}, True, False),  # both want two
        ([2, 2], [16, 16], {GPUS: 4, "cpus": 1}, False, False),
        ([4, 4], [16, 16], {GPUS: 4, "cpus": 16}, True, True),
        ([3, 5], [16, 16], {GPUS: 4, "cpus": 1}, True, True),  # only the second has so many
        ([4, 4], [16, 16], {GPUS: 0, "cpus": 17}, True, False),
        ([4, 4], [8, 0], {GPUS: 2, "cpus": 8}, True, True),
        ([4, 4], [0, 0], {GPUS: 2, "cpus": 1}, False, False),  # no CPUs at all
    ],
)
def test_an_empty_node(gpus, cpus, asked, restricted, single) -> None:
    assert node("restricted", gpus, cpus).admit("pod", asked) is restricted
    assert node("single-numa-node", gpus, cpus).admit("pod", asked) is single


def test_one_free_gpu_on_each_side_is_no_room_for_two_under_the_strict_policies() -> None:
    for policy, admitted in {"none": True, "best-effort": True, "restricted": False, "single-numa-node": False}.items():
        kubelet = node(policy, [2, 2], [8, 8])
        for name in "abcd":
            assert kubelet.admit(name, {GPUS: 1, "cpus": 1})
        kubelet.remove("a")
        kubelet.remove("c")
        assert [kubelet.free_devices(0), kubelet.free_devices(1)] == [[0], [2]]
        assert kubelet.admit("request", {GPUS: 2, "cpus": 1}) is admitted
        assert not kubelet.admit("another", {GPUS: 3})


def test_the_lowest_of_the_narrowest_preferred_masks_is_taken() -> None:
    kubelet = node("restricted", [2, 2, 2, 2], [4, 4, 4, 4])
    assert kubelet.admit("one", {GPUS: 1, "cpus": 4})
    assert kubelet.pods["one"].devices == (0,)
    assert kubelet.admit("two", {GPUS: 3, "cpus": 8})  # {0, x} lacks CPUs, so {1, 2}
    assert kubelet.pods["two"].devices == (2, 3, 4)
    assert kubelet.pods["two"].amounts == {"cpus": {1: 4, 2: 4}}


def test_best_effort_takes_what_is_there() -> None:
    kubelet = node("best-effort", [2, 2], [4, 4])
    assert kubelet.admit("a", {GPUS: 1, "cpus": 1})
    assert kubelet.admit("b", {GPUS: 1, "cpus": 1})
    kubelet.remove("a")
    assert kubelet.admit("c", {GPUS: 3, "cpus": 1})
    assert kubelet.pods["c"].devices == (0, 2, 3)


def test_hints_and_their_merge() -> None:
    kubelet = node("restricted", [2, 2], [4, 4])
    kubelet.admit("a", {GPUS: 1, "cpus": 4})
    assert kubelet.hints(GPUS, 2) == [Hint(0b10, True), Hint(0b11, False)]
    assert kubelet.hints(GPUS, 1) == [Hint(0b01, True), Hint(0b10, True), Hint(0b11, False)]
    assert kubelet.hints("cpus", 5) == []
    assert merge((Hint(0b11, True), Hint(0b01, True))) == Hint(0b01, False)
    assert merge((Hint(None, True), Hint(0b01, True))) == Hint(0b01, True)
    assert merge((Hint(0b10, True), Hint(0b01, True))).mask == 0
