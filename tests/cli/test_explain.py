"""`solve --explain`, its what-if options and `explain` on the command line, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import drawn

from topreempt.instances.write import plain_instance, write_document
from topreempt.models import Plan
from topreempt.models.review import Review


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Domains of n1 cost 2 and 4; n2 is held by others; all of n1 costs 2."""
    request = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}}
    instance = drawn({"n1": "a.|bb", "n2": "cc"}, {"a": 2, "b": 2, "c": 200}, request=request)
    path = tmp_path / "cluster.yaml"
    write_document(plain_instance(instance), path)
    return path


def plan_of(outcome: Any) -> Plan:
    return Plan.parse(json.loads(outcome.out))


def test_a_plain_solve_explains_what_is_free(topreempt, file: Path) -> None:
    plan = plan_of(topreempt("solve", file, "--json"))
    assert [victim.why for victim in plan.victims] == ["without it island n1/0 is 1 slot short"]
    assert (plan.alternatives, plan.cores, plan.changes, plan.tradeoff) == ((), (), (), ())


def test_explain_adds_all_but_the_tradeoff(topreempt, file: Path) -> None:
    plan = plan_of(topreempt("solve", file, "--explain", "--json"))
    (victim,) = plan.victims
    assert victim.why.endswith("the cheapest plan that spares it costs 4 instead of 2")
    assert [other.island for other in plan.alternatives] == ["n1/1"]
    assert plan.tradeoff == ()


def test_explained_in_words(topreempt, file: Path) -> None:
    outcome = topreempt("solve", file, "--explain", "--tradeoff")
    assert outcome.status == 0
    for said in (
        "the cheapest plan that spares it costs 4 instead of 2",
        "alternatives",
        "n1/1",
        "trade-off",
        "granted, Pareto",
    ):
        assert said in " ".join(outcome.out.split())


def test_alternatives_and_tradeoff_alone(topreempt, file: Path) -> None:
    plan = plan_of(topreempt("solve", file, "--alternatives", 1, "--json"))
    assert [other.weighted_work for other in plan.alternatives] == [4.0]
    assert all(len(victim.facts) == 1 for victim in plan.victims)
    rows = plan_of(topreempt("solve", file, "--tradeoff", "--json")).tradeoff
    assert [(row.pod, row.weighted_work, row.granted) for row in rows] == [("numa", 2.0, True), ("node", 2.0, False)]


def test_infeasible_in_words(topreempt, file: Path) -> None:
    outcome = topreempt("solve", file, "--explain", "--set", "request.priority=2", "--set", "request.gpus=4")
    assert outcome.status == 3
    words = " ".join(outcome.out.split())
    assert "this rule alone leaves no room: only jobs of priority below 2 may go" in words
    assert "with priority 3 instead of 2; the cheapest plan then costs 6 and evicts 2 pods" in words
    assert "--set 'request.priority=3'" in words


def test_suggested_settings_work_as_printed(topreempt, file: Path) -> None:
    plan = plan_of(
        topreempt("solve", file, "--explain", "--json", "--set", "request.priority=2", "--set", "request.gpus=4")
    )
    assert plan.changes
    for change in plan.changes:
        options = [part for setting in change.settings for part in ("--set", setting)]
        outcome = topreempt("solve", file, "--set", "request.priority=2", "--set", "request.gpus=4", *options)
        assert outcome.status == 0, change


def test_what_if(topreempt, file: Path) -> None:
    spared = plan_of(topreempt("solve", file, "--forbid-victim", "a", "--json"))
    assert spared.evicted == {"b@n1"}
    both = plan_of(topreempt("solve", file, "--forbid-victim", "a", "--forbid-victim", "b", "--json"))
    assert both.status == "infeasible"
    elsewhere = plan_of(topreempt("solve", file, "--only-node", "n2", "--json"))
    assert elsewhere.status == "infeasible"
    assert "cordoned-node" in {str(reason.code) for reason in elsewhere.reasons}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--forbid-victim", "zz"), "--forbid-victim: found 'zz', expected the name of a job"),
        (("--only-node", "z*"), "--only-node: found 'z*', expected the name of a node"),
        (("--alternatives", "-1"), "--alternatives"),
        (("--explain", "--explain-limit", "soon"), "--explain-limit"),
        (("--explain", "--policy", "lowest-first"), "--policy lowest-first: only exact explains its plans"),
    ],
)
def test_wrong_usage(topreempt, file: Path, options: tuple[str, ...], says: str) -> None:
    outcome = topreempt("solve", file, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err


def test_a_baseline_is_reviewed(topreempt, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    topreempt("solve", file, "--policy", "k8s-default", "--out", path)
    outcome = topreempt("explain", file, path)
    assert outcome.status == 0
    assert "plan of policy k8s-default" in outcome.out
    assert "findings" in outcome.out
    review = Review.parse(json.loads(topreempt("explain", file, path, "--json").out))
    assert review.policy == "k8s-default"
    assert review.least_cost == 2.0
    assert review.best.status == "optimal"


def test_needless_victims_are_named(topreempt, file: Path, tmp_path: Path) -> None:
    plan = json.loads(topreempt("solve", file, "--json").out)
    victim = plan["victims"][0]
    more = victim | {"job": "b", "pods": ["b@n1"], "lost_gpu_seconds": 2.0, "weighted_cost": 4.0, "facts": []}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan | {"policy": "mine", "status": "feasible", "victims": [victim, more]}))
    review = json.loads(topreempt("explain", file, path, "--json").out)
    assert [found["job"] for found in review["needless"]] == ["b"]
    words = " ".join(topreempt("explain", file, path).out.split())
    assert "1 pod of 2 need not go (proved): b; 2 GPU-s lost in vain, cost 4" in words
    assert "it breaks the rule" in words


def test_explain_refuses_what_is_no_plan(topreempt, file: Path) -> None:
    outcome = topreempt("explain", file, file)
    assert (outcome.status, outcome.out) == (2, "")
    assert "cluster" in outcome.err


def test_log_on_standard_error(topreempt, file: Path) -> None:
    quiet = topreempt("solve", file, "--json")
    assert quiet.err == ""
    told = topreempt("solve", file, "--json", "-v")
    assert told.out == quiet.out
    assert "compiled 2 nodes, 3 jobs" in told.err
    assert "plan found" in told.err
    assert "CP-SAT" not in told.err
    everything = topreempt("solve", file, "--json", "-vv")
    assert everything.out == quiet.out
    assert "CP-SAT" in everything.err
    assert topreempt("solve", file, "--json").err == ""
