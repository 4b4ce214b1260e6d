"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from topreempt import ConfigError
from topreempt.instances.write import write_document


def test_existing_file_survives_a_failure(tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    target.write_text("old")
    with pytest.raises(ValueError, match="JSON"):
        write_document({"gap": float("nan")}, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_mode_is_kept_and_links_stay_links(tmp_path: Path) -> None:
    target, link = tmp_path / "plan.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_document({}, link)
    assert link.is_symlink()
    assert target.read_text() == "{}\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_document([], tmp_path / "a.yaml")
    finally:
        os.umask(before)
    assert (tmp_path / "a.yaml").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["a.txt", "a", "no/a.json", "folder.json"])
def test_bad_targets(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ConfigError):
        write_document({}, tmp_path / name)
