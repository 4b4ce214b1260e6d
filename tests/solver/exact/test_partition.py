"""Slots in groups, and the regions of a search, on machines small enough to count by hand."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from builders import drawn
from oracle.draw import instance_of_seed
from unreduced import decision_of, searches

from topreempt.models.topology import NODE
from topreempt.solver.exact.partition import padded, partition
from topreempt.solver.exact.rungs import Rungs, regions_of
from topreempt.solver.exact.snapshot import compile_snapshot

RACKS = {"n1": {"rack": "r1"}, "n2": {"rack": "r1"}, "n3": {"rack": "r2"}}


def cluster(request: Any = 1) -> Any:
    """Two racks: slots 0-3 (3 + 1) and 4-5 in r1, 6-8 (1 + 2) in r2."""
    nodes = {"n1": "aab|b", "n2": "bb", "n3": "b|.c"}
    return drawn(nodes, request=request, levels=["rack", "node", "numa"], within=RACKS)


def groups(levels: tuple[str, ...]) -> list[list[int]]:
    found = partition(compile_snapshot(cluster()).layout, levels)
    assert [found.slots(number).tolist() for number in range(found.size)] == [
        [slot for slot in row if slot < 9] for row in found.table.tolist()
    ]
    assert [found.of_slot[found.slots(number)].tolist() for number in range(found.size)] == [
        [number] * len(found.slots(number)) for number in range(found.size)
    ]
    return [found.slots(number).tolist() for number in range(found.size)]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (("cluster",), [[0, 1, 2, 3, 4, 5, 6, 7, 8]]),
        (("rack",), [[0, 1, 2, 3, 4, 5], [6, 7, 8]]),
        (("node",), [[0, 1, 2, 3], [4, 5], [6, 7, 8]]),
        (("numa",), [[0, 1, 2], [3], [4, 5], [6], [7, 8]]),
        (("gpu",), [[slot] for slot in range(9)]),
        (("rack", "numa"), [[0, 1, 2], [3], [4, 5], [6], [7, 8]]),
    ],
)
def test_groups(levels: tuple[str, ...], expected: list[list[int]]) -> None:
    assert groups(levels) == expected


def test_first_node_and_holds_in_a_group() -> None:
    snapshot = compile_snapshot(cluster())
    racks = partition(snapshot.layout, ("rack",))
    assert racks.node.tolist() == [0, 2]
    by_slot = dict(zip(snapshot.hold_slot.tolist(), racks.hold_count(snapshot).tolist(), strict=True))
    assert by_slot == {0: 2, 1: 2, 2: 4, 3: 4, 4: 4, 5: 4, 6: 1, 8: 1}
    domains = partition(snapshot.layout, ("numa",))
    by_slot = dict(zip(snapshot.hold_slot.tolist(), domains.hold_count(snapshot).tolist(), strict=True))
    assert by_slot == {0: 2, 1: 2, 2: 1, 3: 1, 4: 2, 5: 2, 6: 1, 8: 1}


def test_groups_in_coarser_groups() -> None:
    snapshot = compile_snapshot(cluster())
    table = partition(snapshot.layout, ("numa",)).groups_in(partition(snapshot.layout, ("rack",)))
    assert table.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_rows_of_unequal_length_are_padded() -> None:
    assert padded(np.array([7, 8, 9]), np.array([0, 2, 2, 3]), -1).tolist() == [[7, 8], [-1, -1], [9, -1]]
    assert padded(np.array([], dtype=np.int64), np.array([0, 0]), 5).tolist() == [[5]]


@pytest.mark.parametrize(
    ("request_fields", "rungs", "expected"),
    [
        ({"gpus": 1, "pods": 2}, Rungs(("node",), ("cluster",), "cluster"), [[0, 1, 2]]),
        ({"gpus": 1, "pods": 2}, Rungs(("node",), ("cluster",), "rack"), [[0, 1], [2]]),
        ({"gpus": 1, "pods": 2}, Rungs(("node",), ("cluster",), "numa"), [[0], [0], [1], [2], [2]]),
        ({"gpus": 1}, Rungs(("numa",), ("cluster",), "rack"), [[0], [1], [2]]),
        ({"gpus": 0, "pods": 2}, Rungs(("node",), ("cluster",), "numa"), [[0], [1], [2]]),
    ],
)
def test_regions(request_fields: dict[str, Any], rungs: Rungs, expected: list[list[int]]) -> None:
    regions = regions_of(decision_of(cluster(request_fields)), rungs)
    assert [nodes.tolist() for nodes in regions.nodes] == expected


def test_one_slice_is_looked_for_in_the_domains_of_the_slice() -> None:
    scope = {"island": "rack", "size": 2}
    decision = decision_of(cluster({"gpus": 1, "pods": 2, "slice": scope}))
    regions = regions_of(decision, Rungs(("node",), ("rack",), "cluster"))
    assert [nodes.tolist() for nodes in regions.nodes] == [[0, 1], [2]]


def test_regions_share_no_slot_and_hold_every_slot() -> None:
    several = 0
    for seed in range(300):
        decision = decision_of(instance_of_seed(seed))
        for _, regions in searches(decision):
            count = regions.slots.size if decision.gpus else len(regions)
            assert len(regions) == count
            several += count > 1
            by_node = defaultdict(set)
            for number, nodes in enumerate(regions.nodes):
                assert sorted(set(nodes.tolist())) == nodes.tolist()
                for node in nodes.tolist():
                    by_node[node].add(number)
            if regions.levels == (NODE,) or not decision.gpus:
                assert all(len(numbers) == 1 for numbers in by_node.values())
            every = range(len(decision.snapshot.nodes))
            assert set(by_node) >= {node for node in every if decision.snapshot.shapes[node].gpus or not decision.gpus}
    assert several >= 100
