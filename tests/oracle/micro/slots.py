"""Which slots can serve: shares, models, offline slots, cordoned and unlabelled nodes."""

from __future__ import annotations

from builders import drawn
from oracle.micro.cases import NO, best, case

# f: two pods of a quarter and one of a half on slot 0. A request for a half fits after the half (3) or after both
# quarters (2 + 2).
HALVES = {
    "p": {"priority": 8, "pods": [{"name": "p", "node": "n1", "slots": [0], "share": 0.25}]},
    "q": {"priority": 8, "pods": [{"name": "q", "node": "n1", "slots": [0], "share": 0.25}]},
    "r": {"priority": 6, "pods": [{"name": "r", "node": "n1", "slots": [0], "share": 0.5}]},
}
case("half a slot", drawn({"n1": "."}, HALVES, {"gpus": 1, "share": 0.5}), best("r", 3))
# A whole slot needs all of them: 8/4 + 8/4 + 6/2.
case("a whole slot", drawn({"n1": "."}, HALVES, {"gpus": 1}), best("p q r", 7))
# Two pods of half a slot share slot 0 and slot 1 of x is left alone.
case("request pods share a slot", drawn({"n1": ".x"}, {}, {"gpus": 1, "share": 0.5, "pods": 2}), best("", 0))
case("three halves do not fit one slot", drawn({"n1": ".x"}, {}, {"gpus": 1, "share": 0.5, "pods": 3}), NO)
# One pod's slots are distinct: two halves of one slot are no two slots.
case("slots of one pod differ", drawn({"n1": ".x"}, {}, {"gpus": 2, "share": 0.5}), NO)
MIXED = {"n1": {"gpu_model": ["A", "B", "A"]}}
case(
    "models are the slots'",
    drawn({"n1": "ab."}, {"a": 9, "b": 1}, {"gpus": 2, "gpu_models": ["A"]}, node_fields=MIXED),
    best("a@n1", 9),
)
case("no model is any model's", drawn({"n1": ".."}, {}, {"gpus": 1, "gpu_models": ["A"]}), NO)
# Evicting a (cheap) frees only its online slot 1.
OFFLINE_UNDER_POD = {"a": {"priority": 1, "pods": [{"name": "a", "node": "n1", "slots": [0, 1]}]}, "b": 5}
case(
    "an offline slot frees nothing",
    drawn({"n1": "x.bb"}, OFFLINE_UNDER_POD, {"gpus": 2}),
    best("b@n1", 10),
)
case(
    "cordoned and unlabelled nodes",
    drawn(
        {"n1": "..", "n2": "..", "n3": "aa"},
        {"a": 3},
        {"gpus": 2, "node_labels": {"pool": "x"}},
        node_fields={"n1": {"cordoned": True, "labels": {"pool": "x"}}, "n3": {"labels": {"pool": "x"}}},
    ),
    best("a@n3", 6),
)
# Three pods of 0.333333 leave a millionth; four of a quarter fill a slot.
case("shares to six decimals", drawn({"n1": "."}, {}, {"gpus": 1, "share": 0.333333, "pods": 3}), best("", 0))
case("a millionth too much", drawn({"n1": "."}, {}, {"gpus": 1, "share": 0.333334, "pods": 3}), NO)
THIRDS = {"t": {"priority": 100, "pods": [{"name": "t", "node": "n1", "slots": [0], "share": 0.666667}]}}
case("a share that just fits", drawn({"n1": "."}, THIRDS, {"gpus": 1, "share": 0.333333}), best("", 0))
case("and one that just does not", drawn({"n1": "."}, THIRDS, {"gpus": 1, "share": 0.333334}), NO)
