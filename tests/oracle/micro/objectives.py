"""Ladders, prices and the order of the objectives."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case

EFFORT = {"mode": "best-effort"}
NUMA = {"island": "numa", **EFFORT}


def rungs(pod: str = "node", slice_: str = "cluster", gang: str = "cluster") -> dict[str, Any]:
    return {"rungs": {"pod": pod, "slice": slice_, "gang": gang}}


# Two slots of one domain cost b (8); across domains two are free. The tightest rung that can be had comes first.
TWO = {"gpus": 2, "pod": NUMA}
case("tightest rung first", drawn({"n1": ".b|.c"}, {"b": 8, "c": 9}, TWO), best("b@n1", 8, **rungs("numa")))
case("the next rung if it must be", drawn({"n1": ".h|.h"}, {"h": 100}, TWO), best("", 0, **rungs("node")))
case("no rung below the last", drawn({"n1": ".h|hh"}, {"h": 100}, TWO), NO)
# A ladder may leave rungs out and need not widen.
LADDER = {"island": "socket", "mode": "best-effort", "ladder": ["socket", "numa"]}
SOCKETS = {
    "levels": ["node", "socket", "numa"],
    "node_fields": {"n1": {"domains": {"socket": {"s0": [0, 1], "s1": [2, 3]}, "numa": {"0": [0, 2], "1": [1, 3]}}}},
}
case(
    "levels that do not nest",
    drawn({"n1": ".h.h"}, {"h": 100}, {"gpus": 2, "pod": LADDER}, **SOCKETS),
    best("", 0, **rungs("numa")),
)
case("a ladder without node", drawn({"n1": ".hh."}, {"h": 100}, {"gpus": 2, "pod": LADDER}, **SOCKETS), NO)
case(
    "after links comes the node",
    drawn({"n1": "..h"}, {"h": 100}, {"gpus": 2, "pod": {"island": "link-clique", **EFFORT}}),
    best("", 0, **rungs("node")),
)
# One rung for all pods: n1 would give numa to one pod, n2 to none; so both are said to have node, and nobody
# is evicted for the numa of one.
case(
    "one rung for all pods",
    drawn({"n1": "a.|.x", "n2": ".x|.x"}, {"a": 1}, {"gpus": 2, "pods": 2, "pod": NUMA}),
    best("", 0, **rungs("node")),
)
# Gang ladder [rack, cluster]: rack r1 (n1, n2) costs a (6), the cluster has n1 and n3 free.
RACKS: dict[str, Any] = {
    "levels": ["rack", "node", "numa"],
    "within": {"n1": {"rack": "r1"}, "n2": {"rack": "r1"}, "n3": {"rack": "r2"}},
}
PAIR = {"pods": 2, "gpus": 2, "gang": {"island": "rack", **EFFORT}}
case(
    "the gang's ladder",
    drawn({"n1": "..", "n2": "a.", "n3": ".."}, {"a": 6}, PAIR, **RACKS),
    best("a@n2", 6, **rungs(gang="rack")),
)
# The pod's rung outranks the gang's: in r1 n2 cannot give numa, so the gang takes n1 and n3 (cluster), though the
# rack would be free.
case(
    "the pod's rung comes before the gang's",
    drawn({"n1": "..", "n2": ".x|.x", "n3": ".."}, {}, PAIR | {"pod": NUMA}, **RACKS),
    best("", 0, **rungs("numa", gang="cluster")),
)
# And before the cost: numa on n3 costs a, node on n2 nothing.
case(
    "rungs come before the cost",
    drawn({"n1": "..", "n2": ".x|.x", "n3": "aa"}, {"a": 50}, PAIR | {"pod": NUMA}, **RACKS),
    best("a@n3", 100, **rungs("numa", gang="cluster")),
)

# Priced: numa costs b (8), node its price.
PRICED = {"policy": {"relaxation": "priced"}}


def priced(price: float, **more: Any) -> dict[str, Any]:
    return NUMA | {"prices": {"node": price}} | more


case(
    "a cheap rung is taken",
    drawn({"n1": ".b|.c"}, {"b": 8, "c": 9}, {"gpus": 2, "pod": priced(7.5)}, **PRICED),
    best("", 7.5),
)
case(
    "a dear one is not",
    drawn({"n1": ".b|.c"}, {"b": 8, "c": 9}, {"gpus": 2, "pod": priced(8.5)}, **PRICED),
    best("b@n1", 8),
)
# At the same sum the plan with fewer victims wins.
case("equal sums", drawn({"n1": ".b|.c"}, {"b": 8, "c": 9}, {"gpus": 2, "pod": priced(8)}, **PRICED), best("", 8))
case(
    "a rung without a price is free",
    drawn({"n1": ".b|.c"}, {"b": 8, "c": 9}, {"gpus": 2, "pod": NUMA}, **PRICED),
    best("", 0),
)
# Every pod pays its own rung: n1 gives numa, n2 does not: 0 + 3, not 3 + 3.
case(
    "every pod pays its own rung",
    drawn({"n1": "..|hh", "n2": ".h|.h"}, {"h": 100}, {"gpus": 2, "pods": 2, "pod": priced(3)}, **PRICED),
    best("", 3),
)
# The gang pays once: price 5 for the cluster against a at 6.
case(
    "the gang pays once",
    drawn(
        {"n1": "..", "n2": "a.", "n3": ".."},
        {"a": 6},
        PAIR | {"gang": {"island": "rack", **EFFORT, "prices": {"cluster": 5}}},
        **RACKS,
        **PRICED,
    ),
    best("", 5),
)
# Slices of one pod each: both pay for the node rung of the slice (2 * 4), while numa costs a and b (3 + 3).
case(
    "every slice pays",
    drawn(
        {"n1": ".a|.h", "n2": ".b|.h"},
        {"a": 3, "b": 3, "h": 100},
        {
            "pods": 2,
            "gpus": 2,
            "slice": {"island": "numa", "size": 1, **EFFORT, "ladder": ["numa", "node"], "prices": {"node": 4}},
        },
        **PRICED,
    ),
    best("a@n1 b@n2", 6),
)
# An extra pod that would pay a price does not come for free.
case(
    "an extra pod must not cost a price",
    drawn({"n1": "..|.h|.h"}, {"h": 100}, {"gpus": 2, "pods": 2, "min_pods": 1, "pod": priced(1)}, **PRICED),
    best("", 0, placed=1),
)

# Equal cost: one pod of two slots (2 * 3) before two pods of one slot (3 + 3).
case("fewer victims at equal cost", drawn({"n1": "aabc"}, {"a": 3, "b": 3, "c": 3}, 2), best("a@n1", 6, evicted_pods=1))
# Everything else equal: domain 0 is whole, domain 1 is not; the pod goes to the broken one. Then no whole domain
# breaks (node n1 is not whole, h sits on it).
case(
    "the broken island first",
    drawn({"n1": "..|.h"}, {"h": 100}, 1),
    best("", 0, broken_islands=(0, 0)),
)
# n1 and n2 are whole, n3 is not.
case(
    "whole nodes stay whole",
    drawn({"n1": "..", "n2": "..", "n3": ".h"}, {"h": 100}, 1),
    best("", 0, broken_islands=(0, 0)),
)
# Broader levels first: rack r2 (n3) is whole; n1 is a whole node of the broken rack r1.
case(
    "a whole rack counts more than a whole node",
    drawn({"n1": "..", "n2": "h.", "n3": ".."}, {"h": 100}, 2, **RACKS),
    best("", 0, broken_islands=(0, 1, 1)),
)
# An offline slot does not keep a domain from being whole; one without online slots is none.
case("offline slots do not count", drawn({"n1": ".x|.h|xx"}, {"h": 100}, 2), best("", 0, broken_islands=(0, 1)))
# Terminating pods count as free: domain 0 is whole, domain 1 is not.
case(
    "terminating pods leave whole islands",
    drawn({"n1": "tt|.h"}, {"t": {"state": "terminating"}, "h": 100}, 2),
    best("", 0, broken_islands=(0, 1)),
)
