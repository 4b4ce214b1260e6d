"""``solve`` and ``verify`` as a shell sees them: output, files and exit statuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from topreempt import Instance, Plan
from topreempt.models.check import violations

BASE = Path(__file__).parent.parent / "data" / "good" / "base.yaml"


def test_plan_for_a_person(topreempt) -> None:
    outcome = topreempt("solve", BASE)
    assert outcome.status == 0
    assert outcome.err == ""
    assert all(len(line) <= 80 for line in outcome.out.splitlines())
    # b holds two of the three usable slots of n2; its 60 s of 2 GPUs at priority 20 are less than a's 600 s.
    assert outcome.out.startswith("r  optimal: no plan costs less (proved)\n")
    assert "b          20     1         120  2,400" in outcome.out
    assert "0  n2    numa   n2/m0   0 1" in outcome.out
    assert "\x1b" not in outcome.out


def test_json_is_the_plan_that_out_writes(topreempt, tmp_path: Path) -> None:
    outcome = topreempt("solve", BASE, "--json", "--out", tmp_path / "plan.json")
    printed, written = Plan.parse(json.loads(outcome.out)), Plan.load(tmp_path / "plan.json")
    assert printed == written
    assert printed.evicted == {"b-0"}
    assert violations(Instance.load(BASE), printed) == []
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_plan_as_yaml(topreempt, tmp_path: Path) -> None:
    topreempt("solve", BASE, "--out", tmp_path / "plan.yaml")
    assert Plan.parse(yaml.safe_load((tmp_path / "plan.yaml").read_text())).status == "optimal"


@pytest.mark.parametrize("name", ["plan.txt", "plan", "absent/plan.json"])
def test_out_is_refused_before_the_work(topreempt, tmp_path: Path, name: str) -> None:
    outcome = topreempt("solve", "absent.yaml", "--out", tmp_path / name)
    assert outcome.status == 2
    assert name in outcome.err


def test_standard_input(topreempt) -> None:
    assert topreempt("solve", "-", stdin=BASE.read_bytes()).status == 0


@pytest.mark.parametrize(
    ("settings", "status", "evicted"),
    [
        # a-1 holds half a slot: 300 GPU-seconds at priority 10; the reservation on the other slot gives way.
        (["request.priority=15"], 0, {"a-1"}),
        (["request.priority=10"], 3, set()),
        (["request.may_preempt=false"], 3, set()),
        # One GPU is free on n2 wherever b sits, and no NUMA node has to be found for it.
        (["request.affinity={}", "request.gpus=1", "cluster.machines.box.topology_policy=none"], 0, set()),
        (["jobs[1].pods[0].lost_gpu_seconds=1e6"], 0, {"a-1"}),
        (["jobs[0].pods[1].lost_gpu_seconds=1e6", "jobs[1].preemptible=false"], 0, {"a-0"}),
        (["policy.weights=", "policy.weights.table={'10': 1, '20': 1000}"], 0, {"a-1"}),
        (["policy.weights={table: {'10': 1, '20': 1}}", "policy.weights.table['20']=1000"], 0, {"a-1"}),
    ],
)
def test_settings_change_the_decision(topreempt, settings: list[str], status: int, evicted: set[str]) -> None:
    options = [option for setting in settings for option in ("--set", setting)]
    outcome = topreempt("solve", BASE, "--json", *options)
    assert (outcome.status, outcome.err) == (status, "")
    assert Plan.parse(json.loads(outcome.out)).evicted == evicted


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("request.priority", "expected PATH=VALUE"),
        ("=5", "expected a path"),
        ("request..priority=5", "expected a path"),
        ("request.priority=high", "request.priority: found 'high', expected a whole number"),
        ("request.colour=red", "request.colour: found 'red', expected only fields that are known here"),
        ("jobs[7].priority=1", "found [7] of a list of 2, expected an entry that exists"),
        ("jobs[0].pods.name=x", "found 'name' of a list, expected a mapping"),
        ("jobs.a.priority=1", "found 'a' of a list, expected a mapping"),
        ("request[0]=1", "found [0] of a dict, expected an entry that exists"),
        ("request.priority={", "--set request.priority: line 2, column 1: expected well-formed YAML"),
        ("format=topreempt/v2", "format: found 'topreempt/v2', expected 'topreempt/v1'"),
    ],
)
def test_settings_that_make_no_sense(topreempt, setting: str, says: str) -> None:
    outcome = topreempt("solve", BASE, "--set", setting)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err


def test_infeasible_gives_reasons(topreempt, tmp_path: Path) -> None:
    outcome = topreempt("solve", BASE, "--set", "request.priority=10", "--out", tmp_path / "plan.json")
    assert outcome.status == 3
    assert "infeasible: no permitted eviction helps (proved)" in outcome.out
    plan = Plan.load(tmp_path / "plan.json")
    assert plan.reasons
    assert not plan.victims
    assert all(reason.text.split()[0] in outcome.out for reason in plan.reasons)


@pytest.mark.parametrize(
    "options",
    [
        ("--time-limit", "nan"),
        ("--time-limit", "-1"),
        ("--time-limit", "0"),
        ("--workers", "0"),
        ("--seed", "-1"),
        ("--policy", "crystal-ball"),
        ("--colour", "red"),
        ("--time-limit", "soon"),
    ],
)
def test_wrong_usage(topreempt, options: tuple[str, str]) -> None:
    outcome = topreempt("solve", BASE, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err


def test_unknown_policy_lists_the_known_ones(topreempt) -> None:
    assert "expected one of exact, " in topreempt("solve", BASE, "--policy", "crystal-ball").err


def test_plan_of_a_baseline_says_so(topreempt) -> None:
    outcome = topreempt("solve", BASE, "--policy", "k8s-default")
    assert outcome.out.startswith("r  policy k8s-default decides, without proof\n")
    assert outcome.status == 0


def test_verify_accepts_our_plan_and_names_broken_rules(topreempt, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    topreempt("solve", BASE, "--out", good)
    outcome = topreempt("verify", BASE, good)
    assert (outcome.status, outcome.out) == (0, "no rule is broken: optimal plan of r\n")
    plan = json.loads(good.read_text())
    plan["victims"] = []
    bad.write_text(json.dumps(plan))
    outcome = topreempt("verify", BASE, bad)
    assert outcome.status == 3
    found = violations(Instance.load(BASE), Plan.load(bad))
    assert outcome.out.splitlines() == [f"{violation.rule}: {violation.text}" for violation in found]
    as_json = topreempt("verify", BASE, bad, "--json")
    assert as_json.status == 3
    assert len(json.loads(as_json.out)["violations"]) == len(found) > 0


def test_verify_refuses_what_is_no_plan(topreempt) -> None:
    outcome = topreempt("verify", BASE, BASE)
    assert outcome.status == 2
    assert "format: found 'topreempt/v1', expected 'topreempt/plan/v1'" in outcome.err


def test_fault_of_ours_is_short(topreempt, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[object]:
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr("topreempt.models.check.violations", broken)
    plan = '{"format": "topreempt/plan/v1", "request": "r", "status": "unknown", "admitted": false}'
    outcome = topreempt("verify", BASE, "-", stdin=plan.encode())
    assert outcome.status == 1
    assert outcome.err.splitlines()[0] == "internal error: RuntimeError: a wheel came off"
    assert len(outcome.err.splitlines()) == 2


def shell(*arguments: object, **options: object) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "topreempt", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)


def test_reader_that_leaves_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "topreempt", "solve", str(BASE), "--set", "request.priority=10"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (3, b"")


def test_names_beyond_the_encoding_are_escaped() -> None:
    options = ("--set", "request.name=r\u00e4cher")
    ended = shell("solve", BASE, *options, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"r\\xe4cher  optimal")
    ended = shell("solve", BASE, *options, "--json", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert json.loads(ended.stdout)["request"] == "r\u00e4cher"
