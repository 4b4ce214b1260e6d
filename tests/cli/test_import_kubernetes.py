"""``topreempt import kubernetes``: the document shows what the commands print; options reach the importer."""

import json
import re
import shlex
from pathlib import Path

import pytest
from kubectl import listed, node, pod, thing

from topreempt import Instance

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = ROOT / "docs" / "import-kubernetes.md"


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    numa = {"topology.kubernetes.io/zone": "z", "site/hall": "h", "site/label": "kept"}
    items = [node("a", labels=numa), pod("p", "a", 8, priority=1), pod("w", None, 4, priority=5), pod("v", None, 1)]
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(listed(*items)), encoding="utf-8")
    return file


def test_the_document_shows_what_the_commands_print(topreempt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```console\n\$ topreempt (.*?)\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (command, shown), (solve, plan) = blocks[:2]
    outcome = topreempt(*shlex.split(command))
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.splitlines() == shown.splitlines()
    outcome = topreempt(*shlex.split(solve))
    assert outcome.status == 0
    assert outcome.out.splitlines()[0] == plan.splitlines()[0]
    victims = [line.split()[0] for line in plan.splitlines() if line.startswith("  ml/")]
    assert victims
    assert all(f"  {victim}" in outcome.out for victim in victims)


def test_help_has_an_example(topreempt) -> None:
    outcome = topreempt("import", "kubernetes", "--help")
    assert outcome.status == 0
    assert "Example: topreempt import kubernetes" in outcome.out


def test_options_reach_the_importer(topreempt, cluster: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    options = ("--request", "default/w", "--level", "hall=site/hall", "--keep-label", "site/label", "--island", "node")
    outcome = topreempt("import", "kubernetes", cluster, *options, "--machine", "a=dgx-h100", "--out", out)
    assert (outcome.status, outcome.out) == (0, "")
    instance = Instance.load(out)
    assert instance.cluster.levels == ("hall", "node", "socket", "numa", "switch")
    assert dict(instance.cluster.nodes[0].labels) == {"site/label": "kept"}
    assert instance.request.name == "default/w"
    assert outcome.err.splitlines()[:-1] == list(instance.comment)


def test_standard_input_to_standard_output(topreempt, cluster: Path) -> None:
    outcome = topreempt("import", "kubernetes", "-", "--request", "default/w", stdin=cluster.read_bytes())
    assert outcome.status == 0
    assert Instance.parse(json.loads(outcome.out)).request.gpus == 4


def test_requests_in_our_own_format_tolerate_what_is_said(topreempt, tmp_path: Path) -> None:
    tainted = node("a", spec={"taints": [{"key": "ml", "value": "1", "effect": "NoSchedule"}]})
    file, request = tmp_path / "cluster.json", tmp_path / "request.yaml"
    file.write_text(json.dumps(listed(tainted)), encoding="utf-8")
    request.write_text("{name: mine, priority: 5, gpus: 2}", encoding="utf-8")
    for tolerate, labels in ((("--tolerate", "ml=1:NoSchedule"), {}), ((), {"topreempt/fit": "yes"})):
        outcome = topreempt("import", "kubernetes", file, "--request-file", request, *tolerate)
        assert json.loads(outcome.out)["request"].get("node_labels", {}) == labels


def test_settings_of_a_site(topreempt, tmp_path: Path) -> None:
    amounts = {"site/npu": "2"}
    file, settings = tmp_path / "cluster.json", tmp_path / "settings.yaml"
    file.write_text(json.dumps(listed(node("a", 0, capacity=amounts, allocatable=amounts))), encoding="utf-8")
    settings.write_text("devices: {gpu_resources: [site/npu]}", encoding="utf-8")
    for options in (("--settings", settings), ("--gpu-resource", "site/npu")):
        machines = json.loads(topreempt("import", "kubernetes", file, *options).out)["cluster"]["machines"]
        assert [machine["gpus"] for machine in machines.values()] == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "several workloads wait; choose one by --request: Pod/default/v, Pod/default/w"),
        (("--request", "default/x"), "--request default/x: no waiting pod or group of this name"),
        (("--level", "zone"), "--level zone: NAME=LABEL was expected"),
        (("--level", "a=b", "--level", "a=c"), "--level a=c: the level a is given twice"),
        (("--now", "noon"), "--now noon: a moment such as"),
        (("--tolerate", "a:Never"), "--tolerate a:Never: KEY, KEY=VALUE or KEY=VALUE:EFFECT was expected"),
        (("--machine", "a=none"), "no machine 'none' in the catalogue"),
        (("--devices", "=x"), "--devices =x: FILE or NODE=FILE was expected"),
        (("--settings", "absent.yaml"), "absent.yaml: expected a readable file"),
        (("--request", "default/w", "--out", "out.txt"), "out.txt: expected a file name that ends in"),
    ],
)
def test_wrong_options_are_one_clear_message(topreempt, cluster: Path, options: tuple, message: str) -> None:
    outcome = topreempt("import", "kubernetes", cluster, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_nothing_is_written_when_the_input_is_broken(topreempt, tmp_path: Path) -> None:
    file, out = tmp_path / "cluster.json", tmp_path / "out.yaml"
    file.write_text(json.dumps(listed(thing("Node", "v1", "a", spec={"taints": 7}))), encoding="utf-8")
    outcome = topreempt("import", "kubernetes", file, "--out", out)
    assert outcome.status == 2
    assert f"{file}: items[0].spec.taints: found 7" in outcome.err
    assert not out.exists()
