"""Which of several copies of an empty node or rack are kept, on clusters small enough to see."""

from __future__ import annotations

from typing import Any

import pytest
from unreduced import decision_of

from topreempt.models import Instance
from topreempt.solver.exact.interchange import representatives
from topreempt.solver.exact.rungs import Rungs

ANYWHERE = Rungs(("node",), ("cluster",), "cluster")
SLICED = Rungs(("node",), ("rack",), "cluster")


def kept(instance: Instance, rungs: Rungs = ANYWHERE) -> str:
    """The letters of the nodes that are kept, in order."""
    decision = decision_of(instance)
    every = decision.snapshot.domain_of_node("node")[0]
    return "".join(decision.snapshot.nodes[node].name for node in representatives(decision, rungs, every))


def racks(drawing: str, pods: int, change: dict[str, Any] | None = None, **fields: Any) -> Instance:
    """One letter a node, in racks: a small letter is free, a capital one busy; `change` is of the node b."""
    nodes, jobs = [], []
    for number, rack in enumerate(drawing.split()):
        for name in rack:
            nodes.append({"name": name, "machine": "two", "within": {"rack": f"r{number}"}})
            if name.isupper():
                pod = {"name": f"pod-{name}", "node": name, "slots": [0]}
                jobs.append({"name": f"job-{name}", "priority": 1, "pods": [pod]})
            if name == "b":
                nodes[-1] |= change or {}
    machines = {"two": {"gpus": 2}, "other": {"gpus": 2, "fully_linked": True}}
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {"levels": ["rack", "node"], "machines": machines, "nodes": nodes},
            "jobs": jobs + fields.pop("jobs", []),
            "request": {"name": "request", "priority": 100, "gpus": 1, "pods": pods},
            **fields,
        }
    )


def test_of_equal_nodes_as_many_are_kept_as_the_request_has_pods() -> None:
    assert kept(racks("abcdeF", 2)) == "Fab"
    assert kept(racks("abcdeF", 5)) == "Fabcde"


def test_nodes_of_several_busy_racks_are_copies_unless_slices_ask_for_racks() -> None:
    assert kept(racks("abcF defG", 2)) == "FGab"
    assert kept(racks("abcF defG", 2), SLICED) == "FGabde"


def test_of_wholly_free_racks_as_many_are_kept_and_in_them_as_many_nodes() -> None:
    assert kept(racks("abc def ghi jkl", 2)) == "abde"
    assert kept(racks("abc def ghi jkl", 1)) == "a"


def test_free_racks_of_other_sizes_are_no_copies() -> None:
    assert kept(racks("ab cd efg hij", 1)) == "ae"


def test_a_free_rack_is_no_copy_of_the_free_part_of_a_busy_one() -> None:
    assert kept(racks("ab cdF", 1)) == "Fac"


@pytest.mark.parametrize("change", [{"machine": "other"}, {"offline_slots": [0]}, {"cordoned": True}], ids=str)
def test_a_node_that_differs_is_kept(change: dict[str, Any]) -> None:
    assert kept(racks("abcdF", 1, change)) == "Fab"


def test_a_node_with_a_reservation_is_kept() -> None:
    for owner in ("other", "request"):
        reserved = [{"owner": owner, "priority": 1, "node": "b", "gpus": 1}]
        assert kept(racks("abcdF", 1, reservations=reserved)) == "Fab"


def test_a_node_that_somebody_is_leaving_is_kept() -> None:
    leaving = {"name": "t", "priority": 1, "state": "terminating", "pods": [{"name": "t", "node": "b", "slots": [0]}]}
    assert kept(racks("abcdF", 1, jobs=[leaving])) == "Fab"


def test_a_rack_is_wholly_free_if_all_its_slots_are() -> None:
    decision = decision_of(racks("ab cF", 1))
    whole = dict(
        zip((node.name for node in decision.snapshot.nodes), decision.snapshot.whole_by_node("rack"), strict=True)
    )
    assert whole == {"a": True, "b": True, "c": False, "F": False}
