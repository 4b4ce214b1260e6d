"""nvidia-smi topo -m: what its odd forms mean, and which damage is refused at which cell."""

from pathlib import Path

import pytest

from topreempt import InstanceError
from topreempt.instances.importers.topology import import_topology, read_topology

GOOD = (Path(__file__).parents[2] / "data" / "topologies" / "nvidia.txt").read_text()


def read(text: str):
    return read_topology(text, source="topo.txt")


def refused(text: str) -> str:
    with pytest.raises(InstanceError) as caught:
        read(text)
    return str(caught.value)


def switched(gpus: int, links: int) -> str:
    head = "\t" + "\t".join(f"GPU{n}" for n in range(gpus)) + "\tCPU Affinity\tNUMA Affinity"
    rows = [
        f"GPU{row}\t" + "\t".join(" X " if row == column else f"NV{links}" for column in range(gpus)) + "\t0-7\t0"
        for row in range(gpus)
    ]
    return "\n".join([head, *rows])


def test_a_card_shows_the_path_that_nvlink_hides() -> None:
    found = read(GOOD)
    assert found.classes[0, 1] == "PIX"
    assert found.pcie_groups == [[0, 1, 2]]
    assert found.links[0, 1].count == 4


@pytest.mark.parametrize(
    ("gpus", "links", "through_a_switch"), [(8, 12, True), (4, 4, False), (4, 6, False), (4, 18, True)]
)
def test_all_to_all_is_a_switch_only_where_no_gpu_has_so_many_links(
    gpus: int, links: int, through_a_switch: bool
) -> None:
    assert read(switched(gpus, links)).all_to_all is through_a_switch
    assert len(read(switched(gpus, links)).links) == gpus * (gpus - 1) // 2


def test_forms_of_the_same_matrix_read_the_same() -> None:
    forms = [
        GOOD.replace("\n", "\r\n"),
        "$ nvidia-smi topo -m\n" + GOOD + "\nLegend:\n\n  X    = self\n",
        "".join(f"    {line}\n" for line in GOOD.splitlines()),
        GOOD.replace("GPU0\tGPU1", "\x1b[4mGPU0\tGPU1", 1).replace("GPU NUMA ID", "GPU NUMA ID\x1b[0m"),
        GOOD.replace("GPU0\tGPU1", "[4mGPU0\tGPU1", 1).replace("GPU NUMA ID", "GPU NUMA ID[0m"),
        GOOD.replace("\n", "\n\n"),
        GOOD.replace("\t\tN/A", "").replace("\tGPU NUMA ID", ""),
        GOOD.replace("\t", "    ").replace(" X ", "X"),
        GOOD + "\n" + GOOD,
    ]
    assert {repr(read(form)) for form in forms} == {repr(read(GOOD))}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_of_other_systems(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "topo.txt"
    path.write_bytes(GOOD.encode(encoding))
    assert import_topology(path).machines["topo"].gpus == 4


def test_rows_of_cards_may_be_cut_off_altogether() -> None:
    found = read(GOOD.rsplit("NIC0", 1)[0])
    assert [nic.name for nic in found.nics] == ["NIC0"]
    assert found.nics[0].near == {"PIX": (0, 1, 2)}
    assert any("rows of the network cards" in note for note in found.notes)


def test_several_numa_nodes_of_one_gpu_leave_the_level_out() -> None:
    text = GOOD.replace("0-15\t0\t", "0-15\t0-1\t")
    found = read(text)
    assert found.numa_groups is None
    assert found.cpu_groups == {"0-15": [0, 1, 2], "16-31": [3]}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("GPU1\tNV4", "GPU1\tNV2", "line 2, cell GPU0 x GPU1: found NV4, expected NV2 as in line 3"),
        ("GPU1\tNV4\t X ", "GPU1\t X \t X ", "line 3, cell GPU1 x GPU0: found X"),
        ("GPU1\tNV4\t X \tPIX", "GPU1\tNV4\tPIX\tPIX", "line 3, cell GPU1 x GPU1: found PIX"),
        ("GPU2\tPIX\tPIX\t X \tSYS", "GPU2\tPIX\tPIX\t X \tS7S", "line 4, cell GPU2 x GPU3: found S7S"),
        ("GPU2\tPIX\tPIX\t X \tSYS\tPIX\t0-15\t0\t\tN/A", "GPU2\tPIX\tPIX", "line 4, row GPU2: found 2 cells"),
        ("GPU2\tPIX\tPIX", "GPU2\t\tPIX", "line 4, cell GPU2 x GPU1: found X"),
        ("GPU2\tPIX\tPIX", "GPU7\tPIX\tPIX", "line 1"),
        ("\tGPU2\tGPU3", "\tGPU3\tGPU2", "found GPU3, expected GPU2"),
        ("GPU3\tSYS\tSYS\tSYS\t X \tSYS\t16-31\t1\t\tN/A\n", "", "line 1: found GPU3, expected a row of this name"),
        ("0-15\t0\t\tN/A\nGPU1", "0-15\tx\t\tN/A\nGPU1", "line 2, NUMA Affinity of GPU0: found 'x'"),
        ("16-31\t1", "31-16\t1", "line 5, CPU Affinity of GPU3: found '31-16'"),
        ("\tGPU NUMA ID", "\tGPU NUMA ID\tColour", "line 1"),
        ("NV4", "NV0", "line 2, cell GPU0 x GPU1: found NV0"),
    ],
)
def test_damage_is_refused_where_it_is(old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert message in refused(GOOD.replace(old, new))


def test_a_matrix_that_no_tree_has_is_refused() -> None:
    text = GOOD.replace("GPU0\t X \tNV4\tPIX", "GPU0\t X \tNV4\tSYS").replace(
        "GPU2\tPIX\tPIX\t X ", "GPU2\tSYS\tPIX\t X "
    )
    assert "line 2, cell GPU0 x GPU2: found SYS, expected PIX or nearer, as both have it to NIC0" in refused(text)


def test_two_different_machines_in_one_paste_are_refused() -> None:
    assert "a second matrix that differs" in refused(GOOD + "\n" + GOOD.replace("NV4", "NV2"))


def test_a_peer_matrix_alone_is_no_topology() -> None:
    assert "peer-to-peer" in refused(" \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n")
