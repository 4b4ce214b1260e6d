"""``show`` in the terminal: who sits where, what a plan changes, and large clusters summed up."""

import json
from pathlib import Path

import pytest

from topreempt.models import Plan

BASE = Path(__file__).parents[2] / "data/good/base.yaml"


def test_show_draws_islands_and_holders(topreempt) -> None:
    outcome = topreempt("show", BASE)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0] == "cluster  2 nodes, 8 GPUs: 5 in use, 2 free, 1 offline"
    assert "0 a-0 (10)" in outcome.out
    assert "2 a-1 (10, share 0.5) + 0.5 free" in outcome.out
    assert "3 other (reserved, 5)" in outcome.out
    assert "2× b-0 (20)" in outcome.out
    assert outcome.out.count("numa m0") == 2
    assert "\x1b" not in outcome.out


def test_show_draws_what_a_plan_changes(topreempt, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    topreempt("solve", BASE, "--set", "request.priority=15", "--out", plan)
    out = topreempt("show", BASE, "--plan", plan).out
    assert "2 a-1 (evicted, 10, share 0.5) + 0.5 free → r#0" in out
    assert "3 other (reservation displaced, 5) → r#0" in out
    other = topreempt("show", BASE, "--plan", plan, "--node", "n2").out
    assert "(evicted" not in other
    assert "n1" not in other


def test_show_refuses_another_plan(topreempt, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    topreempt("solve", BASE, "--set", "request.name=q", "--out", plan)
    outcome = topreempt("show", BASE, "--plan", plan)
    assert outcome.status == 2
    assert "not one of this instance" in outcome.err


@pytest.mark.parametrize("options", [("--node", "n9"), ("--level", "socket"), ("--level", "rack")])
def test_show_refuses_what_is_not_there(topreempt, options: tuple[str, str]) -> None:
    assert topreempt("show", BASE, *options).status == 2


def test_show_sums_up_many_nodes_and_draws_the_touched(topreempt, tmp_path: Path) -> None:
    topreempt("generate", "paper", "--nodes", 30, "--request-gpus", 4, "--out", tmp_path)
    file, plan = tmp_path / "paper-0-0000.yaml", tmp_path / "plan.json"
    assert topreempt("solve", file, "--out", plan).status == 0
    alone = topreempt("show", file).out
    assert "nodes by machine and free GPUs" in alone
    assert "server-" not in alone
    touched = {placed.node for placed in Plan.load(plan).placements}
    out = topreempt("show", file, "--plan", plan).out
    assert all(node in out for node in touched)


def test_show_as_json(topreempt) -> None:
    nodes = json.loads(topreempt("show", BASE, "--json").out)["nodes"]
    slots = [slot for island in nodes[0]["islands"] for slot in island["slots"]]
    assert [[pod["pod"] for pod in slot["occupants"]] for slot in slots] == [["a-0"], ["a-0"], ["a-1"], []]
