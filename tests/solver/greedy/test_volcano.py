"""Volcano: the victim queue, the gang's veto, the dry run, and what the preempt action skips."""

from __future__ import annotations

from builders import drawn
from counted import counted

from topreempt.models import Instance
from topreempt.solver.greedy.survey import situation_of
from topreempt.solver.greedy.volcano import volcano_dryrun, volcano_preempt

GANG = {"pods": [("n1", 1), ("n1", 1)]}


def preempt(instance: Instance, **options: bool) -> set[str]:
    return set(volcano_preempt(situation_of(instance), **options).evicted)


def test_tasks_of_jobs_that_tie_go_by_highest_index_then_youngest() -> None:
    jobs = {
        "a-0": {"on": "n1", "cpus": 1, "running_seconds": 1},
        "a-2": {"on": "n1", "cpus": 1, "running_seconds": 9},
        "b-1": {"on": "n1", "cpus": 1, "running_seconds": 5},
        "c-1": {"on": "n1", "cpus": 1, "running_seconds": 4},
    }
    for ask, gone in ((1, {"a-2"}), (2, {"a-2", "c-1"}), (3, {"a-2", "c-1", "b-1"})):
        assert preempt(counted({"n1": 4}, jobs, ask)) == gone


def test_the_veto_protects_a_job_at_its_minimum_only_when_it_is_on() -> None:
    instance = counted({"n1": 2}, {"tight": GANG}, 1)
    assert preempt(instance) == {"tight-1"}
    assert volcano_preempt(situation_of(instance), gang_guard=True).gave_up is not None


def test_the_veto_lets_the_surplus_go() -> None:
    instance = counted({"n1": 2}, {"loose": {**GANG, "min_available": 1}}, {"cpus": 1})
    assert preempt(instance, gang_guard=True) == {"loose-1"}
    both = counted({"n1": 2}, {"loose": {**GANG, "min_available": 1}}, {"cpus": 2})
    assert volcano_preempt(situation_of(both), gang_guard=True).gave_up is not None


def test_the_first_node_that_works_wins_and_nobody_is_given_back() -> None:
    # Lowest priority first: the one-core pod goes, then the large one, which alone would do.
    jobs = {"small": {"on": "n1", "cpus": 1, "priority": 1}, "large": {"on": "n1", "cpus": 3, "priority": 2}}
    cheap = {"cheap": {"on": "n2", "cpus": 4, "priority": 0}}
    assert preempt(counted({"n1": 4, "n2": 4}, jobs | cheap, 3)) == {"small", "large"}


def test_the_dry_run_gives_back_whom_it_did_not_need() -> None:
    jobs = {"small": {"on": "n1", "cpus": 1, "priority": 1}, "large": {"on": "n1", "cpus": 3, "priority": 2}}
    assert set(volcano_dryrun(situation_of(counted({"n1": 4}, jobs, 3))).evicted) == {"large"}


def test_the_dry_run_compares_a_tenth_of_the_nodes() -> None:
    # Below 20 nodes the first that works is taken; of 20 the better of the first two.
    def chosen(number: int) -> tuple[str, ...]:
        nodes = {f"n{place:02d}": 1 for place in range(number)}
        jobs = {f"j{place:02d}": {"on": name, "cpus": 1, "priority": 50 - place} for place, name in enumerate(nodes)}
        return volcano_dryrun(situation_of(counted(nodes, jobs, 1))).nodes

    assert chosen(19) == ("n00",)
    assert chosen(20) == ("n01",)


def test_a_job_with_a_network_topology_is_skipped() -> None:
    gang = {"gpus": 1, "pods": 2, "gang": "node"}
    decision = volcano_preempt(situation_of(drawn({"n1": "ab"}, {"a": 1, "b": 1}, gang)))
    assert decision.gave_up == "the preempt action skips jobs with a network topology"


def test_all_pods_or_nobody() -> None:
    jobs = {"a": {"on": "n1", "cpus": 1}, "b": {"on": "n1", "cpus": 1, "preemptible": False}}
    decision = volcano_preempt(situation_of(counted({"n1": 2}, jobs, {"cpus": 1, "pods": 2})))
    assert (decision.evicted, decision.nodes) == ({}, ())
