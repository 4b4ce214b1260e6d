"""No drawing has anything that sticks out of its box or lies on something else, whatever the names."""

import pytest
from drawing_faults import faults
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import instances_of_some_rules

from topreempt import solve_preemption
from topreempt.cli.picture import picture_of
from topreempt.cli.picture.layout import WIDTH, laid_out
from topreempt.cli.picture.lettering import cells
from topreempt.cli.picture.shapes import Arrow, Box, Curve, Label
from topreempt.models import Instance, Plan

NAMES = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters=[chr(c) for c in (*range(32), 127)]), min_size=1
)


def all_faults(instance: Instance, plan: Plan | None, level: str | None = None) -> list[str]:
    picture = picture_of(instance, plan, level)
    drawings = [laid_out(card, planned=plan is not None) for card in picture.cards]
    assert all((drawing.x, drawing.y, drawing.width) == (0, 0, WIDTH) for drawing in drawings)
    return [fault for drawing in drawings for fault in faults(drawing)]


@pytest.mark.parametrize("level", [None, "node", "numa"])
def test_zoo_has_no_faults(zoo: Instance, zoo_plan: Plan, level: str | None) -> None:
    assert all_faults(zoo, zoo_plan, level) == []
    assert all_faults(zoo, None, level) == []


@settings(max_examples=60, deadline=None)
@given(instances_of_some_rules())
def test_random_clusters_have_no_faults(instance: Instance) -> None:
    plan = solve_preemption(instance, time_limit=20.0)
    assert all_faults(instance, plan) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=6, max_size=6, unique=True))
def test_names_of_any_length_and_script_stay_inside(names: list[str]) -> None:
    node, machine, domain, job, other, request = names
    instance = Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {
                "levels": ["rack", "node", "numa"],
                "machines": {machine: {"gpus": 3, "domains": {"numa": {domain: [0, 2], domain + "'": [1]}}}},
                "nodes": [{"name": node, "machine": machine, "within": {"rack": domain}}],
            },
            "jobs": [
                {"name": job, "priority": -(10**12), "pods": [{"name": job, "node": node, "slots": [0]}]},
                {"name": other, "priority": 1, "pods": [{"name": other, "node": node, "gpus": 1}]},
            ],
            "reservations": [{"owner": job, "priority": 0, "node": node, "slots": [1]}],
            "request": {"name": request, "priority": 2, "gpus": 2, "affinity": {"pod": {"island": "numa"}}},
        }
    )
    plan = solve_preemption(instance)
    assert plan.status == "optimal"
    assert all_faults(instance, plan) == []


def test_large_machines_are_drawn_short() -> None:
    instance = Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {"levels": ["node"], "nodes": [{"name": "n", "gpus": 4096}]},
            "jobs": [{"name": "a", "priority": 1, "pods": [{"name": "a", "node": "n", "slots": [7, 4000]}]}],
            "request": {"name": "r", "priority": 2, "gpus": 4096},
        }
    )
    plan = solve_preemption(instance)
    drawing = laid_out(picture_of(instance, plan).cards[0], planned=True)
    assert list(faults(drawing)) == []
    assert drawing.height < 400


def label(x: float, y: float, text: str) -> Label:
    return Label(x, y, text, 10.0, cells(text) * 6.0)


@pytest.mark.parametrize(
    "box",
    [
        Box(0, 0, 50, 50, "outer", boxes=(Box(10, 10, 41, 10, "wide"),)),
        Box(0, 0, 50, 50, "outer", boxes=(Box(0, 0, 20, 20, "one"), Box(19, 19, 20, 20, "two"))),
        Box(0, 0, 50, 50, "outer", labels=(label(0, 20, "too long to fit"),)),
        Box(0, 0, 50, 50, "outer", labels=(label(0, 20, "one"), label(0, 25, "two"))),
        Box(0, 0, 50, 50, "outer", labels=(label(0, 20, "one"),), boxes=(Box(0, 15, 20, 20, "two"),)),
        Box(
            0,
            0,
            50,
            50,
            "outer",
            boxes=(Box(0, 0, 50, 50, "inner", labels=(label(30, 20, "text"), label(31, 48, "texts"))),),
        ),
        Box(0, 0, 50, 50, "outer", arrows=(Arrow(45, 20, 10),)),
        Box(0, 0, 50, 50, "outer", curves=(Curve(10, 5, 20, 11, "wire", "0 to 1"),)),
    ],
)
def test_the_arithmetic_finds_faults(box: Box) -> None:
    assert list(faults(box)) != []
