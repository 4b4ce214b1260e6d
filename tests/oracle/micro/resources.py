"""Counted resources of nodes, the places for pods, and requests without GPUs."""

from __future__ import annotations

from builders import drawn
from oracle.micro.cases import NO, best, case


def cpu_pod(name: str, cpus: float, node: str = "n1", **more: object) -> dict[str, object]:
    return {"name": name, "node": node, "resources": {"cpus": cpus}, **more}


EIGHT = {"n1": {"resources": {"cpus": 8}}}
# 8 cores for 2 GPUs. a: 6 cores, no GPU: G = 6 * 2 / 8 = 1.5, costs 1.5 * 2 = 3. b: slot 1 and 2 cores, costs 4.
# Slot 0 is free, no core is. 4 cores come from a (6) but not from b (2).
CORES = {"a": {"priority": 2, "pods": [cpu_pod("a", 6)]}, "b": {"priority": 4, "pods": [cpu_pod("b", 2, slots=[1])]}}
case(
    "cores keep it out, not slots",
    drawn({"n1": ".."}, CORES, {"gpus": 1, "resources": {"cpus": 4}}, node_fields=EIGHT),
    best("a", 3),
)
# 2 cores would also come from b, which costs more; none asked needs nobody.
case(
    "resources that are not asked for do not matter",
    drawn({"n1": ".."}, CORES, {"gpus": 1}, node_fields=EIGHT),
    best("", 0),
)
# Two pods of 4 cores on one node need all 8.
case(
    "every pod of the request takes its share",
    drawn({"n1": ".."}, CORES, {"gpus": 1, "pods": 2, "resources": {"cpus": 4}}, node_fields=EIGHT),
    best("a b", 7),
)
case(
    "what a machine does not name it does not have",
    drawn({"n1": ".."}, {}, {"gpus": 1, "resources": {"licences": 1}}),
    NO,
)
case(
    "what is asked as zero is not asked",
    drawn({"n1": ".."}, {}, {"gpus": 1, "resources": {"licences": 0}}),
    best("", 0),
)
# Running pods hold 10 of 8 cores. a's 3 leave 8 - 7 = 1, b's 7 leave 5: 2 cores cost b (7 * 1 / 8 * 9 = 7.875).
OVERFULL = {"a": {"priority": 1, "pods": [cpu_pod("a", 3)]}, "b": {"priority": 9, "pods": [cpu_pod("b", 7)]}}
case(
    "an overfull node must first come down to what it has",
    drawn({"n1": "."}, OVERFULL, {"gpus": 1, "resources": {"cpus": 2}}, node_fields=EIGHT),
    best("b", 7.875),
)
# Two places for pods, both held; a CPU-only pod without resources costs nothing but one eviction.
PLACES = {"n1": {"resources": {"pods": 2}}}
IDLE = {"a": {"priority": 1, "pods": [{"name": "a", "node": "n1"}]}, "b": 3}
case(
    "every pod uses one place",
    drawn({"n1": ".b"}, IDLE, {"gpus": 1}, node_fields=PLACES),
    best("a", 0, evicted_pods=1),
)
case(
    "a stated place is the same place",
    drawn({"n1": ".b"}, {"b": 3}, {"gpus": 1, "resources": {"pods": 5}}, node_fields=PLACES),
    best("", 0),
)
# 0 GPUs: only cores count. n2 has no GPU; there G of a CPU pod is 0, so its work is worth nothing.
NO_GPUS = {"n1": {"resources": {"cpus": 8}}, "n2": {"gpus": 0, "resources": {"cpus": 8}}}
TWO_NODES = {
    "a": {"priority": 2, "pods": [cpu_pod("a", 8)]},
    "b": {"priority": 5, "pods": [cpu_pod("b", 8, "n2", lost_gpu_seconds=1)]},
}
case(
    "a request without GPUs takes cores anywhere",
    drawn({"n1": "..", "n2": ""}, TWO_NODES, {"gpus": 0, "resources": {"cpus": 3}}, node_fields=NO_GPUS),
    best("a", 4),
)
case(
    "and places no slot of an island",
    drawn({"n1": "..", "n2": ""}, {}, {"gpus": 0, "resources": {"cpus": 3}, "pod": "numa"}, node_fields=NO_GPUS),
    best("", 0, broken_islands=(0, 0)),
)
