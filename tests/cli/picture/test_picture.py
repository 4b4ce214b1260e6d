"""What the picture says: every pod where it stands, every slot before and after, every sum right."""

import pytest
from builders import drawn
from hypothesis import given, settings
from strategies import instances_of_some_rules

from topreempt import ConfigError, Instance, Plan, solve_preemption
from topreempt.cli.picture import choose, nodes_asked, picture_of, rows_of_groups, tally
from topreempt.cli.picture.model import Card, Picture
from topreempt.cli.picture.parts import after, before
from topreempt.cli.picture.rows import sections


def solved(instance: Instance) -> Picture:
    plan = solve_preemption(instance)
    assert plan.status == "optimal"
    return picture_of(instance, plan)


def card(picture: Picture, name: str = "n1") -> Card:
    return next(card for card in picture.cards if card.name == name)


def states(picture: Picture, name: str = "n1") -> list[tuple[str, str]]:
    return [(slot.before, slot.after) for slot in sorted(card(picture, name).slots, key=lambda slot: slot.number)]


def words(picture: Picture, name: str = "n1") -> list[tuple[str, list[str], list[str]]]:
    rows = [row for section in sections(card(picture, name)) for row in section.rows]
    return [(row.label, [p.kind for p in row.before], [p.kind for p in row.after]) for row in rows]


def test_slots_before_and_after() -> None:
    picture = solved(drawn({"n1": "aab|.xc", "n2": "abb|bbb"}, {"a": 10, "b": 200, "c": 5}, {"gpus": 2, "pod": "numa"}))
    used, comes = ("used", "used"), ("free", "request")
    assert states(picture) == [used, used, used, comes, ("offline", "offline"), ("used", "request")]
    assert [island.serves for island in card(picture).islands] == [(), ("request#0",)]
    assert not card(picture, "n2").touched
    assert words(picture)[-1] == ("5", ["victim"], ["request"])


def test_terminating_and_freed_slots() -> None:
    jobs = {"a": 10, "b": 200, "t": {"priority": 1, "state": "terminating"}}
    picture = solved(drawn({"n1": "at|ab"}, jobs, {"gpus": 2, "pod": "numa"}))
    assert states(picture) == [("used", "request"), ("going", "request"), ("used", "free"), ("used", "used")]
    assert [row[2] for row in words(picture)] == [["request"], ["request"], ["freed"], ["pod"]]
    unchanged = picture_of(drawn({"n1": "t."}, {"t": jobs["t"]}, 1))
    assert states(unchanged) == [("going", "going"), ("free", "free")]


def test_shares_of_a_slot() -> None:
    pods = [{"name": f"p{i}", "node": "n1", "slots": [0], "share": 0.25} for i in range(2)]
    jobs = {"p": {"priority": 10, "min_available": 0, "pods": pods}}
    picture = picture_of(drawn({"n1": "."}, jobs, 1))
    (slot,) = card(picture).slots
    assert [(part.kind, part.name) for part in before(slot)] == [("pod", "p0"), ("pod", "p1"), ("free", "0.5 free")]
    (slot,) = card(solved(drawn({"n1": "."}, jobs, {"share": 0.75}))).slots
    assert [part.kind for part in before(slot)] == ["victim", "pod", "free"]
    assert [part.kind for part in after(slot)] == ["request", "pod"]


def test_many_pods_of_a_slot_are_counted() -> None:
    pods = [{"name": f"p{i}", "node": "n1", "slots": [0], "share": 0.1} for i in range(10)]
    jobs = {"p": {"priority": 10, "min_available": 0, "pods": pods}}
    (slot,) = card(picture_of(drawn({"n1": "."}, jobs, 1))).slots
    assert [part.name for part in before(slot)] == ["p0", "p1", "p2", "p3", "p4", "and 5 more"]


