"""Islands of the pod scope: levels, links and blocks of irregular machines."""

from __future__ import annotations

from builders import drawn
from oracle.micro.cases import NO, best, case

# Domain 0 {0,1,2} has one free slot, domain 1 {3} is too small for two: one more slot of domain 0 is needed.
# a holds two slots (cost 2 * 5), b one (cost 1 * 7).
case(
    "uneven domains: only the larger one can hold two",
    drawn({"n1": "aa.|b"}, {"a": 5, "b": 7}, {"gpus": 2, "pod": "numa"}),
    best("a@n1", 10),
)
# Slots 2 and 3 are free, but lie in different domains; slot 2 with b's slots costs b 1 * 3, slot 3 with c's costs 4.
case(
    "free slots in two domains are no island",
    drawn({"n1": "ab.|.cd"}, {"a": 9, "b": 3, "c": 4, "d": 9}, {"gpus": 2, "pod": "numa"}),
    best("b@n1", 3),
)
# A machine that lacks the level is one domain of it: the two free slots do.
case("a machine without the level", drawn({"n1": "ab..", "n2": "c|d"}, {}, {"gpus": 2, "pod": "numa"}), best("", 0))
# Three are asked of a domain, the domains have two and two.
case("no domain is large enough", drawn({"n1": "..|.."}, {}, {"gpus": 3, "pod": "numa"}), NO)
# gpu: one slot is always in one domain of the level gpu.
case("the level gpu", drawn({"n1": "ab"}, {"a": 3, "b": 2}, {"gpus": 1, "pod": "gpu"}), best("b@n1", 2))
case("two slots are never one gpu", drawn({"n1": "..."}, {}, {"gpus": 2, "pod": "gpu"}), NO)


RING = [{"gpus": pair, "kind": "nvlink"} for pair in ([0, 2], [2, 1], [1, 3], [3, 0])]
# Ring 0-2-1-3-0: 0 and 1 are not linked. Two linked slots: {0,2}, {2,1}, {1,3}, {3,0}. Slot costs 1, 1, 5, 4:
# the cheap pair {0,1} (2) is no island, {1,3} and {0,3} cost 5, {0,2} and {1,2} cost 6. The order of names has
# no say in the objective values.
RING_JOBS = {"a": 1, "b": 1, "c": 5, "d": 4}
case(
    "a clique needs links, not neighbouring numbers",
    drawn({"n1": "abcd"}, RING_JOBS, {"gpus": 2, "pod": "link-clique"}, node_fields={"n1": {"links": RING}}),
    {"cost": 5, "evicted_pods": 2},
)
# Three of a ring are connected but no clique: the cheapest three are {0,1,3} at 6, connected by way of 3.
case(
    "connected through the third",
    drawn({"n1": "abcd"}, RING_JOBS, {"gpus": 3, "pod": "link-connected"}, node_fields={"n1": {"links": RING}}),
    best("a@n1 b@n1 d@n1", 6),
)
case(
    "a ring of four has no clique of three",
    drawn({"n1": "...."}, {}, {"gpus": 3, "pod": "link-clique"}, node_fields={"n1": {"links": RING}}),
    NO,
)
# Counts of one pair add up over its entries: 0-1 has 1 + 1, 2-3 has 1.
PAIRS = [
    {"gpus": [0, 1], "kind": "nvlink"},
    {"gpus": [1, 0], "kind": "pix"},
    {"gpus": [2, 3], "kind": "nvlink"},
]
TWO_LINKS = {"island": "link-clique", "min_links": 2}
case(
    "links of a pair add up",
    drawn({"n1": "ab.."}, {"a": 3, "b": 4}, {"gpus": 2, "pod": TWO_LINKS}, node_fields={"n1": {"links": PAIRS}}),
    best("a@n1 b@n1", 7),
)
case(
    "only links of the asked kind count",
    drawn(
        {"n1": "ab.."},
        {},
        {"gpus": 2, "pod": TWO_LINKS | {"link_kind": "nvlink"}},
        node_fields={"n1": {"links": PAIRS}},
    ),
    NO,
)
case(
    "a switch links every pair, whatever the kind and count",
    drawn(
        {"n1": "ab.."},
        {},
        {"gpus": 2, "pod": TWO_LINKS | {"link_kind": "nvlink"}},
        node_fields={"n1": {"fully_linked": True}},
    ),
    best("", 0),
)
case(
    "one slot is always a clique",
    drawn({"n1": "a."}, {}, {"gpus": 1, "pod": TWO_LINKS}),
    best("", 0),
)
# Blocks of two: {1,2} (b, c: 2 + 4) and {0,3} (a: 1 + d: 9). The free-looking pair {0,1} (3) is none.
case(
    "only listed sets are blocks",
    drawn(
        {"n1": "abcd"},
        {"a": 1, "b": 2, "c": 4, "d": 9},
        {"gpus": 2, "pod": "block"},
        node_fields={"n1": {"blocks": [[1, 2], [0, 3], [0, 1, 2, 3]]}},
    ),
    best("b@n1 c@n1", 6),
)
# A block of four is none of two.
case(
    "a block has exactly the asked size",
    drawn({"n1": "...."}, {}, {"gpus": 2, "pod": "block"}, node_fields={"n1": {"blocks": [[0, 1, 2, 3]]}}),
    NO,
)
# A level may have the name of another island kind; then it is the level: two domains of two, not the listed block.
case(
    "a level named block is a level",
    drawn(
        {"n1": "ab.."},
        {"a": 1, "b": 2},
        {"gpus": 2, "pod": "block"},
        levels=["node", "block"],
        node_fields={"n1": {"domains": {"block": {"x": [0, 2], "y": [1, 3]}}, "blocks": [[2, 3]]}},
    ),
    best("a@n1", 1),
)
