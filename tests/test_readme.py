"""The README's commands do what it says, and the test command is the one that the clean-checkout run uses.

``python tests/test_readme.py`` writes what the examples print now into the README.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- example -->\n```sh\n(.*?)```\n```text\n(.*?)```", README, re.DOTALL)


def only_topreempt(command: str) -> list[list[str]]:
    """The parts of a command that run topreempt; the environment is there already."""
    parts = [shlex.split(part) for part in command.split("&&")]
    return [part[1:] for part in parts if part[0].endswith("/topreempt")]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2
    assert EXAMPLES[0][0].startswith("python3 -m venv .venv && ")


def output_of(command: str, folder: Path) -> str:
    """What the last topreempt of a command prints, run beside the examples."""
    (folder / "examples").symlink_to(ROOT / "examples")
    out = ""
    for arguments in only_topreempt(command):
        run = [sys.executable, "-m", "topreempt", *arguments]
        out = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    return out.rstrip()


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_example_prints_what_the_readme_shows(command: str, printed: str, tmp_path: Path) -> None:
    assert output_of(command, tmp_path) == printed.rstrip()


@pytest.mark.parametrize(("code", "printed"), re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", README, re.DOTALL))
def test_python_examples(code: str, printed: str) -> None:
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout == printed


def test_test_command_is_what_the_clean_checkout_runs() -> None:
    (command,) = re.findall(r"<!-- test command -->\n```sh\n(.*?)```", README, re.DOTALL)
    assert "-m pytest" in command
    assert ".[dev]" in command
    script = (ROOT / ".ci" / "run").read_text()
    (extraction,) = re.findall(r"^command=\$\((.*)\)$", script, re.MULTILINE)
    found = subprocess.run(["bash", "-c", extraction], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert found == command


def test_commands_of_the_table_exist() -> None:
    listed = set(re.findall(r"^\| `topreempt (\w+)", README, re.MULTILINE))
    help_text = subprocess.run(
        [sys.executable, "-m", "topreempt", "--help"], capture_output=True, text=True, check=True
    ).stdout
    offered = set(re.findall(r"^  (\w+) ", help_text.partition("Commands:")[2].split("\n\n")[0], re.MULTILINE))
    assert listed == offered


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


if __name__ == "__main__":
    for command, printed in EXAMPLES:
        with TemporaryDirectory() as folder:
            README = README.replace(
                f"{command}```\n```text\n{printed}", f"{command}```\n```text\n{output_of(command, Path(folder))}\n"
            )
    (ROOT / "README.md").write_text(README, encoding="utf-8")