def test_unknown_placement() -> None:
    jobs = {"k": {"priority": 200, "pods": [{"name": "k", "node": "n1", "gpus": 2}]}}
    picture = solved(drawn({"n1": "...."}, jobs, {"gpus": 2}))
    sums = tally(picture.cards)
    assert (sums.before, sums.after) == ({"used": 2, "free": 2}, {"used": 2, "request": 2})
    assert words(picture)[-2:] == [("2×", [], ["request"]), ("2×", ["pod"], ["pod"])]
    gone = solved(drawn({"n1": "...."}, {"k": jobs["k"] | {"priority": 1}}, {"gpus": 4}))
    assert words(gone)[-1] == ("2×", ["victim"], ["freed"])
    assert tally(gone.cards).before == {"evicted": 2, "free": 2}


def test_reservations() -> None:
    held = [
        {"owner": "low", "priority": 1, "node": "n1", "slots": [0]},
        {"owner": "high", "priority": 200, "node": "n1", "slots": [1]},
        {"owner": "request", "priority": 1, "node": "n1", "slots": [2]},
        {"owner": "some", "priority": 200, "node": "n2", "gpus": 1},
    ]
    picture = solved(drawn({"n1": "...", "n2": "..x"}, None, {"gpus": 2}, reservations=held))
    assert words(picture) == [
        ("0", ["displaced"], ["request"]),
        ("1", ["reserved"], ["reserved"]),
        ("2", ["reserved"], ["request"]),
    ]
    assert words(picture, "n2")[-1] == ("1×", ["reserved"], ["reserved"])
    assert card(picture).islands[0].slots[1].refusal == "reserved"


def test_links_of_the_request() -> None:
    links = [{"gpus": [0, 1], "kind": "nvlink", "count": 2}, {"gpus": [1, 2], "kind": "pix"}]
    fields = {"node_fields": {"n1": {"links": links}}}
    asked = {"gpus": 2, "pod": {"island": "link-clique", "link_kind": "nvlink"}}
    wires = card(solved(drawn({"n1": "..."}, None, asked, **fields))).wires
    assert [(wire.slots, wire.text, wire.serves) for wire in wires] == [((0, 1), "2 nvlink", True)]
    assert card(solved(drawn({"n1": "..."}, None, 2, **fields))).wires == ()
    full = {"node_fields": {"n1": {"links": [*links, {"gpus": [0, 2], "kind": "sys"}]}}}
    whole = card(solved(drawn({"n1": "..."}, None, {"gpus": 2, "pod": "link-clique"}, **full)))
    assert (whole.wires, whole.fully_linked) == ((), True)


@settings(max_examples=60, deadline=None)
@given(instances_of_some_rules())
def test_sums_of_random_clusters(instance: Instance) -> None:
    plan = solve_preemption(instance, time_limit=20.0)
    picture = picture_of(instance, plan)
    sums = tally(picture.cards)
    slots = sum(instance.shape(node.name).gpus for node in instance.cluster.nodes)
    assert sum(sums.before.values()) == sum(sums.after.values()) == sums.slots == slots
    taken = {(placed.node, slot) for placed in plan.placements for slot in placed.slots or ()}
    assert sum(bool(slot.arrivals) for card in picture.cards for slot in card.slots) == len(taken)
    nodes = {placed.node for placed in plan.placements} | {instance.pods_by_name[pod][1].node for pod in plan.evicted}
    assert {card.name for card in picture.cards if card.touched} == nodes
    assert sorted(card.name for _, cards in picture.groups for card in cards) == sorted(instance.nodes_by_name)


def test_a_plan_of_another_instance_is_refused() -> None:
    instance = drawn({"n1": "a"}, {"a": 1}, 1)
    plan = solve_preemption(instance)
    for other in (
        drawn({"n2": "."}, None, 1),
        drawn({"n1": "."}, None, 1),
        drawn({"n1": "a"}, {"a": 1}, {"name": "x"}),
    ):
        with pytest.raises(ConfigError, match="not one of this instance"):
            picture_of(other, plan)
    wrong = plan.placements[0].model_copy(update={"slots": (7,)})
    with pytest.raises(ConfigError, match="slot 7 of node n1"):
        picture_of(instance, plan.model_copy(update={"placements": (wrong,)}))


