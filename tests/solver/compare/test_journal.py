"""A comparison on disk: nothing is lost, nothing half-written is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from topreempt import ConfigError
from topreempt.solver.compare import Journal, Outcome

DEFINITION = {"policies": ["a"], "recipes": [1, 2]}


def outcome(case: int) -> Outcome:
    return Outcome(
        case=case, instance="i", policy="a", status="unknown", admitted=False, hit=False, granted={}, one_socket=None,
        weighted_work=0.1 + 0.2, price=0, lost_gpu_seconds=0, evicted_pods=0, budget_violations=0, gangs_broken=0,
        protected_evicted=0, idle_gpus=0, seconds=0,
    )  # fmt: skip


def test_what_was_added_is_there_again(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path / "run", DEFINITION)
    journal.add([outcome(1)])
    journal.add([outcome(0)])
    again, definition = Journal.resume(tmp_path / "run")
    assert definition == DEFINITION
    assert again.done == {0, 1}
    assert again.outcomes == [outcome(0), outcome(1)]


def test_a_torn_line_is_dropped_and_written_again(tmp_path: Path) -> None:
    journal = Journal.begin(tmp_path, DEFINITION)
    journal.add([outcome(0)])
    with (tmp_path / "outcomes.jsonl").open("ab") as file:
        file.write(b'[{"case": 1, "inst')
    again, _ = Journal.resume(tmp_path)
    assert again.done == {0}
    again.add([outcome(1)])
    assert Journal.resume(tmp_path)[0].done == {0, 1}


def test_a_second_beginning_is_refused(tmp_path: Path) -> None:
    Journal.begin(tmp_path, DEFINITION)
    with pytest.raises(ConfigError, match="--resume"):
        Journal.begin(tmp_path, DEFINITION)


@pytest.mark.parametrize("line", [b"no json\n", b"[{}]\n", b"3\n", b"\xff\n"])
def test_a_damaged_line_is_told_by_its_number(tmp_path: Path, line: bytes) -> None:
    Journal.begin(tmp_path, DEFINITION).add([outcome(0)])
    with (tmp_path / "outcomes.jsonl").open("ab") as file:
        file.write(line)
    with pytest.raises(ConfigError, match="line 2"):
        Journal.resume(tmp_path)


def test_a_folder_without_a_comparison(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the folder of a comparison"):
        Journal.resume(tmp_path)
