"""docs/reasons.md: every code has an example, and every example says what the document says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from documented import lines_of

from topreempt.models.explanation import ChangeCode, VictimCode
from topreempt.models.reasons import ReasonCode

DOCUMENT = (Path(__file__).parents[3] / "docs" / "reasons.md").read_text(encoding="utf-8")
SECTIONS = {"What blocks a request": ReasonCode, "Why a victim goes": VictimCode, "What would help": ChangeCode}
EXAMPLE = re.compile(r"^### `(?P<code>[^`]+)`\n.*?```yaml\n(?P<run>.*?)```\n```text\n(?P<said>.*?)\n```", re.S | re.M)


def section(title: str) -> str:
    return DOCUMENT.partition(f"## {title}\n")[2].partition("\n## ")[0]


def examples() -> list[pytest.param]:  # type: ignore[valid-type]
    return [
        pytest.param(match["code"], match["run"], match["said"], id=f"{title.split()[-1]}-{match['code']}")
        for title in SECTIONS
        for match in EXAMPLE.finditer(section(title))
    ]


@pytest.mark.parametrize("title", SECTIONS)
def test_every_code_has_its_example(title: str) -> None:
    documented = [match["code"] for match in EXAMPLE.finditer(section(title))]
    assert sorted(documented) == sorted(str(code) for code in SECTIONS[title])
    assert section(title).count("\n### ") == len(documented)


@pytest.mark.parametrize(("code", "run", "said"), examples())
def test_example_says_what_is_documented(code: str, run: str, said: str) -> None:
    assert [line for line in lines_of(yaml.safe_load(run)) if f"[{code}]" in line] == said.splitlines()
