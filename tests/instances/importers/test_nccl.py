"""NCCL and RCCL topology XML: trees, links through switches, order of GPUs, contradictions."""

import pytest

from topreempt import InstanceError
from topreempt.instances.importers.topology import read_topology


def gpu(bus: str, dev: int, links: str = "") -> str:
    return f'<pci busid="{bus}" class="0x030200"><gpu dev="{dev}" rank="{dev}">{links}</gpu></pci>'


def link(target: str, count: int = 2, kind: str = "0x030200") -> str:
    return f'<nvlink target="{target}" count="{count}" tclass="{kind}"/>'


A, B, C, D = (f"0000:{bus}:00.0" for bus in ("1b", "1c", "8a", "8b"))
GOOD = f"""<?xml version="1.0" encoding="UTF-8"?>
<system version="1">
  <cpu numaid="3" affinity="0000ffff" arch="x86_64">
    <pci busid="0000:19:00.0" class="0x060400">
      <pci busid="0000:1a:00.0" class="0x060400">
        {gpu(A, 1, link(B))}
        {gpu(B, 0, link(A))}
        <pci busid="0000:1d:00.0" class="0x020700"><nic><net name="mlx5_0" dev="0"/></nic></pci>
      </pci>
      {gpu(C, 2)}
    </pci>
  </cpu>
  <cpu numaid="0" affinity="ffff0000" arch="x86_64">
    {gpu(D, 3)}
  </cpu>
</system>
"""


def read(text: str, **more):
    return read_topology(text, source="topo.xml", **more)


def refused(text: str) -> str:
    with pytest.raises(InstanceError) as caught:
        read(text)
    return str(caught.value)


def test_tree_links_and_numa() -> None:
    found = read(GOOD)
    assert found.numa_groups == {0: [3], 3: [0, 1, 2]}
    assert {pair: (direct.kind, direct.count) for pair, direct in found.links.items()} == {(0, 1): ("nvlink", 2)}
    assert found.classes[0, 1] == "PIX"
    assert found.classes[0, 2] == "PXB"
    assert found.classes[0, 3] == "SYS"
    assert found.switches[0] == found.switches[1] != found.switches[2]
    assert found.roots[0] == found.roots[2] != found.roots[3]
    assert found.nics[0].device == "mlx5_0"
    assert found.nics[0].near == {"PIX": (0, 1), "PXB": (2,)}


def test_links_into_a_switch_join_all_pairs() -> None:
    text = GOOD.replace(link(B), link("ffff:ff:ff.0", 12, "0x068000")).replace(
        link(A), link("ffff:ff:ff.0", 12, "0x068000")
    )
    found = read(text)
    assert not found.all_to_all
    assert found.links[0, 1].count == 12
    whole = "".join(gpu(bus, dev, link("ffff:ff:ff.0", 12, "0x068000")) for dev, bus in enumerate((A, B, C)))
    found = read(f'<system version="1"><cpu numaid="0">{whole}</cpu></system>')
    assert found.all_to_all
    assert len(found.links) == 3


def test_without_numbers_slots_follow_the_bus_ids() -> None:
    body = "".join(f'<pci busid="{bus}" class="0x030200"/>' for bus in (C, A, B))
    found = read(
        f'<system><cpu numaid="1">{body}</cpu><cpu numaid="0"><pci busid="{D}" class="0x120000"/></cpu></system>'
    )
    assert found.numa_groups == {0: [3], 1: [0, 1, 2]}
    assert any("order of bus ids" in note for note in found.notes)


def test_without_classes_the_user_names_the_gpus() -> None:
    text = f'<system><cpu numaid="0"><pci busid="{A}"/><pci busid="{B}"/></cpu></system>'
    assert "a class" in refused(text)
    assert read(text, gpu_buses=("0000:1B:*",)).gpus == 1


def test_a_link_to_itself_or_to_a_cpu_is_left_out_and_said() -> None:
    found = read(
        GOOD.replace(link(B), link(A)).replace(
            f'dev="0" rank="0">{link(A)}', f'dev="0" rank="0">{link("x", 2, "0x068001")}'
        )
    )
    assert not found.links
    assert any("itself" in note for note in found.notes)
    assert any("CPU" in note for note in found.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (link(B), link(B, 3), "the same link back"),
        (link(B), "", "the same link back"),
        (link(B), link(B) + link(B), "each target once"),
        (link(B), link(B).replace('count="2"', 'count="two"'), "a number above 0"),
        ('dev="1"', 'dev="0"', "each number of 0..3 once"),
        ('dev="1"', 'dev="9"', "each number of 0..3 once"),
        (C, A, "a bus id of its own"),
        ('numaid="3"', 'numaid="three"', "the number of a NUMA node"),
        ("0000ffff", "zz", "a mask"),
        (f'busid="{A}"', 'busid="here"', "a bus id such as"),
        ("</system>", "", "well-formed XML"),
        ('<system version="1">', '<!DOCTYPE s [<!ENTITY a "b">]><system version="1">', "no definitions"),
        ('<cpu numaid="0"', '<cpu host_hash="0x2" numaid="0"', "one machine"),
    ],
)
def test_damage_is_refused(old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert message in refused(GOOD.replace(old, new, 1))


def test_other_xml_is_refused() -> None:
    assert "not a graph" in refused("<graphs version='1'/>")
    assert "<system>" in refused("<html/>")
    assert "nested" in refused("<system>" + "<pci>" * 100 + "</pci>" * 100 + "</system>")


def test_an_entity_bomb_is_refused_before_it_grows() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    assert "no definitions" in refused(f"<!DOCTYPE system [{entities}]><system>&e11;</system>")
