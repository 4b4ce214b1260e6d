"""The progress bar: on a terminal only, and never in the way of what passes through."""

from __future__ import annotations

import sys

import pytest

from topreempt.cli.progress import with_progress


class Terminal:
    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(with_progress(iter("abc"), "letters", 3)) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert list(with_progress(iter("abc"), "letters", 5, 2)) == ["a", "b", "c"]
    assert "letters" in terminal.text and "5/5" in terminal.text
