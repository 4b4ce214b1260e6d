"""What an eviction loses and weighs."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case


def lone(node_fields: dict[str, Any] | None = None, **job: Any) -> Any:
    """One job on the only two slots, wanted by a request for two."""
    fields = {"node_fields": {"n1": node_fields}} if node_fields else {}
    return drawn({"n1": "aa"}, {"a": {"priority": 3, **job}}, 2, **fields)


# Two GPUs at weight 3: 6 a second lost.
case("unsaved and restart", lone(unsaved_seconds=10, restart_seconds=2), best("a@n1", 72))
case("running time where no checkpoint is known", lone(running_seconds=7), best("a@n1", 42))
case("unsaved comes before running", lone(running_seconds=7, unsaved_seconds=4), best("a@n1", 24))
SAVES = {"unsaved_seconds": 100, "checkpoint_seconds": 5}
case("a checkpoint that fits into the grace period", lone(**SAVES, grace_seconds=5), best("a@n1", 30))
case("a checkpoint that does not", lone(**SAVES, grace_seconds=4.999999), best("a@n1", 600))
case("a checkpoint without a grace period", lone(**SAVES), best("a@n1", 600))
# It fits, so it is what is lost even where the unsaved work is less.
case(
    "a checkpoint costs its own time",
    lone(unsaved_seconds=1, checkpoint_seconds=5, grace_seconds=30),
    best("a@n1", 30),
)
case("a job's own statement", lone(unsaved_seconds=10, lost_gpu_seconds=2.5), best("a@n1", 7.5))
case("a loss of nothing still counts as an eviction", lone(lost_gpu_seconds=0), best("a@n1", 0, evicted_pods=1))
# The pod holds 6 of 8 cores of a node with two GPUs... of 2 slots: max(2, 6 * 2 / 8 = 1.5) = 2; with 12 of 8
# cores: 3.
HELD = {"pods": [{"name": "c", "node": "n1", "slots": [0, 1], "resources": {"cpus": 12}}]}
case(
    "the dominant share may be the cores",
    drawn(
        {"n1": ".."},
        {"a": {"priority": 3, "unsaved_seconds": 10, **HELD}},
        2,
        node_fields={"n1": {"resources": {"cpus": 8}}},
    ),
    best("c", 90),
)
# A quarter of each of two slots: G = 0.5.
QUARTERS = {"pods": [{"name": "c", "node": "n1", "slots": [0, 1], "share": 0.25}]}
case(
    "shares are shares of the loss",
    drawn({"n1": ".."}, {"a": {"priority": 3, "unsaved_seconds": 10, **QUARTERS}}, 2),
    best("c", 15),
)
# An elastic job's 10 are split by GPU-equivalents: 1 + 2 slots make 3.333334 (the rest goes to the first name) and
# 6.666666; the first alone costs 3.333334.
SPLIT = {
    "priority": 1,
    "min_available": 0,
    "lost_gpu_seconds": 10,
    "pods": [{"name": "p", "node": "n1", "slots": [0]}, {"name": "q", "node": "n1", "slots": [1, 2]}],
}
case("an elastic job's loss is split", drawn({"n1": "..."}, {"a": SPLIT}, 1), best("p", "3.333334"))
case("and its parts sum to the whole", drawn({"n1": "..."}, {"a": SPLIT}, 3), best("p q", 10))
# A pod's own statement comes before its part.
OWN = SPLIT | {"pods": [SPLIT["pods"][0] | {"lost_gpu_seconds": 9}, SPLIT["pods"][1]]}
case("a pod's own loss comes first", drawn({"n1": "..."}, {"a": OWN}, 1), best("q", "6.666666"))

# Losses 10 (priority -5), 4 (2), 3 (2), 3 (7): one slot of n1 each, two wanted.
PRIORITIES = {
    "a": {"priority": -5, "unsaved_seconds": 10},
    "b": {"priority": 2, "unsaved_seconds": 4},
    "c": {"priority": 2, "unsaved_seconds": 3},
    "d": {"priority": 7, "unsaved_seconds": 3},
}


def weighted(weights: Any) -> Any:
    return drawn({"n1": "abcd"}, PRIORITIES, 2, policy={"weights": weights})


# value: 10 * 1, 4 * 2, 3 * 2, 3 * 7 = 10, 8, 6, 21
case("weights: value", weighted("value"), best("b@n1 c@n1", 14))
# rank: -5 -> 1, 2 -> 2, 7 -> 3: 10, 8, 6, 9
case("weights: rank", weighted("rank"), best("b@n1 c@n1", 14))
# uniform: 10, 4, 3, 3
case("weights: uniform", weighted("uniform"), best("c@n1 d@n1", 6))
# table: 1, 8, 6, 1.5
case("weights: table", weighted({"table": {"-5": 0.1, "2": 2, "7": 0.5}}), best("a@n1 d@n1", 2.5))
# tiered, tiers 7, 2, -5: nothing of 7, then the least of 2 (3), then 10.
case("weights: tiered", weighted("tiered"), best("a@n1 c@n1", (0, 3, 10)))
# Any work of a lower tier is given for a second of a higher one.
case(
    "tiers are never traded",
    drawn(
        {"n1": "aab"},
        {"a": {"priority": 1, "unsaved_seconds": 10**6}, "b": {"priority": 2, "unsaved_seconds": 0.000001}},
        1,
        policy={"weights": "tiered"},
    ),
    best("a@n1", (0, 2 * 10**6)),
)
case(
    "the largest priorities there are",
    drawn({"n1": "ab"}, {"a": 10**12 - 1, "b": 10**12 - 2}, {"gpus": 1, "priority": 10**12}),
    best("b@n1", 10**12 - 2),
)
case("work of the highest tier is out of reach", drawn({"n1": "a"}, {"a": 100}, policy={"weights": "tiered"}), NO)
