"""rocm-smi --showtopo: links come from weights, and damaged sections are refused at their cell."""

import re
from pathlib import Path

import pytest

from topreempt import InstanceError
from topreempt.instances.importers.topology import read_topology

GOOD = (Path(__file__).parents[2] / "data" / "topologies" / "rocm.txt").read_text()


def read(text: str):
    return read_topology(text, source="topo.txt")


def section(title: str) -> str:
    return re.search(rf"=+ {title}.*?(?=\n=)", GOOD, re.DOTALL)[0]


def test_direct_pairs_have_the_weight_of_one_link() -> None:
    found = read(GOOD)
    assert sorted(found.links) == [(0, 1), (1, 2)]
    assert found.hops == {(0, 1): 1, (0, 2): 2, (1, 2): 1}
    assert found.numa_groups == {0: [1, 2], 1: [0]}


@pytest.mark.parametrize("missing", ["Weight between two GPUs", "Link Type between two GPUs"])
def test_without_weights_or_types_links_are_unknown(missing: str) -> None:
    found = read(GOOD.replace(section(missing), ""))
    assert found.links is None
    assert found.notes


def test_an_unknown_numa_node_leaves_the_level_out() -> None:
    text = GOOD.replace("Numa Node: 1", "Numa Node: -1").replace("Numa Affinity: 1", "Numa Affinity: -1")
    assert read(text).numa_groups is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("GPU2   30 ", "GPU2   45 ", "line 6, cell GPU2 x GPU0: found 45, expected 30 as in line 4"),
        ("GPU1   XGMI         0 ", "GPU1   PCIE         0 ", "line 11, cell GPU1 x GPU0: found PCIE"),
        ("GPU0   0            15", "GPU0   7            15", "line 4, cell GPU0 x GPU0: found 7"),
        ("GPU1   15           0            15", "GPU1   15           0", "line 5, row GPU1: found 2 cells"),
        ("GPU1   15           0            15", "", "line 5: found , expected the row of GPU1"),
        ("Numa Node: 1", "Numa Node: one", "line 15, Numa Node of GPU[0]: found one"),
        ("GPU[2]", "GPU[4]", "section Numa Nodes"),
        (
            "       GPU0         GPU1         GPU2\nGPU0   0            15",
            "       GPU0         GPU2\nGPU0   0",
            "line 3",
        ),
        ("Numa Affinity: 1", "Numa Affinity: 0", "line 16, Numa Affinity of GPU[0]: found 0, expected 1"),
    ],
)
def test_damage_is_refused_where_it_is(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InstanceError) as caught:
        read(GOOD.replace(old, new))
    assert message.replace("found , ", "") in str(caught.value).replace("found , ", "")


def test_sections_of_different_size_are_refused() -> None:
    shorter = GOOD.replace("GPU[2]\t\t: (Topology) Numa Node: 0\n", "").replace(
        "GPU[2]\t\t: (Topology) Numa Affinity: 0\n", ""
    )
    with pytest.raises(InstanceError, match="section numa"):
        read(shorter)


def test_a_weight_that_is_no_number_of_links_is_refused() -> None:
    with pytest.raises(InstanceError, match=r"line 4, cell GPU0 x GPU1.*17.*multiple of 15"):
        read(GOOD.replace("GPU0   0            15", "GPU0   0            17").replace("GPU1   15", "GPU1   17"))
