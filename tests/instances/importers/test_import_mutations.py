"""Files with random damage end in a sound machine or instance, or in one clear error; twice the same bytes."""

import random
import re
from pathlib import Path

import pytest

from topreempt import Instance, InstanceError
from topreempt.instances.importers.machine_document import MachineDocument, check_machine
from topreempt.instances.importers.slurm import SlurmOptions, import_slurm
from topreempt.instances.importers.topology import import_topology
from topreempt.instances.write import plain_instance, text_of

TESTS = Path(__file__).parents[2]
SLURM = TESTS / "data" / "slurm"
INPUTS = TESTS / "cases" / "inputs"
REQUEST = {"name": "r", "priority": 9000, "gpus": 1}
OWN = {path.name: path.read_text() for path in sorted((TESTS / "data" / "topologies").iterdir())}
COLLECTED = {
    path.name: path.read_bytes().decode()
    for path in sorted(INPUTS.glob("*.txt"))
    if not path.name.startswith(("slurm", "error", "empty"))
}
TOPOLOGIES = OWN | COLLECTED
WORDS = ["-1", "0", "4", "9" * 21, "X", "N/A", "(null)", "NV12", "SYS", "GPU0", "gpu:2", "[1-", "=", "{", "<", "é",
         "\0", "\t", " ", ",", "nan", "1e999", "\n"]  # fmt: skip


def damaged(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        tokens = [match.span() for match in re.finditer(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]|\s+", text)]
        if not tokens:
            return text
        start, end = rng.choice(tokens)
        lines = text.splitlines(keepends=True)
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(8):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + rng.choice(WORDS) + text[end:]
            case 2:
                text = text[:start] + text[start:end] * 2 + text[end:]
            case 3:
                text = "".join(lines[:at] + lines[at + 1 :])
            case 4:
                lines[at], lines[other] = lines[other], lines[at]
                text = "".join(lines)
            case 5:
                text = text[: rng.randrange(len(text))]
            case 6:
                low, high = rng.choice(tokens)
                text = text[:start] + text[low:high] + text[end:]
            case 7:
                place = rng.randrange(len(text))
                text = text[:place] + chr(rng.choice([9, 10, 32, 48, 65, 0x301, 0x1F600])) + text[place + 1 :]
    return text


def is_clear(error: InstanceError) -> None:
    message = str(error)
    assert message
    assert "Traceback" not in message
    assert all(len(line) < 1000 for line in message.splitlines())
    assert error.problems


def run_topology(name: str, seed: int, folder: Path) -> bool:
    path = folder / name
    path.write_text(damaged(TOPOLOGIES[name], random.Random(f"{name} {seed}")), encoding="utf-8", newline="")
    try:
        found = import_topology(path)
    except InstanceError as error:
        is_clear(error)
        return False
    data = found.model_dump(mode="json", exclude_unset=True)
    assert text_of(data, json_only=True) == text_of(
        import_topology(path).model_dump(mode="json", exclude_unset=True), json_only=True
    )
    assert MachineDocument.parse(data) == found
    for machine, shape in found.machines.items():
        check_machine(machine, shape.model_dump(mode="json", exclude_defaults=True), found.levels)
    return True


def run_slurm(name: str, seed: int, folder: Path) -> bool:
    files = {"nodes.txt", "jobs.txt", "gres.conf", "topology.conf"}
    files -= {"nodes.txt"} if name in ("nodes.json", "sinfo.json") else set()
    files -= {"jobs.txt"} if name.startswith("jobs") else {"jobs.txt"} if name == "sinfo.json" else set()
    files -= {"topology.conf"} if name == "topology.yaml" else set()
    path = folder / name
    text = damaged((SLURM / name).read_text(), random.Random(f"{name} {seed}"))
    path.write_text(text, encoding="utf-8", newline="")
    paths = [path, *(SLURM / other for other in sorted(files - {name}))]
    try:
        instance, _ = import_slurm(paths, SlurmOptions(request_fields=REQUEST))
    except InstanceError as error:
        is_clear(error)
        return False
    data = plain_instance(instance)
    again, _ = import_slurm(paths, SlurmOptions(request_fields=REQUEST))
    assert text_of(data, json_only=True) == text_of(plain_instance(again), json_only=True)
    assert Instance.parse(data) == instance
    return True


def both_ends(outcomes: list[bool]) -> None:
    # Damage that is always found, or never, would mean that the mutations test nothing.
    assert any(outcomes)
    assert not all(outcomes)


@pytest.mark.parametrize("name", sorted(OWN))
def test_topologies(name: str, tmp_path: Path) -> None:
    both_ends([run_topology(name, seed, tmp_path) for seed in range(300)])


@pytest.mark.parametrize("name", sorted(COLLECTED))
def test_collected_topologies(name: str, tmp_path: Path) -> None:
    for seed in range(40):
        run_topology(name, seed, tmp_path)


@pytest.mark.parametrize("name", sorted(path.name for path in SLURM.iterdir()))
def test_slurm(name: str, tmp_path: Path) -> None:
    both_ends([run_slurm(name, seed, tmp_path) for seed in range(200)])


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(TOPOLOGIES))
def test_topologies_for_long(name: str, tmp_path: Path) -> None:
    for seed in range(20_000):
        run_topology(name, seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(path.name for path in SLURM.iterdir()))
def test_slurm_for_long(name: str, tmp_path: Path) -> None:
    for seed in range(20_000):
        run_slurm(name, seed, tmp_path)
