"""Every mistake in an instance file ends in one clear message and status 2: one file of tests/data/broken each."""

from pathlib import Path

import pytest
import yaml

DATA = Path(__file__).parent.parent / "data"
BROKEN = DATA / "broken"

# What the first line says after the name of the file.
SAYS: dict[str, str] = yaml.safe_load((DATA / "broken.yaml").read_text())


def test_every_broken_file_is_in_the_table() -> None:
    assert sorted(path.name for path in BROKEN.iterdir()) == sorted(SAYS)


@pytest.mark.parametrize("name", sorted(SAYS))
def test_broken_file_is_refused(topreempt, name: str) -> None:
    outcome = topreempt("solve", BROKEN / name, "--time-limit", 1)
    assert outcome.status == 2
    assert outcome.out == ""
    assert SAYS[name] in outcome.err.splitlines()[0]
    assert outcome.err.startswith(f"{BROKEN / name}: ")


@pytest.mark.parametrize("path", sorted((DATA / "good").iterdir()), ids=lambda path: path.name)
def test_good_file_is_accepted(topreempt, path: Path) -> None:
    assert topreempt("show", path).status == 0


@pytest.mark.parametrize("name", ["absent.yaml", "", "a/b/c.json", "bad\0name.yaml"])
def test_file_that_cannot_be_read(topreempt, tmp_path: Path, name: str) -> None:
    outcome = topreempt("solve", tmp_path / name)
    assert (outcome.status, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1


def test_many_problems_are_cut(topreempt, tmp_path: Path) -> None:
    pods = ", ".join(f"{{name: p{number}, node: n1, slots: [{number}]}}" for number in range(9, 60))
    text = f"""
format: topreempt/v1
cluster: {{levels: [node], nodes: [{{name: n1, gpus: 8}}]}}
jobs: [{{name: a, priority: 1, pods: [{pods}]}}]
request: {{name: r, priority: 2, gpus: 1}}
"""
    (tmp_path / "many.yaml").write_text(text)
    outcome = topreempt("solve", tmp_path / "many.yaml")
    lines = outcome.err.splitlines()
    assert outcome.status == 2
    assert len(lines) == 21
    assert lines[-1] == "and 31 more"
