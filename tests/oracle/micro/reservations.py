"""Reservations: those that bind, those that are displaced, and the request's own."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case


def held(priority: int, owner: str = "other", node: str = "n1", **room: Any) -> dict[str, Any]:
    return {"owner": owner, "priority": priority, "node": node, **room}


def kept(texts: str, jobs: dict[str, Any], request: Any, *reservations: dict[str, Any]) -> Any:
    nodes = {f"n{number}": text for number, text in enumerate(texts.split(), start=1)}
    return drawn(nodes, jobs, request, reservations=list(reservations))


# The free slot is promised to another of equal priority: a must go.
case("equal priority binds", kept(".a", {"a": 3}, 1, held(100, slots=[0])), best("a@n1", 3))
case("lower priority is displaced", kept(".a", {"a": 3}, 1, held(99, slots=[0])), best("", 0, displaced_reservations=1))
case("but not without need", kept(".. ..", {}, 1, held(99, slots=[0, 1])), best("", 0, displaced_reservations=0))
# Displacing costs less than evicting anybody, but more than nothing: b and c cost the same, c's slot is promised.
case(
    "the cheaper victim comes first",
    kept("bc", {"b": 4, "c": 3}, 1, held(99, slots=[1])),
    best("c@n1", 3, displaced_reservations=1),
)
case(
    "among equal plans nobody is displaced",
    kept("bc", {"b": 3, "c": 3}, 1, held(99, slots=[1])),
    best("b@n1", 3, displaced_reservations=0),
)
case("one's own reservation", kept(".a", {"a": 3}, 1, held(500, "request", slots=[0])), best("", 0))
# Two of three slots must stay free for another: one is left.
case("room by number", kept("...", {}, 1, held(100, gpus=2)), best("", 0))
case("and no more", kept("...a", {"a": 4}, 2, held(100, gpus=2)), best("a@n1", 4))
case("a node that cannot keep the room is no use", kept("...h", {"h": 100}, 2, held(100, gpus=2)), NO)
# Only nodes that the request uses are asked: n2 promises 2 and has none.
case(
    "the room of other nodes does not matter",
    kept("a hh", {"a": 4, "h": 100}, 1, held(100, node="n2", gpus=2)),
    best("a@n1", 4),
)
# Slots promised to others are no room by number: slot 0 binds, of {1, 2} one must stay.
case(
    "promised slots are not room by number",
    kept("...", {}, 1, held(100, slots=[0]), held(100, "third", gpus=1)),
    best("", 0),
)
case(
    "nor for two",
    kept("...a", {"a": 4}, 2, held(100, slots=[0]), held(100, "third", gpus=1)),
    best("a@n1", 4),
)
# A lower reservation by number: two of three slots, one pod fits beside it, two pods displace it.
case("a lower number kept", kept("...", {}, 1, held(99, gpus=2)), best("", 0, displaced_reservations=0))
case("a lower number displaced", kept("...", {}, 2, held(99, gpus=2)), best("", 0, displaced_reservations=1))
# Two lower numbers, 1 and 2, three slots, one taken: either stays alone, one is displaced.
case(
    "as few owners as possible",
    kept("...", {}, 1, held(99, gpus=1), held(99, "third", gpus=2)),
    best("", 0, displaced_reservations=1),
)
# Displaced owners come before extra pods: the second pod would displace.
case(
    "nobody is displaced for an extra pod",
    kept("..", {}, {"pods": 2, "min_pods": 1}, held(99, slots=[1])),
    best("", 0, placed=1, displaced_reservations=0),
)
# A slot with half a pod on it is no free slot.
HALF = {"p": {"priority": 100, "pods": [{"name": "p", "node": "n1", "slots": [2], "share": 0.5}]}}
case("room by number is whole slots", kept("...", HALF, 1, held(100, gpus=2)), NO)
# The request's own reservation keeps nobody's room: slot 0 or 1 is left for the other.
case(
    "one's own reservation is room for others",
    kept("...", {}, 2, held(500, "request", slots=[0]), held(100, gpus=1)),
    best("", 0),
)
