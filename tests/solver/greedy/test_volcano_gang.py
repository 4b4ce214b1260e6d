"""Gang-aware eviction of Volcano: bundles in order, one domain, nothing trimmed."""

from __future__ import annotations

from typing import Any

from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.survey import situation_of
from topreempt.solver.greedy.volcano_gang import MAX_DOMAINS, domains_of, volcano_gangpreempt

RACKS = {"levels": ["rack", "node"]}


def evicted(instance: Instance) -> set[str]:
    return set(volcano_gangpreempt(situation_of(instance)).evicted)


def within_racks(racks: dict[str, list[str]]) -> dict[str, Any]:
    return {"within": {node: {"rack": rack} for rack, nodes in racks.items() for node in nodes}, **RACKS}


def test_safe_bundles_go_before_whole_ones_even_of_lower_priority() -> None:
    jobs = {
        "whole": {"on": "n1", "cpus": 1, "priority": 1},
        "spare": {"pods": [("n1", 1), ("n1", 1)], "priority": 9, "min_available": 1},
    }
    assert evicted(counted({"n1": 3}, jobs, 1)) == {"spare-0"}


def test_bundles_go_by_priority_then_newest_job_then_later_name() -> None:
    jobs = {
        "high": {"on": "n1", "cpus": 1, "priority": 5},
        "old": {"on": "n1", "cpus": 1, "running_seconds": 90},
        "new": {"on": "n1", "cpus": 1, "running_seconds": 10},
        "newer": {"on": "n1", "cpus": 1, "running_seconds": 10},
    }
    for ask, gone in ((1, {"newer"}), (2, {"newer", "new"}), (3, {"newer", "new", "old"})):
        assert evicted(counted({"n1": 4}, jobs, ask)) == gone


def test_a_bundle_is_taken_whole_and_nothing_is_trimmed() -> None:
    jobs = {"tight": {"pods": [("n1", 1), ("n2", 1), ("n3", 1)]}}
    assert len(evicted(counted({"n1": 1, "n2": 1, "n3": 1}, jobs, 1))) == 3


def test_only_the_tasks_inside_the_domain_go() -> None:
    jobs = {"wide": {"pods": [("a1", 1), ("b1", 1)]}}
    request = {"cpus": 1, "affinity": {"gang": {"island": "rack"}}}
    instance = counted({"a1": 1, "b1": 1}, jobs, request, **within_racks({"a": ["a1"], "b": ["b1"]}))
    assert evicted(instance) == {"wide-0"}


def test_the_first_domain_that_works_wins_not_the_cheapest() -> None:
    jobs = {"dear": {"on": "a1", "cpus": 1, "priority": 90}, "cheap": {"on": "b1", "cpus": 1, "priority": 1}}
    request = {"cpus": 1, "affinity": {"gang": {"island": "rack"}}}
    instance = counted({"a1": 1, "b1": 1}, jobs, request, **within_racks({"a": ["a1"], "b": ["b1"]}))
    assert evicted(instance) == {"dear"}


def test_domains_are_broad_first_and_only_those_that_could_hold_the_request() -> None:
    request = {"cpus": 1, "pods": 2, "affinity": {"gang": {"island": "rack"}}}
    racks = within_racks({"a": ["a1", "a2"], "b": ["b1"]})
    found = domains_of(situation_of(counted({"a1": 1, "a2": 2, "b1": 1}, {}, request, **racks)))
    assert [[host.name for host in domain] for domain in found] == [["a1", "a2"], ["a2"]]


def test_at_most_eight_domains_are_tried() -> None:
    names = [f"r{number}" for number in range(MAX_DOMAINS + 1)]
    jobs = {name: {"on": name, "cpus": 1, "preemptible": name == names[-1]} for name in names}
    request = {"cpus": 1, "affinity": {"gang": {"island": "rack"}}}
    nodes = dict.fromkeys(names, 1)
    everything = counted(nodes, jobs, request, **within_racks({name: [name] for name in names}))
    assert volcano_gangpreempt(situation_of(everything)).gave_up is not None
    fewer = {name: cores for name, cores in nodes.items() if name != names[0]}
    left = {name: job for name, job in jobs.items() if name != names[0]}
    instance = counted(fewer, left, request, **within_racks({name: [name] for name in fewer}))
    assert evicted(instance) == {names[-1]}
