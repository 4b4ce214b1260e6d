"""The cells of one region on machines small enough to list them by hand."""

from __future__ import annotations

from typing import Any

from builders import drawn
from unreduced import decision_of

from topreempt.models import Instance
from topreempt.solver.exact.region import Cell, spell_out
from topreempt.solver.exact.rungs import Rungs

BRIDGES = [{"gpus": [0, 2], "kind": "nvlink"}, {"gpus": [1, 3], "kind": "nvlink"}]
CHAIN = [{"gpus": [slot, slot + 1], "kind": "nvlink"} for slot in range(3)]
ASKED = {"pod": "link-clique", "gpus": 2}


def cells(instance: Instance, pod: tuple[str, ...] = ("node",), group: str = "cluster", gang: str = "cluster") -> Any:
    decision = decision_of(instance)
    return spell_out(decision, Rungs(pod, (group,), gang), range(len(decision.snapshot.nodes)), None).cells


def slots(found: list[Cell]) -> list[tuple[int, ...]]:
    return [cell.slots for cell in found]


def test_a_level_makes_a_cell_of_each_domain_that_can_hold_a_pod() -> None:
    found = cells(drawn({"n1": "...|..|.", "n2": "...."}, request={"gpus": 2, "pods": 3}), ("numa",))
    assert slots(found) == [(0, 1, 2), (3, 4), (6, 7, 8, 9)]
    assert [(cell.node, cell.most) for cell in found] == [(0, 1), (0, 1), (1, 2)]


def test_every_rung_that_is_allowed_has_its_own_cells() -> None:
    found = cells(drawn({"n1": ".|.."}), ("gpu", "numa", "node"))
    assert [(cell.rung, cell.slots) for cell in found] == [
        (0, (0,)), (0, (1,)), (0, (2,)), (1, (0,)), (1, (1, 2)), (2, (0, 1, 2)),
    ]  # fmt: skip


def test_slots_that_nobody_can_free_are_in_no_cell() -> None:
    jobs = {"h": {"priority": 100}, "l": {"priority": 1}}
    reserved = [{"owner": "other", "priority": 100, "node": "n1", "slots": [4]}]
    found = cells(drawn({"n1": "hlx..l"}, jobs, {"gpus": 2}, reservations=reserved))
    assert slots(found) == [(1, 3, 5)]


def test_one_pod_of_a_gang_below_node_is_kept_inside_the_gangs_domain() -> None:
    instance = drawn({"n1": "..|.."}, request={"gpus": 2, "gang": "numa"})
    assert slots(cells(instance, gang="numa")) == [(0, 1), (2, 3)]


def test_slices_cut_the_islands_of_pods() -> None:
    instance = drawn({"n1": "..|.."}, request={"gpus": 1, "pods": 4, "slice": {"island": "numa", "size": 2}})
    found = cells(instance, group="numa")
    assert [(cell.slice_domain, cell.slots, cell.most) for cell in found] == [(0, (0, 1), 2), (1, (2, 3), 2)]


def test_fully_linked_groups_are_plain_cells() -> None:
    instance = drawn({"n1": "...."}, request=ASKED, node_fields={"n1": {"links": BRIDGES}})
    found = cells(instance, ("link-clique",))
    assert [(cell.slots, cell.patterns) for cell in found] == [((0, 2), None), ((1, 3), None)]


def test_irregular_links_are_one_cell_with_its_patterns() -> None:
    instance = drawn({"n1": "...."}, request=ASKED | {"pods": 2}, node_fields={"n1": {"links": CHAIN}})
    (found,) = cells(instance, ("link-clique",))
    assert found.patterns == ((0, 1), (1, 2), (2, 3))
    assert (found.slots, found.most) == ((0, 1, 2, 3), 2)


def test_patterns_with_a_slot_that_cannot_be_used_are_left_out() -> None:
    instance = drawn({"n1": ".x.."}, request=ASKED, node_fields={"n1": {"links": CHAIN}})
    (found,) = cells(instance, ("link-clique",))
    assert (found.slots, found.patterns) == ((2, 3), None)


def test_patterns_that_share_no_slot_are_plain_cells() -> None:
    fields = {"n1": {"blocks": [[0, 1], [2, 3], [0, 1, 2, 3]]}}
    instance = drawn({"n1": "...."}, request={"gpus": 2, "pod": "block"}, node_fields=fields)
    assert [(cell.slots, cell.patterns) for cell in cells(instance, ("block",))] == [((0, 1), None), ((2, 3), None)]


def aligned(request: dict[str, Any], policy: str = "restricted", cpus: tuple[int, int] = (8, 8)) -> Instance:
    given = {str(number): {"cpus": amount} for number, amount in enumerate(cpus)}
    fields = {"topology_policy": policy, "domain_resources": {"numa": given}, "resources": {"cpus": sum(cpus)}}
    return drawn({"n1": "..|.."}, request=request, node_fields={"n1": fields})


def test_an_aligned_node_has_a_cell_for_each_mask() -> None:
    found = cells(aligned({"gpus": 2, "resources": {"cpus": 4}}))
    assert [(cell.mask, cell.slots) for cell in found] == [(("0",), (0, 1)), (("1",), (2, 3))]


def test_a_wide_mask_takes_one_pod() -> None:
    (found,) = cells(aligned({"gpus": 3, "pods": 2, "resources": {"cpus": 10}}))
    assert (found.mask, found.slots, found.most) == (("0", "1"), (0, 1, 2, 3), 1)


def test_widths_that_differ_leave_no_cell() -> None:
    assert cells(aligned({"gpus": 3, "resources": {"cpus": 4}})) == []
    assert cells(aligned({"gpus": 3, "resources": {"cpus": 10}}, "single-numa-node")) == []


def test_the_room_of_the_node_limits_the_pods_of_its_cells() -> None:
    instance = drawn(
        {"n1": "....", "n2": "...."},
        request={"gpus": 1, "pods": 4, "resources": {"cpus": 2}},
        node_fields={"n1": {"resources": {"cpus": 7}}, "n2": {"resources": {"cpus": 1}}},
    )
    assert [(cell.node, cell.most) for cell in cells(instance)] == [(0, 3)]


def test_shares_serve_several_pods_a_slot() -> None:
    (found,) = cells(drawn({"n1": ".."}, request={"gpus": 2, "pods": 9, "share": 0.3}))
    assert (found.slots, found.most) == ((0, 1), 3)


def test_a_node_with_unknown_placements_has_cells_for_both_cases() -> None:
    def instance(priority: int) -> Instance:
        unknown = {"priority": priority, "pods": [{"name": "u", "node": "n1", "gpus": 1}]}
        return drawn({"n1": "..|.."}, {"u": unknown}, {"gpus": 1, "pods": 4, "share": 0.5})

    may_go = [(cell.certain, cell.slots, cell.most) for cell in cells(instance(1), ("numa",))]
    assert sorted(may_go) == [(False, (0, 1), 2), (False, (2, 3), 2), (True, (0, 1), 4), (True, (2, 3), 4)]
    stays = [(cell.certain, cell.slots) for cell in cells(instance(100), ("numa",))]
    assert stays == [(False, (0, 1)), (False, (2, 3))]


def test_a_request_without_gpus_has_a_cell_for_each_node_and_rung() -> None:
    found = cells(drawn({"n1": "aa", "n2": ""}, request={"gpus": 0, "pods": 2}), ("numa", "node"))
    assert [(cell.node, cell.rung, cell.slots, cell.most) for cell in found] == [
        (0, 0, (), 2), (0, 1, (), 2), (1, 0, (), 2), (1, 1, (), 2),
    ]  # fmt: skip
