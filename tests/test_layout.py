"""The house keeps its plan: packages, arrows between the rooms, and what an import costs."""

import ast
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("cli", "instances", "models", "solver")
MAY_IMPORT = {
    "models": set(),
    "instances": {"models"},
    "solver": {"models"},
    "cli": {"models", "instances", "solver"},
}
HOME_OF = {"ortools": "solver.exact.cpsat", "typer": "cli", "click": "nowhere", "rich": "cli"}
NOT_AT_IMPORT = ("ortools", "pandas", "typer", "rich", "networkx", "yaml", "matplotlib", "dask", "joblib", "pytest")
MOST_LINES = 400


@cache
def settings() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources() -> list[Path]:
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported(path: Path) -> set[str]:
    """Dotted names that a file imports; ours relative to the root (``models.plan``)."""
    package = list(path.relative_to(ROOT).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            assert len(package) >= node.level - 1, f"{path} imports from above the package"
            stem = [*base, *(node.module or "").split(".")] if node.module else base
            names |= {".".join([*stem, alias.name]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_every_package_is_listed() -> None:
    listed = settings()["tool"]["setuptools"]["packages"]
    found = {".".join(("topreempt", *p.parent.relative_to(ROOT).parts)) for p in sources() if p.name == "__init__.py"}
    assert set(listed) == found | {"topreempt"}
    assert len(listed) == len(set(listed))


def test_every_source_lies_in_a_package() -> None:
    assert [path for path in sources() if not (path.parent / "__init__.py").exists()] == []


def test_every_data_file_is_packaged() -> None:
    patterns = settings()["tool"]["setuptools"]["package-data"]
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_dir() or path.suffix in (".py", ".pyc"):
                continue
            assert any(
                fnmatch(str(path), str(ROOT.joinpath(*package.split(".")[1:]) / pattern))
                for package, globs in patterns.items()
                for pattern in globs
            ), f"{path.relative_to(ROOT)} is missing from the wheel"


def test_only_two_sources_at_the_root() -> None:
    assert sorted(path.name for path in ROOT.glob("*.py")) == ["__init__.py", "__main__.py"]


@pytest.mark.parametrize("path", sources(), ids=module_name)
def test_imports_follow_the_arrows(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imported(path):
        top = name.split(".")[0]
        assert top != "topreempt", f"{path} imports {name} absolutely"
        if top in ROOMS:
            assert top == room or top in MAY_IMPORT[room], f"{path} imports {name}"
        if top in HOME_OF:
            assert f"{module_name(path)}.".startswith(f"{HOME_OF[top]}."), f"{path} imports {name}"


@pytest.mark.parametrize("path", sources(), ids=module_name)
def test_files_are_small_and_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{path} does not open with its purpose"
    assert len(text.splitlines()) <= MOST_LINES


def test_nothing_names_a_machine() -> None:
    examples = [path for path in ROOT.glob("examples/**/*") if path.is_file()]
    for path in [*sources(), *ROOT.glob("*.md"), *ROOT.glob("docs/*"), *examples, ROOT / ".ci/run"]:
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in ("/work/", "/root/", "/home/")), path


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("module", ["topreempt", "topreempt.models"])
def test_import_stays_light(module: str) -> None:
    loaded = python(f"import sys, {module}; print(*sys.modules)").split()
    assert not {name.split(".")[0] for name in loaded} & set(NOT_AT_IMPORT)


def test_help_needs_no_solver() -> None:
    loaded = python("import sys, topreempt.cli.app; print(*sys.modules)").split()
    assert not {name.split(".")[0] for name in loaded} & {"ortools", "pandas", "numpy", "rich"}


def test_import_is_fast() -> None:
    # Processor time: the machine may be busy with other tests.
    clock = "import time; s = time.process_time(); import topreempt; print(time.process_time() - s)"
    assert min(float(python(clock)) for _ in range(3)) < 0.3
