"""Every command has help with an example; ``schema``, ``generate`` and ``import openb`` do their work."""

import json
from pathlib import Path

import pytest
import yaml

from topreempt import Instance
from topreempt.instances.generators import SCENARIOS
from topreempt.models.plan import Plan

DATA = Path(__file__).parent.parent / "data"
BASE = DATA / "good" / "base.yaml"
NODES, PODS = DATA / "openb" / "nodes.csv", DATA / "openb" / "pods.csv"
COMMANDS = (["solve"], ["verify"], ["show"], ["schema"], ["generate"], ["import", "openb"])


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_an_example(topreempt, command: list[str]) -> None:
    outcome = topreempt(*command, "--help")
    assert outcome.status == 0
    assert f"Example: topreempt {' '.join(command)}" in outcome.out


def test_help_lists_the_commands(topreempt) -> None:
    out = topreempt("--help").out
    assert all(f"\n  {command[0]} " in out for command in COMMANDS)
    assert "Exit status:" in out
    assert topreempt("--version").out.startswith("topreempt ")


@pytest.mark.parametrize("kind", ["instance", "plan"])
def test_schema_names_every_field(topreempt, kind: str) -> None:
    schema = json.loads(topreempt("schema", kind).out)
    model = {"instance": Instance, "plan": Plan}[kind]
    assert list(schema["properties"]) == list(model.model_fields)
    assert all("description" in field for field in schema["properties"].values())


def test_schema_of_something_else(topreempt) -> None:
    assert topreempt("schema", "cluster").status == 2


@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_generate_can_be_repeated(topreempt, tmp_path: Path, scenario: str) -> None:
    first = topreempt("generate", scenario, "--seed", 5, "--count", 2, "--nodes", 8, "--out", tmp_path / "a")
    again = topreempt("generate", scenario, "--seed", 5, "--count", 2, "--nodes", 8, "--out", tmp_path / "b")
    assert (first.status, again.status) == (0, 0)
    files = [Path(line) for line in first.out.splitlines()]
    assert [path.name for path in files] == [f"{scenario}-5-0000.yaml", f"{scenario}-5-0001.yaml"]
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
        origin = Instance.load(path).origin
        assert origin is not None
        assert (origin.family, origin.seed) == (scenario, 5)
    assert files[0].read_bytes() != files[1].read_bytes()


@pytest.mark.parametrize("options", [("--nodes", 0), ("--fill", 2), ("--request-gpus", 9), ("--count", 0)])
def test_generate_refuses_sizes(topreempt, tmp_path: Path, options: tuple[str, int]) -> None:
    outcome = topreempt("generate", "paper", *options, "--out", tmp_path)
    assert outcome.status == 2
    assert list(tmp_path.iterdir()) == []


def test_generate_refuses_unknown_scenarios(topreempt) -> None:
    assert "expected one of paper, fragmented, gangs" in topreempt("generate", "flood").err


def test_import_openb_solves_and_holds(topreempt, tmp_path: Path) -> None:
    file, plan = tmp_path / "openb.json", tmp_path / "plan.json"
    outcome = topreempt("import", "openb", NODES, PODS, "--out", file)
    assert (outcome.status, outcome.out) == (0, "")
    assert topreempt("solve", file, "--out", plan).status == 0
    assert topreempt("verify", file, plan).status == 0


def test_import_openb_to_standard_output(topreempt) -> None:
    outcome = topreempt("import", "openb", NODES, PODS, "--request-gpus", 2, "--request-pods", 3, "--seed", 4)
    instance = Instance.parse(json.loads(outcome.out))
    assert (instance.request.gpus, instance.request.pods) == (2, 3)
    assert (
        outcome.out
        == topreempt("import", "openb", NODES, PODS, "--request-gpus", 2, "--request-pods", 3, "--seed", 4).out
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--qos-priority", "LS"), "--qos-priority: found 'LS', expected NAME=NUMBER"),
        (("--sockets", "x=2"), "--sockets: found 'x', expected GPUS=NUMBER"),
        (("--sockets", "8=9"), "socket: found 8=9, expected 1 to 8"),
        (("--fill", "7"), "fill: found 7.0"),
        (("--request-island", "moon"), "request.affinity.pod.island: found 'moon'"),
        (("--out", "openb.csv"), "expected a file name that ends in"),
    ],
)
def test_import_openb_refuses_options(topreempt, options: tuple[str, str], says: str) -> None:
    outcome = topreempt("import", "openb", NODES, PODS, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err


def test_written_instances_are_read_back(topreempt, tmp_path: Path) -> None:
    topreempt("import", "openb", NODES, PODS, "--out", tmp_path / "a.yaml")
    topreempt("import", "openb", NODES, PODS, "--out", tmp_path / "a.json")
    assert yaml.safe_load((tmp_path / "a.yaml").read_text()) == json.loads((tmp_path / "a.json").read_text())
    assert Instance.load(tmp_path / "a.yaml") == Instance.load(tmp_path / "a.json")
