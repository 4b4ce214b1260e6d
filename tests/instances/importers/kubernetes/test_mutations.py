"""Damaged inputs end in a valid instance or in a clear refusal, whatever was damaged."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubectl import gpu, koordinator, listed, minor, node, nrt, offered, pod, thing, zone

from topreempt.instances.importers.kubernetes import Options, import_kubernetes
from topreempt.instances.write import plain_instance
from topreempt.models import ConfigError, Instance, InstanceError

VALUES = [
    None,
    True,
    0,
    -1,
    1,
    3,
    2**70,
    0.5,
    "",
    "x",
    "0",
    "1",
    "-3",
    "8",
    "500m",
    "4Gi",
    "1e3",
    "9999999",
    "a/b",
    "n0",
    "n1",
    "default",
    "In",
    "Exists",
    "NoSchedule",
    "true",
    "2026-03-01T12:00:00Z",
    "0001-01-01T00:00:00Z",
    "0,1",
    "[0]",
    "{}",
    [],
    [None],
    [1],
    ["x"],
    {},
    {"x": "y"},
    {"name": "n0"},
    {"cpu": "1"},
    {"nvidia.com/gpu": "3"},
    "\x00",
    "é",
    "x" * 300,
]


def corpus() -> list[dict]:
    labels = {"topology.kubernetes.io/rack": "r", "nvidia.com/gpu.product": "H100", "pool": "a"}
    taint = {"taints": [{"key": "ml", "value": "1", "effect": "NoSchedule"}], "unschedulable": False}
    claim = [{"request": "r", "driver": "gpu.nvidia.com", "pool": "d", "device": "gpu-1"}]
    member = {"type": "Node", "selector": {"exactMatch": {"name": "n0"}}}
    asked = {"name": "gpus", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2}}
    constraint = {"requests": ["gpus"], "matchAttribute": "resource.kubernetes.io/pcieRoot"}
    gang = {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}]
            }
        }
    }
    template = {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 2}}}]}}
    return [
        node("n0", 8, labels={**labels, "nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.count": "8"}, spec=taint),
        node(
            "n1",
            4,
            labels=labels,
            conditions=[{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T12:00:00Z"}],
        ),
        node("d", 0, labels=labels),
        nrt("n0", zone(0, 4, 4, 1, cpu="32", memory="64Gi"), zone(1, 4, 3, 3, cpu="32")),
        offered("d", *(gpu(number, number // 2, partition2=number // 2) for number in range(4))),
        koordinator(minor(0, 0), minor(1, 0, health=False), gpu_partitions='{"2": [{"minors": [0, 1]}]}')
        | {"metadata": {"name": "k"}},
        thing("HyperNode", "topology.volcano.sh/v1alpha1", "h", spec={"tier": 1, "members": [member]}),
        thing(
            "Topology", "kueue.x-k8s.io/v1beta2", "t", spec={"levels": [{"nodeLabel": "topology.kubernetes.io/rack"}]}
        ),
        thing("PriorityClass", "scheduling.k8s.io/v1", "high", value=100, globalDefault=True),
        thing(
            "PodDisruptionBudget",
            "policy/v1",
            "b",
            "default",
            spec={"selector": {"matchLabels": {"app": "x"}}, "maxUnavailable": "50%"},
        ),
        thing(
            "ResourceClaim",
            "resource.k8s.io/v1",
            "c",
            "default",
            spec={},
            status={"allocation": {"devices": {"results": claim}}},
        ),
        thing(
            "ResourceClaimTemplate",
            "resource.k8s.io/v1",
            "ct",
            "default",
            spec={"spec": {"devices": {"requests": [asked], "constraints": [constraint]}}},
        ),
        thing("PodGroup", "scheduling.x-k8s.io/v1alpha1", "g", "default", spec={"minMember": 2}),
        thing(
            "JobSet",
            "jobset.x-k8s.io/v1alpha2",
            "js",
            "default",
            spec={"replicatedJobs": [{"name": "x", "template": {"spec": {"template": template}}}]},
        ),
        thing(
            "LeaderWorkerSet",
            "leaderworkerset.x-k8s.io/v1",
            "l",
            "default",
            spec={"leaderWorkerTemplate": {"size": 2, "workerTemplate": template}},
        ),
        pod(
            "p0",
            "n0",
            2,
            labels={"app": "x"},
            owner=("Job", "j"),
            annotations={"topreempt/numa": "0", "topreempt/unsaved-seconds": "5m"},
            status={"startTime": "2026-03-01T10:00:00Z"},
        ),
        pod(
            "p1",
            "n1",
            1,
            priority=None,
            owner=("Job", "j"),
            overhead={"cpu": "100m"},
            initContainers=[{"name": "i", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}],
        ),
        pod("p2", "d", 0, resourceClaims=[{"name": "c", "resourceClaimName": "c"}]),
        pod("p3", "n0", 1, meta={"deletionTimestamp": "2026-03-01T12:00:20Z", "deletionGracePeriodSeconds": 30}),
        pod("p4", "n1", 0, annotations={"gpu-fraction": "0.5"}),
        pod(
            "w0",
            None,
            2,
            priority=100,
            affinity=affinity,
            tolerations=[{"key": "ml", "operator": "Exists"}],
            nodeSelector={"pool": "a"},
            **gang,
        ),
        pod("w1", None, 2, priority=100, affinity=affinity, **gang),
        pod(
            "w2",
            None,
            0,
            priority=90,
            resourceClaims=[{"name": "c", "resourceClaimTemplateName": "ct"}],
            annotations={"kueue.x-k8s.io/podset-required-topology": "topology.kubernetes.io/rack"},
        ),
        pod("w3", None, 1, status={"nominatedNodeName": "n1"}),
    ]


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield data, key
        if isinstance(value, dict | list):
            yield from places(value)


def damaged(items: list[dict], random_: random.Random) -> list[dict]:
    items = copy.deepcopy(items)
    for _ in range(random_.choice((1, 1, 1, 2, 4))):
        spots = list(places(items))
        holder, key = random_.choice(spots)
        match random_.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 2:
                other, name = random_.choice(spots)
                # The spot may be gone by now.
                known = name in other if isinstance(other, dict) else name < len(other)
                holder[key] = copy.deepcopy(other[name]) if known else 0
            case _:
                holder[key] = copy.deepcopy(random_.choice(VALUES))
        if not items:
            break
    return items


def ends_well(items: list[dict], random_: random.Random, folder: Path) -> str:
    file = folder / "cluster.json"
    text = json.dumps(listed(*items))
    if random_.random() < 0.1:
        place = random_.randrange(len(text))
        text = text[:place] + random_.choice(("", "}", '"', ",", "\\", "nul")) + text[place + random_.randrange(3) :]
    file.write_text(text, encoding="utf-8")
    wanted = random_.choice(
        ("default/g", "default/w2", "default/js", "default/l", "default/w3", "pod/default/w0", None)
    )
    try:
        result = import_kubernetes([file], Options(request=wanted))
    except InstanceError as refused:
        assert all(problem.expected for problem in refused.problems)
        assert str(refused)
        return "refused"
    except ConfigError as refused:
        assert str(refused)
        return "refused"
    assert Instance.parse(plain_instance(result.instance)) == result.instance
    return "valid"


def run(seeds: range, folder: Path) -> None:
    items = corpus()
    ends = {"refused": 0, "valid": 0}
    for seed in seeds:
        random_ = random.Random(seed)
        try:
            ends[ends_well(damaged(items, random_), random_, folder)] += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    assert min(ends.values()) > len(seeds) / 10, ends


def test_the_corpus_itself_is_valid(tmp_path: Path) -> None:
    for number in range(20):
        assert ends_well(corpus(), random.Random(f"whole {number}"), tmp_path) in ("valid", "refused")
    (tmp_path / "cluster.json").write_text(json.dumps(listed(*corpus())), encoding="utf-8")
    for wanted in ("default/g", "default/w2", "default/js", "default/l", "default/w3", "pod/default/w0"):
        assert import_kubernetes([tmp_path / "cluster.json"], Options(request=wanted)).instance.request.gpus


def test_hundreds_of_damaged_clusters(tmp_path: Path) -> None:
    run(range(300), tmp_path)


@pytest.mark.long
def test_thousands_of_damaged_clusters(tmp_path: Path) -> None:
    run(range(1000, 21000), tmp_path)
