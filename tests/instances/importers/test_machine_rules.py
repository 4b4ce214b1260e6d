"""Machines of nodes: documents, presets, which rule wins, and what the cluster says against them."""

from pathlib import Path

import pytest
import yaml

from topreempt import ConfigError, InstanceError
from topreempt.instances.importers.machine_document import load_machine
from topreempt.instances.importers.merge import MachineRules, MachineShelf, machine_for, merged_fields, unused_rules
from topreempt.instances.importers.topology import MachineOptions, import_topologies, import_topology
from topreempt.instances.write import text_of

PAIR = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPIX\t0-7\t0\nGPU1\tPIX\t X \t0-7\t0\n"


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    path = tmp_path / "pair.txt"
    path.write_text(PAIR)
    return path


@pytest.fixture
def document(printed: Path) -> Path:
    path = printed.with_suffix(".yaml")
    data = import_topology(printed).model_dump(mode="json", exclude_unset=True)
    path.write_text(text_of(data, json_only=False))
    return path


def test_a_document_and_what_it_was_made_from_are_one_machine(printed: Path, document: Path) -> None:
    assert load_machine(document) == load_machine(printed)
    assert load_machine(document)[2] == ("numa", "switch")


def test_exact_names_win_over_patterns_and_files_over_presets(document: Path) -> None:
    rules = MachineRules.from_options(
        topology=[f"node-*={document}"], machine=["node-b=dgx-h100", "*=dgx_a100_40g", "x=dgx-h100"]
    )
    found = {name: machine_for(name, rules).name for name in ("node-a", "node-b", "other")}
    assert found == {"node-a": "pair", "node-b": "dgx-h100", "other": "dgx_a100_40g"}
    assert unused_rules(rules, found) == ["The rule x=dgx-h100 fits no node and was not used."]
    assert machine_for("other", MachineRules()) is None


@pytest.mark.parametrize(
    "options",
    [
        {"machine": ["dgx-h100"]},
        {"machine": ["=dgx-h100"]},
        {"machine": ["a=no-such-preset"]},
        {"machine": ["a=../secret"]},
        {"machine": ["a=dgx-h100", "a=dgx-h100"]},
        {"topology": ["a="]},
    ],
)
def test_wrong_rules_are_refused(options: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigError):
        MachineRules.from_options(**options)


def test_the_cluster_says_counts_and_the_machine_says_places() -> None:
    known = machine_for("a", MachineRules.from_options(machine=["a=rtx4090-8numa"]))
    fields = merged_fields("a", known, gpus=8, gpu_model="Mine", resources={"cpus": 60.0, "hca": 2.0})
    assert fields["gpu_model"] == "Mine"
    assert fields["resources"] == {"cpus": 60.0, "hca": 2.0, "memory_gib": 512.0, "pods": 110.0}
    assert fields["domains"]["numa"]["n7"] == [7]
    assert merged_fields("a", known, gpus=None)["gpu_model"] == "RTX-4090"
    assert merged_fields("a", None, gpus=None) == {"gpus": 0}
    with pytest.raises(InstanceError, match=r"node a.*4 GPUs.*8 GPUs"):
        merged_fields("a", known, gpus=4)


def test_equal_shapes_share_a_name_and_levels_keep_each_order() -> None:
    shelf = MachineShelf()
    assert shelf.place({"gpus": 1}, name="m", levels=("socket", "switch")) == "m"
    assert shelf.place({"gpus": 1}, name="other") == "m"
    assert shelf.place({"gpus": 2}, name="m", levels=("numa", "switch")) == "m-2"
    assert list(shelf.machines()) == ["m", "m-2"]
    assert shelf.levels_below() == ["socket", "numa", "switch"]
    shelf.place({"gpus": 3}, name="n", levels=("switch", "socket"))
    with pytest.raises(ConfigError, match="order their levels differently"):
        shelf.levels_below()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["machines"].clear(), "exactly one machine"),
        (lambda d: d["machines"]["pair"].update(gpus=3), "slot 2 is in no domain"),
        (lambda d: d["machines"]["pair"].update(colour="red"), "colour"),
        (lambda d: d.update(levels=["numa"]), "contains node"),
        (lambda d: d.update(format="topreempt/v1"), "format"),
    ],
)
def test_wrong_documents_are_refused(document: Path, change, message: str) -> None:
    data = yaml.safe_load(document.read_text())
    change(data)
    document.write_text(yaml.safe_dump(data))
    with pytest.raises(InstanceError) as caught:
        load_machine(document)
    assert message in str(caught.value)
    assert document.name in str(caught.value)


def test_levels_can_be_renamed_and_left_out(printed: Path) -> None:
    options = MachineOptions.from_words(levels=["switch=pcie", "numa="], gpu_model="M", path_links=["PIX"])
    found = import_topology(printed, name="box", options=options)
    assert found.levels == ("node", "pcie")
    machine = found.machines["box"]
    assert machine.domains == {"pcie": {"sw0": (0, 1)}}
    assert (machine.gpu_model, machine.links[0].kind) == ("M", "pix")
    for levels in (["colour=x"], ["switch"], ["switch=numa"]):
        with pytest.raises(ConfigError):
            MachineOptions.from_words(levels=levels)
    with pytest.raises(ConfigError):
        MachineOptions.from_words(path_links=["NVL"])


def test_several_files_make_one_document(printed: Path, tmp_path: Path) -> None:
    other = tmp_path / "single.txt"
    other.write_text("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\t0\n")
    found = import_topologies([printed, other])
    assert list(found.machines) == ["pair", "single"]
    assert found.levels == ("node", "numa", "switch")
    with pytest.raises(ConfigError, match="one file"):
        import_topologies([printed, other], name="x")
    with pytest.raises(ConfigError, match="names of their own"):
        import_topologies([printed, printed])
