"""hwloc XML: where GPUs hang, in which order they count, and what its bandwidth matrices say of links."""

import pytest

from topreempt import InstanceError
from topreempt.instances.importers.topology import import_topology, read_topology


def device(number: int, bus: str, name: str | None) -> str:
    inner = f'<object type="OSDev" gp_index="{number + 50}" name="{name}"><info name="GPUModel" value="X1"/></object>'
    return (
        f'<object type="Bridge" gp_index="{number + 20}" bridge_type="1-1"><object type="PCIDev" gp_index="{number}"'
        f' pci_busid="{bus}" pci_type="0302 [10de:1db8] [10de:131d] a1 00">{inner if name else ""}</object></object>'
    )


def package(number: int, devices: str) -> str:
    mask = f"0x{1 << number:08x}"
    return (
        f'<object type="Package" os_index="{number}" nodeset="{mask}"><object type="NUMANode" os_index="{number}"'
        f' nodeset="{mask}" local_memory="1073741824"/><object type="PU" os_index="{number}" nodeset="{mask}"/>'
        f'<object type="Bridge" gp_index="{number + 90}" bridge_type="0-1">'
        f'<object type="Bridge" gp_index="{number + 95}" bridge_type="1-1">{devices}</object></object></object>'
    )


def matrix(names: str, *rows: str) -> str:
    values = "".join(f'<u64values length="9">{row} </u64values>' for row in rows)
    count = len(names.split())
    head = f'<distances2hetero nbobjs="{count}" kind="25" name="NVLinkBandwidth"><indexes length="9">{names} </indexes>'
    return f"{head}{values}</distances2hetero>"


GPUS = package(0, device(1, "0000:1b:00.0", "nvml2") + device(2, "0000:1c:00.0", "nvml0")) + package(
    1, device(3, "0000:8a:00.0", "nvml1")
)
LINKS = matrix("OSDev:51 OSDev:52 Package:0", "1000000 40000 40000", "40000 1000000 0", "40000 0 1000000")


def document(body: str, extra: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="3.0">'
        f'<object type="Machine" nodeset="0x00000003">{body}</object>{extra}</topology>'
    )


def test_places_order_and_links() -> None:
    found = read_topology(document(GPUS, LINKS), source="t.xml")
    assert found.sockets == (0, 1, 0)
    assert found.numa_groups == {0: [0, 2], 1: [1]}
    assert found.models == ("X1",) * 3
    assert {pair: link.count for pair, link in found.links.items()} == {(0, 2): 2}
    assert found.classes == {(0, 1): "SYS", (0, 2): "PXB", (1, 2): "SYS"}
    assert found.switches[0] == found.switches[2] != found.switches[1]
    assert found.cpus_by_numa == {0: 1, 1: 1}
    assert found.memory_by_numa == {0: 1.0, 1: 1.0}


def test_the_machine_keeps_packages_and_resources(tmp_path) -> None:
    path = tmp_path / "box.xml"
    path.write_text(document(GPUS, LINKS))
    machine = import_topology(path).machines["box"]
    assert machine.domains["socket"] == {"s0": (0, 2), "s1": (1,)}
    assert machine.gpu_model == "X1"
    assert machine.resources == {"cpus": 2, "memory_gib": 2.0}
    assert machine.domain_resources["numa"]["n1"] == {"cpus": 1, "memory_gib": 1.0}


def test_link_switches_join_what_hangs_on_them() -> None:
    switches = (
        '<object type="PCIDev" gp_index="7" subtype="NVSwitch" pci_type="0680 [10de:1ac2]"/>'
        '<object type="PCIDev" gp_index="8" subtype="NVSwitch" pci_type="0680 [10de:1ac2]"/>'
    )
    names = "OSDev:51 OSDev:52 OSDev:53 PCIDev:7 PCIDev:8"
    rows = (
        "0 0 0 25000 25000",
        "0 0 0 25000 25000",
        "0 0 0 25000 25000",
        "25000 25000 25000 0 0",
        "25000 25000 25000 0 0",
    )
    found = read_topology(document(GPUS + switches, matrix(names, *rows)), source="t.xml")
    assert found.all_to_all
    assert {link.count for link in found.links.values()} == {2}


def test_without_driver_names_slots_follow_the_bus_ids() -> None:
    body = package(0, device(1, "0000:8a:00.0", None)) + package(1, device(2, "0000:1b:00.0", None))
    found = read_topology(document(body), source="t.xml")
    assert found.numa_groups == {0: [1], 1: [0]}
    assert found.links is None
    assert any("order of bus ids" in note for note in found.notes)


@pytest.mark.parametrize(
    ("body", "extra", "message"),
    [
        ("", "", "no GPU"),
        (GPUS.replace("nvml1", "nvml0"), "", "each index once"),
        (GPUS.replace("nvml1", "nvml7"), "", "without gaps"),
        (GPUS.replace('os_index="1"', 'os_index="one"'), "", "a whole number"),
        (GPUS.replace('nodeset="0x00000002"', 'nodeset="0xxyz"'), "", "a set of hexadecimal words"),
        (GPUS, LINKS.replace("40000 1000000 0", "20000 1000000 0"), "the matrix must be symmetric"),
        (GPUS, LINKS.replace("40000 1000000 0", "40000 1000000"), "a square of values"),
        (GPUS, LINKS.replace("40000 1000000 0", "40000 1000000 fast"), "a bandwidth"),
        (GPUS, LINKS.replace("OSDev:52", "OSDev:51"), "each object once"),
    ],
)
def test_damage_is_refused(body: str, extra: str, message: str) -> None:
    with pytest.raises(InstanceError) as caught:
        read_topology(document(body, extra), source="t.xml")
    assert message in str(caught.value)


def test_definitions_of_its_own_are_refused() -> None:
    text = document(GPUS).replace('SYSTEM "hwloc2.dtd"', '[<!ENTITY a "b">]')
    with pytest.raises(InstanceError, match="no definitions"):
        read_topology(text, source="t.xml")
