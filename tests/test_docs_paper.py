"""docs/paper.md: the numbers of the paper's experiment come out of the command that stands beside them."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

import pytest

from topreempt.cli.app import app

TEXT = (Path(__file__).parent.parent / "docs" / "paper.md").read_text(encoding="utf-8")


def block_after(words: str) -> list[str]:
    part = TEXT[TEXT.index(words) :]
    return re.findall(r"```text\n(.*?)```", part, re.DOTALL)[0].splitlines()


def printed(*arguments: str) -> str:
    out, sys.stdout = sys.stdout, io.StringIO()
    try:
        with pytest.raises(SystemExit) as end:
            app(["compare", *arguments], prog_name="topreempt")
        assert not end.value.code
        return sys.stdout.getvalue()
    finally:
        sys.stdout = out


def without_times(lines: list[str]) -> list[str]:
    """The last two columns of the table of costs are times; the rest must be the same to the letter."""
    kept, cost = [], False
    for line in lines:
        cost = "work lost" in line or (cost and bool(line.strip()))
        line = line.removesuffix("p50 ms p95 ms") if cost else line
        kept.append(re.sub(r"\s+\d+\.\d\s+\d+\.\d$", "", line).rstrip() if cost else line.rstrip())
    return kept


def test_the_short_run_prints_what_the_page_says() -> None:
    command = re.search(r"## A short run\n`topreempt compare ([^`]*)`", TEXT)
    assert command
    lines = without_times(printed(*command[1].split(), "--jobs", "1").splitlines())
    expected = block_after("## A short run")
    assert lines[: len(expected)] == expected


@pytest.mark.long
def test_the_5000_preemptions_print_what_the_page_says() -> None:
    lines = without_times(printed("--scenario", "paper").splitlines())
    expected = block_after("## Seed 0")
    assert lines[: len(expected)] == expected


@pytest.mark.long
@pytest.mark.parametrize("title", ["## By the size of the request", "## Other seeds", "## Other fill levels"])
def test_the_tables_of_hits_come_out_again(title: str) -> None:
    part = TEXT[TEXT.index(title) :]
    command = re.search(r"`topreempt compare ([^`]*)`", part)
    assert command
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.split("\n\n")[1:3][-1].splitlines()]
    for values in rows[2:]:
        arguments = [values[0] if word in ("N", "S", "F") else word for word in command[1].split()]
        if rows[0][1] == "servers":
            arguments += ["--nodes", values[1]]
        found = list(csv.DictReader(io.StringIO(printed(*arguments, "--csv"))))
        shown = [
            f"{100 * int(row['hits']) / int(row['plans']):.1f} "
            f"({100 * int(row['one_socket']) / int(row['with_victims']):.1f})"
            if int(row["with_victims"])
            else f"{100 * int(row['hits']) / int(row['plans']):.1f} (-)"
            for row in found
        ]
        assert shown == values[-4:]
