"""Several pods: gang and slice domains, nested zones, extra pods."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case

RACKS = {
    "levels": ["zone", "rack", "node"],
    "within": {
        "n1": {"zone": "z1", "rack": "r1"},
        "n2": {"zone": "z1", "rack": "r1"},
        "n3": {"zone": "z2", "rack": "r1"},
        "n4": {"zone": "z2", "rack": "r2"},
    },
}


def racks(texts: str, jobs: dict[str, Any], request: dict[str, Any], **fields: Any) -> Any:
    """Four nodes: two in rack z1/r1, one in z2/r1, one in z2/r2."""
    nodes = {f"n{number}": text for number, text in enumerate(texts.split(), start=1)}
    return drawn(nodes, jobs, request, **RACKS, **fields)


GANG = {"pods": 2, "gpus": 1, "gang": "rack"}
# Free slots on n1 and n3: racks of equal name in two zones are two. Rack z1/r1 costs a (4) or b (5), z2/r1 and z2/r2
# have one slot each.
case(
    "racks of one name in two zones are two",
    racks(".a b . c", {"a": 4, "b": 5, "c": 1}, GANG),
    best("a@n1", 4),
)
# The zone z2 has a free slot on n3, and c on n4.
case("a zone joins its racks", racks(".a b . c", {"a": 4, "b": 5, "c": 1}, GANG | {"gang": "zone"}), best("c@n4", 1))
case("no gang scope, no common domain", racks(".a b . c", {}, GANG | {"gang": "cluster"}), best("", 0))
# A node without a rack stands alone in one: n2 is in no rack of n1's.
APART = {"levels": ["rack", "node"], "within": {"n1": {"rack": "r1"}}}
case("a node without a rack stands alone", drawn({"n1": ".", "n2": "."}, {}, GANG, **APART), NO)
case(
    "two nodes without a rack are not together",
    drawn({"n1": ".", "n2": "."}, {}, GANG, levels=["rack", "node"]),
    NO,
)
# All or nothing: three pods, three slots to be had, one of them too important.
case("all or nothing", racks(".a b h h", {"a": 4, "b": 5, "h": 100}, GANG | {"pods": 4, "gang": "zone"}), NO)
# A gang in one numa domain: domain 1 (two slots, c: 2 * 6) or domain 0 (a and b: 2 + 3).
case(
    "a gang inside a node",
    drawn({"n1": "ab|cc"}, {"a": 2, "b": 3, "c": 6}, {"pods": 2, "gang": "numa"}),
    best("a@n1 b@n1", 5),
)

# Slices of two pods, each slice in one rack; rack z1/r1 has room for 3 pods, z2/r2 for 1: 4 pods need 2 + 2.
SLICED = {"pods": 4, "gpus": 1, "slice": {"island": "rack", "size": 2}}
case("pods of a slice share a rack", racks(".. . h .", {"h": 100}, SLICED), NO)
case("one more slot completes the second slice", racks(".. . h .a", {"h": 100, "a": 7}, SLICED), best("a@n4", 7))
# Two slices may share a rack: four slots of z1/r1.
case("two slices in one rack", racks(".. .. h h", {"h": 100}, SLICED), best("", 0))
# A slice of two pods of two slots in one numa domain: 4 slots of one domain; domain 0 costs 4 * 1, domain 1 is short.
case(
    "a slice inside a node holds every slot of its pods",
    drawn(
        {"n1": "aaaa|...b"},
        {"a": 1, "b": 100},
        {"pods": 2, "gpus": 2, "slice": {"island": "numa", "size": 2}},
    ),
    best("a@n1", 4),
)

# 1 to 3 pods; the first is free, others cost a (2) or b (3).
EXTRA = {"pods": 3, "min_pods": 1}
case("evictions serve the minimum", drawn({"n1": ".ab"}, {"a": 2, "b": 3}, EXTRA), best("", 0, placed=1))
case("extra pods take free room", drawn({"n1": "..b"}, {"b": 3}, EXTRA), best("", 0, placed=2))
# Two are the least: a goes (2 slots, 4), which makes room for a third at no further cost.
case(
    "and what the victims leave over",
    drawn({"n1": ".aab"}, {"a": 2, "b": 9}, EXTRA | {"min_pods": 2}),
    best("a@n1", 4, placed=3),
)
# A victim that loses nothing is a victim all the same: it is not evicted for an extra pod.
case(
    "not even a victim without a loss",
    drawn({"n1": ".a"}, {"a": {"lost_gpu_seconds": 0}}, EXTRA),
    best("", 0, placed=1),
)
EVICT = {"policy": {"extra_pods": "evict"}}
case(
    "extra pods by eviction",
    drawn({"n1": ".ab"}, {"a": 2, "b": 3}, EXTRA, **EVICT),
    best("a@n1 b@n1", 5, placed=3),
)
case(
    "as many as can be had",
    drawn({"n1": ".ah"}, {"a": 2, "h": 100}, EXTRA, **EVICT),
    best("a@n1", 2, placed=2),
)
# With soft budgets a violation outweighs any number of pods.
case(
    "violations come before extra pods",
    drawn(
        {"n1": ".ab"},
        {"a": {"budget": "g"}, "b": 3},
        EXTRA,
        budgets=[{"name": "g", "max_evictions": 0}],
        policy={"extra_pods": "evict", "budgets": "soft"},
    ),
    best("b@n1", 3, placed=2, budget_violations=0),
)
# More pods come before the tighter rung: two pods fit numa-wise only with... domain 0 has one slot, so two pods of
# one slot each are always in numa; with two slots a pod, domain 0 holds one pod, and the second crosses domains.
case(
    "more pods come before the tighter rung",
    drawn(
        {"n1": "..|.x|.x"},
        {},
        {"pods": 2, "min_pods": 1, "gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}},
        **EVICT,
    ),
    best("", 0, placed=2, rungs={"pod": "node", "slice": "cluster", "gang": "cluster"}),
)
case(
    "but not where extra pods must not cost",
    drawn(
        {"n1": "..|.x|.x"},
        {},
        {"pods": 2, "min_pods": 1, "gpus": 2, "pod": {"island": "numa", "mode": "best-effort"}},
    ),
    best("", 0, placed=1, rungs={"pod": "numa", "slice": "cluster", "gang": "cluster"}),
)
# Extra pods come in whole slices: 3 slots in the rack hold one slice of two, not two pods and a half slice.
case(
    "extra pods come in whole slices",
    racks(".. . h h", {"h": 100}, SLICED | {"min_pods": 2}),
    best("", 0, placed=2),
)
