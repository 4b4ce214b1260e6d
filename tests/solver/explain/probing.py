"""What the tests of explanations share: instances by seed, decisions, probes and the brute force's word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from time import monotonic

from oracle.brute import Answer, solve
from oracle.draw import instance_of_seed

from topreempt.models import Instance
from topreempt.solver.exact.cpsat import Effort
from topreempt.solver.exact.decision import Decision
from topreempt.solver.exact.snapshot import compile_snapshot
from topreempt.solver.explain.probe import Probe

SECONDS = 120.0
MILLIONTHS = 10**12
"""The brute force counts costs in millionths of millionths."""


@cache
def drawn_instance(seed: int) -> Instance:
    return instance_of_seed(seed)


@cache
def answer_of(seed: int) -> Answer:
    return solve(drawn_instance(seed))


def infeasible(seeds: range) -> Iterator[tuple[int, Instance]]:
    return ((seed, drawn_instance(seed)) for seed in seeds if answer_of(seed).status == "infeasible")


def solvable(seeds: range) -> Iterator[tuple[int, Instance]]:
    return ((seed, drawn_instance(seed)) for seed in seeds if answer_of(seed).status == "optimal")


def decision_of(instance: Instance) -> Decision:
    return Decision(compile_snapshot(instance), instance)


def probe_of(decision: Decision) -> Probe:
    probe = Probe(Effort(monotonic() + SECONDS, 1, 0))
    probe.know(decision)
    return probe


def fits(instance: Instance) -> bool:
    return solve(instance).status == "optimal"


def chunks(first: int, number: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(first, first + number, size)]


def name(seeds: range) -> str:
    return f"seeds {seeds.start}-{seeds.stop - 1}"
