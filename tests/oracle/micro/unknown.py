"""Pods of unknown placement: the plan holds wherever those that stay sit."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case


def hidden(text: str, jobs: dict[str, Any], request: Any, **fields: Any) -> Any:
    """One node; jobs of upper-case letters hold as many GPUs of it as their `gpus`, nobody knows which."""
    for name, job in jobs.items():
        if isinstance(job, dict) and "gpus" in job:
            pod = {"name": name, "node": "n1", "gpus": job.pop("gpus")} | job.pop("pod", {})
            job["pods"] = [pod]
    return drawn({"n1": text}, jobs, request, **fields)


def high(gpus: int, **pod: Any) -> dict[str, Any]:
    return {"priority": 100, "gpus": gpus, "pod": pod}


def low(priority: int, gpus: int) -> dict[str, Any]:
    return {"priority": priority, "gpus": gpus}


# Four slots, U sits on two: two are left wherever it sits.
case("two of four are left", hidden("....", {"U": high(2)}, 2), best("", 0))
case("three are not", hidden("....", {"U": high(2)}, 3), NO)
# Domains of two, U on one: one domain stays whole (1 < 1 + 1).
case("one domain is whole", hidden("..|..", {"U": high(1)}, {"gpus": 2, "pod": "numa"}), best("", 0))
# U on two may break both.
case("two may break both", hidden("..|..", {"U": high(2)}, {"gpus": 2, "pod": "numa"}), NO)
# a holds domain 1: once it is gone, U cannot be there.
case(
    "where a victim sat no unknown pod is",
    hidden("..|aa", {"U": high(2), "a": 3}, {"gpus": 2, "pod": "numa"}),
    best("a@n1", 6),
)
# Evicting U (2 * 5) frees everything; a's slots cost 2 * 6.
case(
    "an unknown pod may be the victim",
    hidden("..|aa", {"U": low(5, 2), "a": 6}, {"gpus": 2, "pod": "numa"}),
    best("U", 10),
)
# Two pods need an island each: domain 0 may lose one to U, so does domain 1: neither holds two.
case(
    "two pods need two islands that hold",
    hidden("...|...", {"U": high(1)}, {"gpus": 2, "pods": 2, "pod": "numa"}),
    best("", 0),
)
case(
    "and find none",
    hidden("..|..", {"U": high(1)}, {"gpus": 2, "pods": 2, "pod": "numa"}),
    NO,
)
# Two pods of one slot on the node: three are left wherever U sits.
case("two pods of a node", hidden("....", {"U": high(1)}, {"gpus": 1, "pods": 2}), best("", 0))
case("four are too many", hidden("....", {"U": high(1)}, {"gpus": 1, "pods": 4}), NO)
# U sits in domain 0, we know: domain 1 is whole.
case(
    "a known domain narrows it",
    hidden("..|..", {"U": high(2, within={"numa": "0"})}, {"gpus": 2, "pod": "numa"}),
    best("", 0),
)
# An offline slot may be where U sits, but need not be.
case("an offline slot is no comfort", hidden("..x", {"U": high(1)}, 2), NO)
# Overlapping blocks: {0,1} and {1,2}; U on one of three slots breaks either only as a whole set of positions: at 0
# {1,2} is left, at 2 {0,1}, at 1 none.
case(
    "overlapping blocks",
    hidden(
        "...",
        {"U": high(1)},
        {"gpus": 2, "pod": "block"},
        node_fields={"n1": {"blocks": [[0, 1], [1, 2]]}},
    ),
    NO,
)
# Without GPUs asked it does not matter where U sits.
case(
    "no GPUs asked",
    hidden("..", {"U": high(2)}, {"gpus": 0, "resources": {"cpus": 1}}, node_fields={"n1": {"resources": {"cpus": 1}}}),
    best("", 0),
)
# A node of unknown pods is not whole: the request goes there, and n2 stays whole.
case(
    "an uncertain node is not whole",
    drawn(
        {"n1": "...", "n2": "..."},
        {"U": {"priority": 100, "pods": [{"name": "U", "node": "n1", "gpus": 1}]}},
        1,
    ),
    best("", 0, broken_islands=(0, 0)),
)
# Terminating unknown pods are gone: nothing is uncertain.
case("terminating unknown pods", hidden("..", {"U": {"state": "terminating", "gpus": 2}}, 2), best("", 0))
# t still sits on slot 0 while U sits on 1 or 2; so slot 0 is free for certain once t is gone, and one of the others.
case(
    "where a terminating pod sits no unknown pod is",
    hidden(
        "t|..",
        {"t": {"state": "terminating"}, "U": high(1)},
        {"gpus": 1, "pods": 2, "pod": "numa"},
    ),
    best("", 0),
)
# Once U is gone nothing is unknown: half of slot 0 is free beside h's half.
HALF = {"h": {"priority": 100, "pods": [{"name": "h", "node": "n1", "slots": [0], "share": 0.5}]}}
case(
    "a node without unknown pods shares its slots again",
    hidden("..", HALF | {"U": low(5, 1)}, {"gpus": 2, "share": 0.5}),
    best("U", 5),
)
case(
    "and one slot serves several pods again",
    hidden("..h", {"U": low(5, 1), "h": 100}, {"gpus": 1, "share": 0.25, "pods": 8}),
    best("U", 5),
)
# While U stays, a slot serves one pod at most: two slots, one of them U's, hold one pod.
case(
    "beside unknown pods a slot serves one pod",
    hidden("..", {"U": high(1)}, {"gpus": 1, "share": 0.25, "pods": 2}),
    NO,
)
# One domain each for the kubelet; U breaks two of three at most.
ALIGNED = {"n1": {"topology_policy": "single-numa-node"}}
case(
    "one domain of an aligned node is left",
    hidden(".|.|..", {"U": high(2)}, 1, node_fields=ALIGNED),
    best("", 0),
)
case(
    "or none",
    hidden(".|.|..", {"U": high(2)}, 2, node_fields=ALIGNED),
    NO,
)
# Slot 1 is promised at a lower priority. U on one of {0, 1, 3} leaves two of three, promised or not: nobody goes.
case(
    "a lower promise may be displaced where slots are unknown",
    hidden(
        "..a.",
        {"U": low(5, 1), "a": 100},
        {"gpus": 2},
        reservations=[{"owner": "other", "priority": 1, "node": "n1", "slots": [1]}],
    ),
    best("", 0),
)
