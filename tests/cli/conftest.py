"""Runs commands in this process and gives back what a shell would see."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from topreempt.cli.app import app


@dataclass
class Outcome:
    status: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def topreempt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    def run(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            app([str(argument) for argument in arguments], prog_name="topreempt")
        except SystemExit as end:
            status = end.code
        else:
            raise AssertionError("a command ends with an exit status")
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(int(status or 0), out, err)

    return run
