"""Objectives packed into one sum keep their order and stay within 53 bits; one alone within 60."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topreempt.models.errors import InternalError
from topreempt.solver.exact.cpsat.objectives import Objective
from topreempt.solver.exact.cpsat.packing import packed
from topreempt.solver.exact.decision import EXACT, LIMIT

NAMES = ("violations", "work0", "work1", "evicted", "displaced", "broken rack", "broken node", "names")


@st.composite
def goals_and_values(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """The most of each objective, and some plans' values."""
    mosts = draw(st.lists(st.one_of(st.integers(0, 9), st.integers(0, LIMIT - 1)), min_size=1, max_size=len(NAMES)))
    values = st.tuples(*(st.one_of(st.integers(0, most), st.sampled_from([0, most])) for most in mosts))
    return mosts, draw(st.lists(values.map(list), min_size=2, max_size=6))


def totals(mosts: list[int], values: list[int], small: bool) -> list[int]:
    goals = [Objective(name, value, most, most) for name, value, most in zip(NAMES, values, mosts, strict=False)]
    packs = packed(goals, small)
    assert [goal.name for pack, _, _ in packs for goal in pack] == [goal.name for goal in goals]
    assert all(total < (EXACT if len(pack) > 1 else LIMIT) for pack, total, _ in packs)
    return [total for _, total, _ in packs]


@settings(max_examples=500, deadline=None, derandomize=True)
@given(goals_and_values(), st.booleans())
def test_packs_compare_as_their_objectives_do(drawn: tuple[list[int], list[list[int]]], small: bool) -> None:
    mosts, plans = drawn
    packed = [totals(mosts, values, small) for values in plans]
    totals(mosts, mosts, small)
    for (one, one_packed), (other, other_packed) in pairwise(zip(plans, packed, strict=True)):
        assert (one < other) == (one_packed < other_packed)
        assert (one == other) == (one_packed == other_packed)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(goals_and_values(), st.booleans())
def test_the_first_objective_of_a_pack_is_its_sum_over_its_weight(
    drawn: tuple[list[int], list[list[int]]], small: bool
) -> None:
    mosts, plans = drawn
    goals = [Objective(name, value, most, most) for name, value, most in zip(NAMES, plans[0], mosts, strict=False)]
    for pack, total, weights in packed(goals, small):
        assert weights[-1] == 1
        assert total // weights[0] == pack[0].value


def test_small_objectives_share_a_sum_and_great_ones_do_not() -> None:
    few, many = Objective("work0", 1, 1000, 1000), Objective("evicted", 1, LIMIT - 1, LIMIT - 1)
    assert [len(pack) for pack, _, _ in packed([few, few], True)] == [2]
    assert [len(pack) for pack, _, _ in packed([few, many], True)] == [1, 1]


def test_terms_that_might_overflow_are_notpacked() -> None:
    cost = Objective("work0", 1, 2**40, 2**40)
    few, many = Objective("extra", 1, 7, 2**10), Objective("missing", 1, 7, 2**21)
    assert [len(pack) for pack, _, _ in packed([few, cost], True)] == [2]
    assert [len(pack) for pack, _, _ in packed([many, cost], True)] == [1, 1]


def test_broken_islands_and_names_stand_alone_in_models_that_are_not_small() -> None:
    goals = [Objective(name, 1, 1, 1) for name in NAMES]
    assert [len(pack) for pack, _, _ in packed(goals, True)] == [8]
    assert [len(pack) for pack, _, _ in packed(goals, False)] == [5, 1, 1, 1]


def test_an_objective_beyond_sixty_bits_is_a_fault_of_ours() -> None:
    with pytest.raises(InternalError, match="objective names"):
        packed([Objective("names", 1, LIMIT, LIMIT)], True)