def racks(number: int, zones: int = 1) -> Instance:
    nodes = {f"n{i:03}": "a." for i in range(number)}
    within = {name: {"zone": f"z{i % zones}", "rack": f"r{i}"} for i, name in enumerate(nodes)}
    return drawn(nodes, {"a": 1}, 2, levels=["zone", "rack", "node", "numa"], within=within)


@pytest.mark.parametrize(
    ("number", "zones", "level", "groups"), [(3, 1, "rack", 3), (41, 2, "zone", 2), (60, 50, "zone", 50)]
)
def test_groups(number: int, zones: int, level: str, groups: int) -> None:
    picture = picture_of(racks(number, zones))
    assert (picture.grouped_by, len(picture.groups)) == (level, groups)


def test_of_many_groups_the_touched_come_first_and_the_rest_is_one() -> None:
    instance = racks(60, 50)
    jobs = tuple(job.model_copy(update={"min_available": 0, "unsaved_seconds": 1.0}) for job in instance.jobs)
    picture = solved(instance.model_copy(update={"jobs": jobs}))
    rows = rows_of_groups(picture)
    assert len(rows) == 10
    assert [any(card.touched for card in cards) for _, cards in rows] == [True] + [False] * 9
    assert rows[-1][0] == "41 others"
    assert sum(len(cards) for _, cards in rows) == 60


def test_nodes_without_a_place_are_a_group_of_their_own() -> None:
    instance = drawn({"n1": ".", "n2": "."}, None, 1, levels=["rack", "node"], within={"n1": {"rack": "r"}})
    assert [label for label, _ in rows_of_groups(picture_of(instance))] == ["r", "in no rack"]


def test_which_nodes_are_drawn(zoo: Instance, zoo_plan: Plan) -> None:
    picture = picture_of(zoo, zoo_plan)
    touched = ["mesh-1", "節点-東京-一", "<script>alert(1)</script>"]
    whole = choose(picture, None, 16, 96)
    assert ([card.name for card in whole.cards][:3], len(whole.cards), whole.why) == (touched, 8, "all")
    some = choose(picture, None, 4, 2)
    assert [card.name for card in some.cards] == touched[:2]
    assert [card.name for card in some.left_out] == touched[2:]
    asked = choose(picture, nodes_asked(zoo, ["wide-1"], ["rack=z<1>/r1"]), 1, 1)
    assert [card.name for card in asked.cards] == ["mesh-1", "mesh-2", "wide-1"]
    assert nodes_asked(zoo, [], ["zone=z<1>", "rack=r9"]) == set(zoo.nodes_by_name) - {"節点-東京-一"}
    assert nodes_asked(zoo, [], []) is None


@pytest.mark.parametrize(
    ("names", "within"), [(["n"], []), ([], ["r1"]), ([], ["node=mesh-1"]), ([], ["rack=r77"]), ([], ["numa=n0"])]
)
def test_nodes_that_are_not_there(zoo: Instance, names: list[str], within: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"^--(node|within): found .*, expected "):
        nodes_asked(zoo, names, within)


def test_the_domain_that_a_gang_shares() -> None:
    instance = drawn(
        {"n1": "a", "n2": ".", "n3": "."},
        {"a": 200},
        {"pods": 2, "gang": {"island": "rack", "mode": "best-effort"}},
        levels=["zone", "rack", "node"],
        within={f"n{i}": {"zone": "z", "rack": f"r{i // 3}"} for i in (1, 2, 3)},
    )
    assert solved(instance).shared == "zone z"
    assert picture_of(instance).shared == ""
    assert solved(drawn({"n1": ".."}, None, {"pods": 2})).shared == ""
