"""GFS: from both ends of the price list, on the cheapest node."""

from __future__ import annotations

from counted import counted

from topreempt.solver.greedy.gfs import gfs_two_ended
from topreempt.solver.greedy.survey import situation_of


def test_the_dearest_is_spared_first_then_the_cheapest_in_turn() -> None:
    # 5 cores, 3 asked. Dear (2) is spared: 3 left free. Cheap (1) cannot be spared then, nor mid (2).
    jobs = {
        "dear": {"on": "n1", "cpus": 2, "lost": 9},
        "mid": {"on": "n1", "cpus": 2, "lost": 5},
        "cheap": {"on": "n1", "cpus": 1, "lost": 1},
    }
    assert set(gfs_two_ended(situation_of(counted({"n1": 5}, jobs, 3))).evicted) == {"mid", "cheap"}
    # 2 asked: dear is spared, then cheap (2 free left), then mid is not.
    assert set(gfs_two_ended(situation_of(counted({"n1": 5}, jobs, 2))).evicted) == {"mid"}


def test_the_node_that_loses_least_is_taken() -> None:
    jobs = {
        "a": {"on": "n1", "cpus": 1, "lost": 7},
        "b": {"on": "n2", "cpus": 1, "lost": 3, "priority": 2},
    }
    assert gfs_two_ended(situation_of(counted({"n1": 1, "n2": 1}, jobs, 1))).nodes == ("n2",)


def test_a_gang_is_priced_and_taken_whole() -> None:
    jobs = {"gang": {"pods": [("n1", 1), ("n2", 1)], "lost": 2}, "single": {"on": "n1", "cpus": 1, "lost": 3}}
    assert set(gfs_two_ended(situation_of(counted({"n1": 2, "n2": 1}, jobs, 1))).evicted) == {"single"}
