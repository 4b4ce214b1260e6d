"""Outputs of real tools: each importer reads from them what cases/inputs/expect.yaml says, or refuses them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from topreempt import InstanceError
from topreempt.instances.importers.slurm import SlurmOptions, import_slurm
from topreempt.instances.importers.slurm.gres_conf import core_groups, read_gres_conf
from topreempt.instances.importers.slurm.state import read_state
from topreempt.instances.importers.topology import import_topology, read_topology

INPUTS = Path(__file__).parents[2] / "cases" / "inputs"
CASES = yaml.safe_load((INPUTS / "expect.yaml").read_text())
TOPOLOGIES = [c for c in CASES if not c["file"].startswith(("slurm", "nrt"))]
SLURM = {c["file"]: c["expect"] for c in CASES if c["file"].startswith("slurm")}
REQUEST = {"name": "r", "priority": 1000, "gpus": 1}


def reading(name: str) -> Any:
    return read_topology((INPUTS / name).read_bytes().decode(), source=name)


def as_expected(name: str, expect: dict[str, Any]) -> dict[str, Any]:
    found = reading(name)
    links = found.links
    word = {pair: found.classes.get(pair) for pair in found.pairs}
    values: dict[str, Any] = {
        "gpus": found.gpus,
        "nvlink": None if links is None else [[*pair, link.count] for pair, link in sorted(links.items())],
        "nvlink_cliques": found.link_cliques,
        "pcie_groups": found.pcie_groups,
        "host_bridge_groups": found.host_bridge_groups,
        "numa": found.numa_groups,
        "cpu_groups": found.cpu_groups,
        "nics": len(found.nics),
        "nic_names": {nic.name: nic.device for nic in found.nics},
        "nic_affinity": {nic.name: {near: list(slots) for near, slots in nic.near.items()} for nic in found.nics},
        "levels": {f"{a}-{b}": word[a, b] for a, b in found.pairs if f"{a}-{b}" in expect.get("levels", {})},
        "xgmi": None if links is None else [list(pair) for pair, link in links.items() if link.kind == "xgmi"],
        "xgmi_direct": [list(pair) for pair in sorted(links or {})],
        "xgmi_two_links": [list(pair) for pair, hops in sorted(found.hops.items()) if hops == 2],
    }
    if set(found.pcie_hops.values()) == {3}:
        values["note"] = "hops 3 on PCIE = different sockets"
    return {key: values[key] for key in expect}


@pytest.mark.parametrize("case", TOPOLOGIES, ids=lambda case: case["file"])
def test_topology(case: dict[str, Any]) -> None:
    name, expect = case["file"], case["expect"]
    if "error" in expect:
        with pytest.raises(InstanceError) as caught:
            import_topology(INPUTS / name)
        told = "empty input" if expect["error"] == "empty input" else (INPUTS / name).read_text().strip()
        assert name in str(caught.value)
        assert told in str(caught.value)
    elif "same_as" in expect:
        assert reading(name) == reading(expect["same_as"].removeprefix("topo/"))
    elif "acceptable" in expect:
        found = reading(name)
        edges = "0-1,0-2,0-3,0-4,1-2,1-3,1-5,2-3,2-6,3-7,4-5,4-6,4-7,5-6,5-7,6-7"
        assert f"NV1 edges {edges}" in expect["acceptable"][0]
        assert found.gpus == 8
        assert [nic.device for nic in found.nics] == ["mlx5_0", "mlx5_2", "mlx5_1", "mlx5_3"]
        assert ",".join(f"{a}-{b}" for a, b in sorted(found.links)) == edges
        assert {link.count for link in found.links.values()} == {1}
        assert found.classes[0, 5] == "SOC"
    else:
        assert as_expected(name, expect) == expect


@pytest.mark.parametrize("case", [c for c in TOPOLOGIES if "error" not in c["expect"]], ids=lambda case: case["file"])
def test_the_machine_agrees_with_the_reading(case: dict[str, Any]) -> None:
    found = reading(case["file"])
    document = import_topology(INPUTS / case["file"], name="m")
    machine = document.machines["m"]
    assert machine.gpus == found.gpus
    assert {link.gpus: (link.kind, link.count) for link in machine.links} == {
        pair: (link.kind, link.count) for pair, link in (found.links or {}).items()
    }
    numa = machine.domains.get("numa")
    assert found.numa_groups == (None if numa is None else {int(n[1:]): list(slots) for n, slots in numa.items()})
    switches = machine.domains.get("switch", {})
    assert found.pcie_groups == [list(slots) for slots in switches.values() if len(slots) > 1]
    assert set(machine.domains) == set(document.levels) - {"node"}


def test_sinfo_table() -> None:
    expect = SLURM["slurm_sinfo_gresused.txt"]
    instance, notes = import_slurm([INPUTS / "slurm_sinfo_gresused.txt"], SlurmOptions(request_fields=REQUEST))
    used: dict[str, list[int]] = {name: [] for name in expect["used"]}
    for job in instance.jobs:
        assert not job.preemptible
        for pod in job.pods:
            used[pod.node] += pod.slots
    assert used == expect["used"]
    assert {name: instance.shape(name).gpus for name in expect["gpus"]} == expect["gpus"]
    assert any("no job explains" in note for note in notes)
    assert tuple(instance.comment[1:]) == tuple(notes)


def test_sinfo_json_without_type() -> None:
    name = "slurm_sinfo_node_null_type.json"
    expect = SLURM[name]
    instance, _ = import_slurm([INPUTS / name], SlurmOptions(request_fields=REQUEST))
    assert {pod.node: list(pod.slots) for job in instance.jobs for pod in job.pods} == expect["used"]
    assert {node: instance.shape(node).gpus for node in expect["gpus"]} == expect["gpus"]
    assert set(instance.shape("g-20").models) == {expect["model"]["g-20"]}
    state = read_state([INPUTS / name], SlurmOptions())
    assert list(state.nodes["g-20"].gres[0].sockets) == expect["sockets"]["g-20"]


def test_drained_node() -> None:
    expect = SLURM["slurm_scontrol_node_drain.txt"]
    instance, _ = import_slurm([INPUTS / "slurm_scontrol_node_drain.txt"], SlurmOptions(request_fields=REQUEST))
    [node] = instance.cluster.nodes
    gpus = instance.shape(node.name).gpus
    assert (node.name, gpus, gpus - len(node.offline_slots), node.cordoned) == (
        expect["node"],
        expect["gpus"],
        expect["healthy"],
        expect["cordoned"],
    )


def test_gres_conf_with_a_double_comma() -> None:
    name = "slurm_gres_conf_double_comma.txt"
    expect = SLURM[name]
    with pytest.raises(InstanceError, match=r"line 3.*9 fields.*8 fields"):
        import_slurm([INPUTS / name], SlurmOptions(request_fields=REQUEST))
    mended = (INPUTS / name).read_text().replace(",,", ",")
    conf = read_gres_conf(mended, source=name)
    assert core_groups(conf.of_node("any")) == expect["core_groups"]
