"""The catalogue: every preset is sound, says where its facts come from, and has the shape that it is named for."""

import pytest

from topreempt.instances.importers.machine_document import check_machine
from topreempt.models.catalogue import entry_of, preset, presets


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_sound(name: str) -> None:
    entry = presets()[name]
    check_machine(name, entry.machine.model_dump(mode="json", exclude_defaults=True), ("node", *entry.levels))
    assert set(entry.machine.domains) == set(entry.levels)
    assert entry.source
    assert entry.machine.gpus


def test_there_are_all_machines_of_the_collection() -> None:
    assert len(presets()) == 42


def test_names_take_dashes_or_underscores() -> None:
    assert preset("dgx_h100") == preset("dgx-h100") is not None
    assert preset("../dgx-h100") is None
    assert entry_of("nothing") is None


def test_switched_machines_are_fully_linked_and_no_others() -> None:
    switched = {name for name, entry in presets().items() if entry.machine.fully_linked}
    assert switched == {
        "aws-p4d-24xlarge", "azure-nd96asr-a100-v4", "azure-nd96isr-h100-v5", "dgx-a100-40g", "dgx-h100", "dgx2-v100",
        "gb200-nvl72-node", "hgx-a100-2numa", "hgx-a100-4numa", "hgx-b200-snc3", "hgx-h100-pairs", "hgx-h200",
    }  # fmt: skip


def test_irregular_machines_are_irregular() -> None:
    odd = preset("h100-pcie8-irregular")
    assert {name: len(slots) for name, slots in odd.domains["socket"].items()} == {"s0": 3, "s1": 5}
    assert (0, 5) in {link.gpus for link in odd.links}
    a100 = preset("dgx-a100-40g")
    assert {name: slots for name, slots in a100.domains["numa"].items() if slots} == {
        "n1": (2, 3), "n3": (0, 1), "n5": (6, 7), "n7": (4, 5),
    }  # fmt: skip
    assert len(preset("mi250x-8gcd-weights").links) == 12
    assert sum(link.count for link in preset("dgx1-v100").links) == 24
    assert preset("rtx4090-8numa").resources["cpus"] == 64
