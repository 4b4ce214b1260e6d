"""``import topology``, ``import slurm`` and ``machines`` as a shell sees them."""

import json
from pathlib import Path

import pytest
import yaml

from topreempt import Instance
from topreempt.instances.importers.machine_document import MachineDocument

DATA = Path(__file__).parent.parent / "data"
TOPO = DATA / "topologies"
SLURM = DATA / "slurm"


def test_topology_is_a_machine_document(topreempt) -> None:
    done = topreempt(
        "import", "topology", TOPO / "nvidia.txt", "--name", "box", "--gpu-model", "M", "--level", "switch=pcie"
    )
    assert done.status == 0
    document = MachineDocument.parse(yaml.safe_load(done.out))
    assert document.levels == ("node", "numa", "pcie")
    assert document.machines["box"].gpu_model == "M"
    assert [line for line in document.comment if line in done.err.splitlines()] == list(document.comment)
    as_json = topreempt(
        "import",
        "topology",
        TOPO / "nvidia.txt",
        "--name",
        "box",
        "--gpu-model",
        "M",
        "--level",
        "switch=pcie",
        "--json",
    )
    assert json.loads(as_json.out) == yaml.safe_load(done.out)


def test_topology_of_several_files_to_a_file(topreempt, tmp_path: Path) -> None:
    out = tmp_path / "machines.yaml"
    files = sorted(TOPO.iterdir())
    assert topreempt("import", "topology", *files, "--out", out).status == 0
    found = MachineDocument.parse(yaml.safe_load(out.read_text()))
    assert list(found.machines) == [file.stem for file in files]
    before = out.read_bytes()
    topreempt("import", "topology", *files, "--out", out)
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt"], "nowhere.txt"),
        ([TOPO / "nvidia.txt", "--level", "colour=x"], "--level colour=x"),
        ([TOPO / "nvidia.txt", TOPO / "rocm.txt", "--name", "x"], "one file"),
        ([TOPO / "nvidia.txt", "--out", "x.txt"], "x.txt"),
        ([SLURM / "nodes.json"], "nodes.json"),
    ],
)
def test_topology_says_what_is_wrong(topreempt, arguments: list, message: str) -> None:
    done = topreempt("import", "topology", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err


def test_slurm_is_an_instance_with_its_assumptions(topreempt, tmp_path: Path) -> None:
    out = tmp_path / "cluster.yaml"
    files = [SLURM / name for name in ("nodes.json", "jobs.json", "gres.conf", "topology.conf")]
    done = topreempt("import", "slurm", *files, "--request", 201, "--out", out)
    assert done.status == 0
    instance = Instance.load(out)
    assert instance.request.name == "201"
    assert len(instance.comment) > 1
    assert [line for line in instance.comment[1:] if line not in done.err.splitlines()] == []
    printed = topreempt("import", "slurm", *files, "--request", 201, "--json")
    assert Instance.parse(json.loads(printed.out)) == instance


def test_slurm_takes_machines_priorities_and_a_request_file(topreempt, tmp_path: Path) -> None:
    box, asked = tmp_path / "box.yaml", tmp_path / "asked.yaml"
    document = yaml.safe_load(topreempt("import", "topology", TOPO / "nvidia.txt").out)
    document["machines"]["nvidia"] |= {"gpus": 8, "domains": {}, "links": []}
    box.write_text(yaml.safe_dump(document))
    asked.write_text("name: wish\npriority: 77\ngpus: 4\naffinity: {pod: {island: socket}}\n")
    done = topreempt(
        "import", "slurm", SLURM / "nodes.txt", SLURM / "jobs.txt", SLURM / "topology.yaml", "--fabric", "block1",
        "--fabric-level", "row", "--fabric-level", "rack", "--topology", f"gn01={box}", "--machine", "gn0*=dgx-h100",
        "--qos-priority", "preemptible=1", "--partition-label", "p=", "--request-file", asked,
    )  # fmt: skip
    assert done.status == 0, done.err
    instance = Instance.parse(json.loads(done.out))
    assert instance.cluster.levels == ("row", "rack", "node", "socket", "numa", "switch")
    assert instance.nodes_by_name["gn01"].machine == "nvidia"
    assert instance.shape("gn02").fully_linked
    assert instance.jobs_by_name["101"].priority == 1
    assert instance.nodes_by_name["gn01"].labels["p=gpu"] == "true"
    assert instance.request.name == "wish"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SLURM / "nodes.json"], "request"),
        ([SLURM / "nodes.json", "--request", 5], "job 5"),
        ([SLURM / "topology.conf", "--request-file", TOPO / "rocm.txt"], "rocm.txt"),
        ([SLURM / "nodes.json", "--machine", "gn*=nothing"], "nothing"),
        ([SLURM / "nodes.json", "--qos-priority", "x"], "--qos-priority x"),
        ([SLURM / "nodes.json", "--sinfo-columns", "colour"], "--sinfo-columns colour"),
    ],
)
def test_slurm_says_what_is_wrong(topreempt, arguments: list, message: str) -> None:
    done = topreempt("import", "slurm", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err


def test_machines_are_listed_and_drawn_in_80_columns(topreempt) -> None:
    names = [machine["name"] for machine in json.loads(topreempt("machines", "--json").out)["machines"]]
    assert "rtx4090-8numa" in names
    listed = topreempt("machines")
    assert all(any(line.startswith(name) for line in listed.out.splitlines()) for name in names)
    for name in names:
        drawn = topreempt("machines", name)
        assert drawn.status == 0
        assert max(map(len, (drawn.out + listed.out).splitlines())) <= 80


def test_a_machine_is_drawn_with_its_domains_and_links(topreempt) -> None:
    rows = {
        line.split("  ")[0]: line.split() for line in topreempt("machines", "h100-pcie8-irregular").out.splitlines()
    }
    assert rows["socket"] == ["socket", "s0", "s0", "s0", "s1", "s1", "s1", "s1", "s1"]
    assert rows["GPU 0"] == ["GPU", "0", "X", ".", ".", ".", ".", "NV12", ".", "."]
    told = json.loads(topreempt("machines", "h100-pcie8-irregular", "--json").out)
    assert told["machine"]["gpus"] == 8
    wrong = topreempt("machines", "nothing")
    assert wrong.status == 2
    assert "nothing" in wrong.err
