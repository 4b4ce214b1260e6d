"""A large cluster imports in bounded time and memory, and tells how far it is."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubectl import node, pod

from topreempt.instances.importers.kubernetes import import_kubernetes


def objects(nodes: int, pods: int) -> Iterator[dict]:
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": "2026-03-01T10:00:00Z", "message": "x" * 40}
        for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    for number in range(nodes):
        labels = {"topology.kubernetes.io/zone": f"z{number % 8}", "topology.kubernetes.io/rack": f"r{number // 16}"}
        yield node(f"node-{number:05}", 8, labels=labels)
    for number in range(pods):
        env = [{"name": f"VARIABLE_{place}", "value": "some text of a usual length"} for place in range(15)]
        yield pod(
            f"pod-{number:06}",
            f"node-{number % nodes:05}",
            1 if number < 8 * nodes else 0,
            cpu="500m",
            priority=number % 7,
            labels={"app": f"app-{number % 500}"},
            owner=("Job", f"job-{number // 4}"),
            status={"startTime": "2026-03-01T10:00:00Z", "conditions": conditions, "podIP": "10.0.0.1"},
            volumes=[{"name": "data", "emptyDir": {}}],
            terminationGracePeriodSeconds=30,
        ) | {"env": env}
    yield pod("wanted", None, 4, priority=1000)


def write(path: Path, nodes: int, pods: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('{"apiVersion": "v1", "items": [\n')
        for number, item in enumerate(objects(nodes, pods)):
            file.write((",\n" if number else "") + json.dumps(item, indent=4))
        file.write('], "kind": "List"}')


def test_progress_is_told(tmp_path: Path) -> None:
    write(tmp_path / "cluster.json", 3, 10)
    told: list[tuple[str, float]] = []
    import_kubernetes([tmp_path / "cluster.json"], progress=lambda what, done: told.append((what, done)))
    reading = [done for what, done in told if what.startswith("reading")]
    assert len(reading) == 14
    assert reading == sorted(reading)
    assert 0 < reading[0] < reading[-1] <= 1
    assert [what for what, _ in told[14:]] == ["placing pods", "checking the instance"]


@pytest.mark.long
def test_five_thousand_nodes_and_fifty_thousand_pods(tmp_path: Path) -> None:
    write(tmp_path / "cluster.json", 5000, 50000)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "topreempt", "import", "kubernetes", str(tmp_path / "cluster.json")]
    command += ["--out", str(tmp_path / "out.json")]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The work of the command itself, whatever else the machine is doing.
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = after.ru_maxrss * 1024
    print(f"{(tmp_path / 'cluster.json').stat().st_size / 1e6:.0f} MB, {seconds:.1f} s, {peak / 2**30:.2f} GiB")
    assert seconds < 30
    assert peak < 2 * 2**30
