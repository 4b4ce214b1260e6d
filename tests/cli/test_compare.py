"""`compare`: files and scenarios, tables of 80 columns, CSV, JSON, pictures, and runs that go on where they stopped."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from topreempt.instances.generators import fragmented
from topreempt.instances.write import plain_instance, write_document
from topreempt.models import Plan
from topreempt.models.check import violations
from topreempt.solver.greedy.registry import policies

SMALL = ("--scenario", "fragmented", "--count", 4, "--nodes", 6, "--policy", "k8s-default", "--policy", "exact")
TIMES = ("seconds_p50", "seconds_p95", "seconds")


def without_times(document: str) -> Any:
    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(part) for key, part in value.items() if key not in TIMES}
        return [cut(part) for part in value] if isinstance(value, list) else value

    return cut(json.loads(document))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{index}.json" for index in range(3)]
    for index, path in enumerate(paths):
        write_document(plain_instance(fragmented(2, index, nodes=6)), path)
    return paths


def test_files_give_a_row_a_policy_in_80_columns(topreempt, files) -> None:
    done = topreempt("compare", *files)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert all(len(line) <= 80 and "…" not in line for line in lines)
    for name in (*policies(), "exact"):
        assert sum(line.split()[:1] == [name] and line.split()[1][0].isdigit() for line in lines) == 2


def test_json_carries_rows_and_every_plan(topreempt, files) -> None:
    done = topreempt("compare", *files, "--json")
    data = json.loads(done.out)
    (group,) = data["groups"]
    assert [row["policy"] for row in group["rows"]] == [*policies(), "exact"]
    assert len(data["outcomes"]) == 3 * len(group["rows"])
    from topreempt import Instance

    for outcome in data["outcomes"]:
        plan = Plan.parse(outcome["plan"])
        assert plan.policy == outcome["policy"]
        faults = violations(Instance.load(outcome["instance"]), plan)
        assert {str(fault.rule) for fault in faults} <= {"whole-job", "hard-budget", "max-victims", "protected-job"}


def test_csv_has_a_line_a_row(topreempt) -> None:
    done = topreempt("compare", *SMALL, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["policy"] for row in rows] == ["k8s-default", "exact"]
    assert rows[1]["plans"] == "4" and float(rows[1]["ratio"]) == 1.0


def test_twice_the_same_numbers(topreempt) -> None:
    first, second = (topreempt("compare", *SMALL, "--json").out for _ in range(2))
    assert without_times(first) == without_times(second)
    assert without_times(first) != without_times(topreempt("compare", *SMALL, "--json", "--seed", 1).out)


def test_an_interrupted_run_goes_on_and_ends_with_the_same(topreempt, tmp_path: Path) -> None:
    whole = topreempt("compare", *SMALL, "--json")
    kept = topreempt("compare", *SMALL, "--json", "--out", tmp_path / "run")
    assert without_times(kept.out) == without_times(whole.out)
    journal = tmp_path / "run" / "outcomes.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    resumed = topreempt("compare", "--resume", tmp_path / "run", "--json")
    assert without_times(resumed.out) == without_times(whole.out)
    assert len(journal.read_bytes().splitlines()) == 4
    again = topreempt("compare", "--resume", tmp_path / "run", "--json")
    assert json.loads(again.out) == json.loads(resumed.out)  # nothing left to do: even the times are the same


def test_a_changed_file_does_not_pass_for_the_one_compared(topreempt, tmp_path: Path, files) -> None:
    topreempt("compare", *files, "--policy", "exact", "--out", tmp_path / "run")
    (tmp_path / "run" / "outcomes.jsonl").write_bytes(b"")
    write_document(plain_instance(fragmented(3, 0, nodes=6)), files[1])
    done = topreempt("compare", "--resume", tmp_path / "run")
    assert done.status == 2
    assert str(files[1]) in done.err and "changed" in done.err


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_is_drawn(topreempt, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"rows.{suffix}"
    done = topreempt("compare", *SMALL, "--plot", path)
    assert done.status == 0 and str(path) in done.err
    head = path.read_bytes()[:200]
    assert head.startswith(b"\x89PNG") if suffix == "png" else b"<svg" in path.read_bytes()[:2000]


def test_the_paper_has_its_own_policies_and_two_clusters(topreempt) -> None:
    done = topreempt("compare", "--scenario", "paper", "--count", 3, "--json", "--jobs", 1)
    groups = json.loads(done.out)["groups"]
    assert [group["title"] for group in groups] == [f"paper, nodes {nodes}, seed 0: 3 instances" for nodes in (100, 41)]
    for group in groups:
        names = [row["policy"] for row in group["rows"]]
        assert names == ["godel-standard", "flextopo-exhaustive", "flextopo-early-stop", "exact"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "FILE... or --scenario NAME"),
        (("x.json", "--scenario", "paper"), "one of the two"),
        (("x.json",), "x.json: expected a readable file"),
        (("-",), "expected names of files"),
        (("--scenario", "nowhere"), "--scenario: found 'nowhere', expected one of paper"),
        (("--scenario", "gangs", "--policy", "magic"), "--policy: found 'magic', expected one of lowest-first"),
        (("--scenario", "gangs", "--json", "--csv"), "expected one of them"),
        (("--scenario", "gangs", "--plot", "x.pdf"), ".png or .svg"),
        (("--scenario", "gangs", "--plot", "no/folder/x.png"), "a folder that exists"),
        (("--resume", "nowhere"), "the folder of a comparison"),
        (("--resume", "nowhere", "--scenario", "gangs"), "the folder says"),
        (("--scenario", "gangs", "--fill", 7), "fill: found 7.0"),
        (("--scenario", "fleet", "--request-gpus", 2), "--request-gpus: scenario fleet has no such option"),
    ],
)
def test_wrong_usage_is_one_clear_message(topreempt, monkeypatch, tmp_path, arguments, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = topreempt("compare", *arguments)
    assert done.status == 2
    assert message in done.err
    assert done.out == ""
