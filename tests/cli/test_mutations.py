"""Damaged files of every kind: each ends in a message or an answer, never in a traceback or status 1."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from topreempt import Instance, InstanceError, TopreemptError
from topreempt.models.document import parse_document
from topreempt.solver.greedy.registry import policies

GOOD = sorted((Path(__file__).parent.parent / "data" / "good").iterdir())
BASELINES = sorted(policies())
JUNK: tuple[Any, ...] = (
    *(None, True, False, "", "x", "n1", "numa", "node", "gpu", "cluster", "link-clique", "block", "0"),
    *(0, 1, 2, 3, 7, -1, 0.5, 1e-7, 1e15, 1e308, 2**53, 2**63, -(10**12), 10**30, float("nan"), float("inf")),
    *(
        [],
        {},
        [0],
        [0, 0],
        [[0]],
        [None],
        {"x": 1},
        {"numa": {"m0": {"cpus": 1}}},
        {"": {}},
        "a\nb",
        "\u00e4",
        "\ud800",
    ),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(data, dict):
        entries = iter(data.items())
    elif isinstance(data, list):
        entries = iter(enumerate(data))
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def mutated(rng: Random, original: Any) -> Any:
    data = copy.deepcopy(original)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(data))
        if not found:
            break
        path = rng.choice(found)
        parent, key = at(data, path[:-1]), path[-1]
        match rng.randrange(7):
            case 0:
                del parent[key]
            case 1:
                parent[key] = rng.choice(JUNK)
            case 2:
                parent[key] = copy.deepcopy(at(data, rng.choice(found)))
            case 3 if isinstance(parent, list):
                parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(parent[key]))
            case 4 if isinstance(parent, dict):
                parent[rng.choice(("x", "gpus", "slots", "share", "numa", f"{key}s"))] = parent.pop(key)
            case 5 if isinstance(parent[key], int | float):
                parent[key] = rng.choice((-parent[key], parent[key] + 1, parent[key] * 10**9, str(parent[key])))
            case _:
                parent[key] = [parent[key]]
    return data


def damaged(rng: Random, raw: bytes) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(raw) + 1)
        end = min(len(raw), start + rng.choice((0, 1, 1, 2, 10, 100)))
        new = rng.choice(
            (b"", b"", bytes([rng.randrange(256)]), b"\0", b"-", b"[", b"}", b": ", b"&a ", b"*a", b"\n", b"1e999")
        )
        raw = raw[:start] + new + raw[end:]
    return raw


def load_all(seed: int, times: int) -> tuple[int, int]:
    rng = Random(seed)
    texts = [path.read_bytes() for path in GOOD]
    documents = [yaml.safe_load(text) for text in texts]
    accepted = refused = 0
    for _ in range(times):
        try:
            if rng.random() < 0.6:
                Instance.parse(mutated(rng, rng.choice(documents)), source="mutated")
            else:
                Instance.parse(parse_document(damaged(rng, rng.choice(texts)), name="damaged"), source="damaged")
            accepted += 1
        except InstanceError as error:
            assert error.problems
            assert all(problem.expected for problem in error.problems)
            str(error).encode()
            refused += 1
    return accepted, refused


def solve_all(topreempt, folder: Path, seed: int, times: int) -> set[int]:
    rng = Random(seed)
    documents = [yaml.safe_load(path.read_bytes()) for path in GOOD]
    file, plan = folder / "mutated.json", folder / "plan.json"
    statuses = []
    while len(statuses) < times:
        data = mutated(rng, rng.choice(documents))
        try:
            Instance.parse(data)
        except InstanceError:
            # Most mutations are refused; the engine shall see the others.
            if rng.random() < 0.98:
                continue
        file.write_text(json.dumps(data))
        outcome = topreempt("solve", file, "--time-limit", "0.5", "--out", plan)
        assert outcome.status in (0, 2, 3, 4), (data, outcome.err)
        assert (outcome.status == 2) == bool(outcome.err.replace(f"plan written to {plan}\n", ""))
        if outcome.status != 2:
            assert topreempt("verify", file, plan).status == 0
            assert topreempt("show", file, "--plan", plan).status == 0
        if rng.random() < 0.1:
            policy = rng.choice(BASELINES)
            assert topreempt("solve", file, "--policy", policy).status in (0, 2, 4), (policy, data)
        statuses.append(outcome.status)
    return set(statuses)


def test_damaged_files_load_or_are_refused() -> None:
    accepted, refused = load_all(seed=1, times=5000)
    assert accepted > 200
    assert refused > 2000


def test_mutated_instances_are_answered(topreempt, tmp_path: Path) -> None:
    assert solve_all(topreempt, tmp_path, seed=2, times=300) >= {0, 2, 3}


def test_mutated_plans_are_judged(topreempt, tmp_path: Path) -> None:
    rng = Random(3)
    plan = tmp_path / "plan.json"
    statuses = set()
    for good in GOOD:
        original = json.loads(topreempt("solve", good, "--json").out)
        for _ in range(300 // len(GOOD)):
            plan.write_text(json.dumps(mutated(rng, original)))
            outcome = topreempt("verify", good, plan)
            assert outcome.status in (0, 2, 3), (plan.read_text(), outcome.err)
            statuses.add(outcome.status)
            assert topreempt("show", good, "--plan", plan).status in (0, 2)
    assert statuses == {0, 2, 3}


@pytest.mark.parametrize("seed", range(5))
def test_mutated_tables_of_the_trace(seed: int, tmp_path: Path) -> None:
    from topreempt.instances.importers.openb import import_openb

    folder = Path(__file__).parent.parent / "data" / "openb"
    rng = Random(seed)
    for _ in range(40):
        for name in ("nodes.csv", "pods.csv"):
            (tmp_path / name).write_bytes((folder / name).read_bytes())
        hit = tmp_path / rng.choice(("nodes.csv", "pods.csv"))
        hit.write_bytes(damaged(rng, hit.read_bytes()))
        try:
            import_openb(tmp_path / "nodes.csv", tmp_path / "pods.csv", {"name": "r", "priority": 9, "gpus": 1})
        except TopreemptError as error:
            assert str(error)


@pytest.mark.long
def test_many_damaged_files(topreempt, tmp_path: Path) -> None:
    load_all(seed=11, times=50_000)
    solve_all(topreempt, tmp_path, seed=12, times=1000)
