"""What the checker calls certain holds in every position of the pods of unknown placement, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from topreempt.models import Instance, Plan
from topreempt.models.check import Rule, violations

SLOTS = 6
Slots = frozenset[int]


@st.composite
def situations(draw: st.DrawFn) -> dict[str, Any]:
    """One node with victims, kept pods and strangers, and a placement that may or may not hold."""
    of = [draw(st.sampled_from("abc")) for _ in range(SLOTS)]
    domains = {name: [slot for slot in range(SLOTS) if of[slot] == name] for name in sorted(set(of))}
    holders = [draw(st.sampled_from(["free", "free", "victim", "kept", "half"])) for _ in range(SLOTS)]
    room = sum(holder == "free" for holder in holders)
    strangers = []
    while room and draw(st.booleans()):
        within = draw(st.sampled_from([None, None, *domains]))
        gpus = draw(st.integers(1, min(room, 3)))
        if within is None or gpus <= len(domains[within]):
            strangers.append({"gpus": gpus, "within": within})
            room -= gpus
    kind = draw(st.sampled_from(["node", "numa", "gpu", "link-clique", "block"]))
    gpus = 1 if kind == "gpu" else draw(st.integers(1, 3))
    names = {"node": ["n"], "numa": [f"n/{name}" for name in domains], "gpu": [f"n/{slot}" for slot in range(SLOTS)]}
    islands = [*names.get(kind, ["n"]), None]
    pods = draw(st.integers(1, 2))
    return {
        "domains": domains,
        "holders": holders,
        "strangers": strangers,
        "offline": draw(st.lists(st.integers(0, SLOTS - 1), max_size=1)),
        "pairs": draw(st.sets(st.sampled_from(list(combinations(range(SLOTS), 2))), max_size=9)),
        "kind": kind,
        "gpus": gpus,
        "islands": [draw(st.sampled_from(islands)) for _ in range(pods)],
    }


def built(drawn: dict[str, Any]) -> tuple[Instance, Plan]:
    def pods(holder: str, share: float) -> list[dict[str, Any]]:
        slots = [slot for slot in range(SLOTS) if drawn["holders"][slot] == holder]
        return [{"name": f"{holder}{slot}", "node": "n", "slots": [slot], "share": share} for slot in slots]

    strangers = [
        {"name": f"u{number}", "node": "n", "gpus": pod["gpus"]}
        | ({"within": {"numa": pod["within"]}} if pod["within"] else {})
        for number, pod in enumerate(drawn["strangers"])
    ]
    jobs = [
        {"name": "victim", "priority": 1, "pods": pods("victim", 1.0)},
        {"name": "kept", "priority": 900, "pods": [*pods("kept", 1.0), *pods("half", 0.5), *strangers]},
    ]
    node = {
        "name": "n",
        "gpus": SLOTS,
        "domains": {"numa": drawn["domains"]},
        "offline_slots": drawn["offline"],
        "links": [{"gpus": list(pair), "kind": "x"} for pair in sorted(drawn["pairs"])],
        "blocks": [list(pair) for pair in sorted(drawn["pairs"])],
    }
    number = len(drawn["islands"])
    request = {
        "name": "r",
        "priority": 9,
        "gpus": drawn["gpus"],
        "pods": number,
        "affinity": {"pod": {"island": drawn["kind"]}},
    }
    instance = {"format": "topreempt/v1", "cluster": {"levels": ["node", "numa"], "nodes": [node]}, "request": request}
    gone = [pod["name"] for pod in jobs[0]["pods"]]
    victim = {"job": "victim", "pods": gone, "priority": 1, "lost_gpu_seconds": 0, "weighted_cost": 0, "why": "w"}
    plan = {
        "request": "r",
        "status": "feasible",
        "admitted": True,
        "victims": [victim] if gone else [],
        "placements": [
            {"pod": pod, "node": "n", "island": island, "level": drawn["kind"], "slots": None}
            for pod, island in enumerate(drawn["islands"])
        ],
    }
    return Instance.parse(instance | {"jobs": [job for job in jobs if job["pods"]]}), Plan.parse(plan)


def positions(drawn: dict[str, Any]) -> Iterator[Slots]:
    """Every set of slots that the strangers may sit on: each on its own slots, where nobody known sat before."""
    open_slots = frozenset(slot for slot in range(SLOTS) if drawn["holders"][slot] == "free")

    def sit(strangers: list[dict[str, Any]], left: Slots) -> Iterator[Slots]:
        if not strangers:
            yield frozenset()
            return
        own = left if strangers[0]["within"] is None else left & set(drawn["domains"][strangers[0]["within"]])
        for part in combinations(sorted(own), strangers[0]["gpus"]):
            for others in sit(strangers[1:], left - set(part)):
                yield others | set(part)

    return sit(drawn["strangers"], open_slots)


def islands(drawn: dict[str, Any], name: str | None) -> Iterator[Slots]:
    """Every set of slots that one pod with this island's name may get."""
    for slots in map(frozenset, combinations(range(SLOTS), drawn["gpus"])):
        linked = all(pair in drawn["pairs"] for pair in combinations(sorted(slots), 2))
        fits = {
            "node": True,
            "gpu": name in (None, *(f"n/{slot}" for slot in slots)),
            "numa": any(slots <= set(d) for label, d in drawn["domains"].items() if name in (None, f"n/{label}")),
            "link-clique": linked,
            "block": len(slots) == 2 and linked,
        }
        if fits[drawn["kind"]]:
            yield slots


def all_fit(drawn: dict[str, Any], names: list[str | None], free: Slots) -> bool:
    return not names or any(
        all_fit(drawn, names[1:], free - slots) for slots in islands(drawn, names[0]) if slots <= free
    )


@settings(max_examples=500, deadline=None)
@given(situations().filter(lambda drawn: drawn["strangers"]))
def test_certain_room_is_there_wherever_the_strangers_sit(drawn: dict[str, Any]) -> None:
    broken = {violation.rule for violation in violations(*built(drawn))}
    refused = Rule.CERTAIN_ROOM in broken
    free = {slot for slot in range(SLOTS) if drawn["holders"][slot] in ("free", "victim")} - set(drawn["offline"])
    always = all(all_fit(drawn, drawn["islands"], free - taken) for taken in positions(drawn))
    event(f"refused {refused}, holds {always}")
    assert always or refused
    if len(drawn["islands"]) == 1 and not any(pod["within"] for pod in drawn["strangers"]):
        assert always == (not refused) or drawn["kind"] in ("link-clique", "block")


def test_both_outcomes_are_drawn() -> None:
    seen = set()

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(situations().filter(lambda drawn: drawn["strangers"]))
    def look(drawn: dict[str, Any]) -> None:
        seen.add(Rule.CERTAIN_ROOM in {violation.rule for violation in violations(*built(drawn))})

    look()
    assert seen == {False, True}
