"""The engine against the brute force on random tiny instances of all rules.

The normal run checks 3,000 seeds. The long profile checks 100,000 others:

    python -m pytest tests/oracle/test_engine_agrees.py -m long -n 2

A failure names its seeds; ``oracle.draw.instance_of_seed(seed)`` is the instance.
"""

from __future__ import annotations

import pytest
from oracle.agreement import disagreements
from oracle.brute import solve
from oracle.draw import instance_of_seed

NORMAL = 3_000
LONG = 100_000


def wrong(seeds: range) -> dict[int, list[str]]:
    found = {seed: disagreements(instance_of_seed(seed)) for seed in seeds}
    return {seed: differences for seed, differences in found.items() if differences}


def chunks(first: int, number: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(first, first + number, size)]


def name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_engine_agrees_with_the_brute_force(seeds: range) -> None:
    assert wrong(seeds) == {}


ONCE_WRONG = (3283, 4128, 5389, 16629, 34835, 37641, 52128, 98788, 106738, 309429)
"""Seeds on which engine, checker or brute force were once wrong; most are about uncertain nodes and promised room."""


def test_what_was_once_wrong_stays_right() -> None:
    assert {seed: found for seed in ONCE_WRONG if (found := disagreements(instance_of_seed(seed)))} == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 500), ids=name)
def test_engine_agrees_on_many_more(seeds: range) -> None:
    assert wrong(seeds) == {}


def test_all_outcomes_occur() -> None:
    answers = [solve(instance_of_seed(seed)) for seed in range(NORMAL)]
    feasible = [answer for answer in answers if answer.status == "optimal"]
    assert NORMAL * 0.25 <= NORMAL - len(feasible) <= NORMAL * 0.5
    assert sum(answer.evicted_pods > 0 for answer in feasible) >= NORMAL / 3
    assert sum(answer.budget_violations > 0 for answer in feasible) >= 10
    assert sum(answer.displaced_reservations > 0 for answer in feasible) >= 10
