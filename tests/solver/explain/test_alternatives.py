"""Alternatives against the brute force: exactly the cheapest plans of all other places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import pytest
from builders import drawn
from oracle.brute import Answer, solve
from probing import MILLIONTHS, SECONDS, chunks, decision_of, name, solvable

from topreempt.models import Instance, Plan
from topreempt.models.domains import DomainKey, domain_of_node, domain_of_slot, label_of
from topreempt.models.jobs import Reservation
from topreempt.models.ladder import ladder_of
from topreempt.models.request import SCOPES
from topreempt.solver import solve_preemption
from topreempt.solver.exact.rungs import Rungs, regions_of
from topreempt.solver.explain import Ask
from topreempt.solver.explain.edits import edited

NORMAL, LONG = 700, 5_000
MOST = 4
IRREGULAR = ("link-clique", "link-connected", "block")

Place = dict[str, frozenset[int] | None]
"""Usable slots by node; None: all of them."""


def explained(instance: Instance, most: int = MOST) -> Plan:
    ask = Ask(alternatives=most, victims=False, causes=False, time_limit=SECONDS)
    return solve_preemption(instance, time_limit=SECONDS, explain=ask)


def on_granted_rungs(instance: Instance, plan: Plan) -> Instance:
    affinity = {}
    for scope in SCOPES:
        asked = getattr(instance.request.affinity, scope)
        if asked is not None:
            affinity[scope] = asked.model_copy(
                update={"island": plan.affinity[scope].granted, "mode": "guaranteed", "ladder": None}
            )
    return edited(instance, request={"affinity": instance.request.affinity.model_copy(update=affinity)})


def inside(instance: Instance, place: Place) -> Instance:
    """The instance with everything outside a place reserved for somebody of the highest priority."""
    taken = []
    for node in instance.cluster.nodes:
        slots = set(range(instance.shape(node.name).gpus)) - set(place.get(node.name, frozenset()) or ())
        if place.get(node.name, frozenset()) is not None and slots:
            taken.append(Reservation(owner="(test)", priority=10**12, node=node.name, slots=tuple(sorted(slots))))
    return edited(instance, reservations=(*instance.reservations, *taken))


def costs(instance: Instance, answer: Answer) -> tuple[int, ...]:
    """Violations, with `extra_pods: evict` the pods not placed, and costs; lower is better."""
    cost = answer.cost if isinstance(answer.cost, tuple) else (answer.cost,)
    missing = instance.request.pods - answer.placed if instance.policy.extra_pods == "evict" else 0
    return (answer.budget_violations, missing, *cost)


def islands(instance: Instance, rung: str) -> Iterator[tuple[str, Place]]:
    for node in instance.cluster.nodes:
        by_domain: dict[DomainKey, set[int]] = {}
        for slot in range(instance.shape(node.name).gpus):
            level = "node" if rung in IRREGULAR else rung
            by_domain.setdefault(domain_of_slot(instance, node, level, slot), set()).add(slot)
        for domain, slots in by_domain.items():
            yield label_of(domain), {node.name: frozenset(slots)}


def domains(instance: Instance, rung: str) -> Iterator[tuple[str, Place]]:
    by_domain: dict[DomainKey, Place] = {}
    for node in instance.cluster.nodes:
        by_domain.setdefault(domain_of_node(instance, node, rung), {})[node.name] = None
    return ((label_of(domain), place) for domain, place in by_domain.items())


def own_labels(instance: Instance, plan: Plan, rung: str, single: bool) -> set[str]:
    placed = plan.placements[0]
    node = instance.nodes_by_name[placed.node]
    if not single:
        return {label_of(domain_of_node(instance, node, rung))}
    assert placed.slots
    return {label_of(domain_of_slot(instance, node, "node" if rung in IRREGULAR else rung, placed.slots[0]))}


def is_plain(instance: Instance) -> bool:
    """Whether closing slots and nodes of an instance changes nothing else in it."""
    unknown = any(pod.gpus for job in instance.jobs for pod in job.pods)
    counted = any(held.gpus for held in instance.reservations)
    return not unknown and not counted and instance.request.gpus > 0 and instance.policy.relaxation != "priced"


def checked(instance: Instance, plan: Plan) -> list[str]:
    fixed = on_granted_rungs(instance, plan)
    gang = ladder_of(fixed, "gang")[0]
    if instance.request.pods == 1:
        if gang not in ("cluster", "node", *instance.cluster.levels_above):
            return []
        rung = ladder_of(fixed, "pod")[0]
        return against(fixed, plan, islands(fixed, rung), own_labels(fixed, plan, rung, True))
    rungs = Rungs(ladder_of(fixed, "pod"), ladder_of(fixed, "slice"), gang)
    levels = regions_of(decision_of(fixed), rungs).levels
    shared = levels[0] if len(levels) == 1 else ""
    if shared not in ("cluster", "node", *fixed.cluster.levels_above):
        return []
    if len(list(domains(fixed, shared))) == 1:
        return against_node_sets(fixed, plan)
    return against(fixed, plan, domains(fixed, shared), own_labels(fixed, plan, shared, False))


def against(fixed: Instance, plan: Plan, places: Iterable[tuple[str, Place]], own: set[str]) -> list[str]:
    answers = {label: solve(inside(fixed, place)) for label, place in places if label not in own}
    best = sorted(costs(fixed, answer) for answer in answers.values() if answer.status == "optimal")
    labels = [other.island for other in plan.alternatives]
    found = [f"{label} is listed, but has no plan" for label in labels if answers[label].status != "optimal"]
    if found:
        return found
    listed = [costs(fixed, answers[label]) for label in labels]
    if len(set(labels)) != len(labels) or listed != best[:MOST]:
        found.append(f"listed {labels} at {listed}, cheapest are {best}")
    found += wrong_numbers(plan, [answers[label] for label in labels])
    complete = plan.alternatives_up_to is None
    if complete != (len(best) <= MOST):
        found.append(f"complete up to {plan.alternatives_up_to}, {len(best)} places have plans")
    if not complete and fixed.policy.budgets == "hard" and fixed.policy.extra_pods == "free-only":
        missing = [cost for cost in best[len(listed) :] if sum(cost[2:]) / MILLIONTHS < plan.alternatives_up_to - 1e-6]
        found += [f"complete up to {plan.alternatives_up_to}, yet {missing} are missing"] if missing else []
    return found


def wrong_numbers(plan: Plan, answers: list[Answer]) -> list[str]:
    return [
        f"{other.island} costs {other.weighted_work}, not {answer.cost}"
        for other, answer in zip(plan.alternatives, answers, strict=True)
        if isinstance(answer.cost, int)
        and other.weighted_work != pytest.approx(answer.cost / MILLIONTHS, rel=1e-9, abs=1e-9)
    ]


def against_node_sets(fixed: Instance, plan: Plan) -> list[str]:
    """Each alternative is the cheapest that leaves out a node of the plan and of every alternative before it."""
    earlier = [{placed.node for placed in plan.placements}]
    for number in range(MOST):
        answers = [
            solve(inside(fixed, {node.name: None for node in fixed.cluster.nodes if node.name not in closed}))
            for closed in {frozenset(chosen) for chosen in product(*earlier)}
        ]
        best = min((costs(fixed, answer) for answer in answers if answer.status == "optimal"), default=None)
        if number >= len(plan.alternatives):
            return [] if best is None else [f"alternative {number} at {best} is missing"]
        if best is None:
            return [f"alternative {number} cannot be"]
        other = plan.alternatives[number]
        if any(nodes <= set(other.nodes) for nodes in earlier):
            return [f"alternative {number} uses all nodes of an earlier one"]
        if len(best) == 3 and other.weighted_work != pytest.approx(best[2] / MILLIONTHS, rel=1e-9, abs=1e-9):
            return [f"alternative {number} costs {other.weighted_work}, the cheapest {best}"]
        earlier.append(set(other.nodes))
    return []


def faults(seeds: range) -> dict[int, list[str]]:
    found = {}
    for seed, instance in solvable(seeds):
        if is_plain(instance):
            wrong = checked(instance, explained(instance))
            if wrong:
                found[seed] = wrong
    return found


@pytest.mark.parametrize("seeds", chunks(0, NORMAL, 50), ids=name)
def test_alternatives_are_exactly_the_cheapest(seeds: range) -> None:
    assert faults(seeds) == {}


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(NORMAL, LONG, 250), ids=name)
def test_many_more_alternatives_are_exactly_the_cheapest(seeds: range) -> None:
    assert faults(seeds) == {}


def test_all_kinds_of_places_occur() -> None:
    plans = [explained(instance) for _, instance in solvable(range(400)) if is_plain(instance)]
    kinds = {other.level for plan in plans for other in plan.alternatives}
    assert {"node", "nodes", "numa"} <= kinds
    assert kinds & {"link-clique", "link-connected", "block"}
    assert any(plan.alternatives_up_to is not None for plan in plans)


def test_islands_by_hand() -> None:
    # Domains cost 1, 2, 3 and 5; the last cannot be had.
    jobs = {"a": 1, "b": 2, "c": 3, "d": 5, "e": 200}
    instance = drawn({"n1": "a|b", "n2": "c|d", "n3": "e"}, jobs, request={"gpus": 1, "pod": "numa"})
    plan = explained(instance, 2)
    assert [(other.island, other.weighted_work, other.victims) for other in plan.alternatives] == [
        ("n1/1", 2.0, ("b",)),
        ("n2/0", 3.0, ("c",)),
    ]
    assert plan.alternatives_up_to == 5.0
    everything = explained(instance, 9)
    assert [other.island for other in everything.alternatives] == ["n1/1", "n2/0", "n2/1"]
    assert everything.alternatives_up_to is None


def test_priced_rungs_compete_with_their_prices() -> None:
    request = {"gpus": 2, "pod": {"island": "numa", "mode": "best-effort", "prices": {"node": 4}}}
    instance = drawn({"n1": "aa|b."}, {"a": 3, "b": 9}, request=request, policy={"relaxation": "priced"})
    plan = explained(instance)
    assert plan.cost.weighted_work + plan.cost.price == 6.0
    assert [(other.island, other.level, other.weighted_work, other.price) for other in plan.alternatives] == [
        ("n1/1", "numa", 9.0, 0.0),
        ("n1", "node", 6.0, 4.0),
    ]


def test_node_sets_by_hand() -> None:
    # Two pods of one GPU on three nodes: the plan uses n1 and n2; the others leave out one of them.
    instance = drawn({"n1": "a", "n2": "b", "n3": "c"}, {"a": 1, "b": 2, "c": 4}, request={"gpus": 1, "pods": 2})
    plan = explained(instance)
    assert [(other.nodes, other.weighted_work) for other in plan.alternatives] == [
        (("n1", "n3"), 5.0),
        (("n2", "n3"), 6.0),
    ]
    assert plan.alternatives_up_to is None


def test_racks_of_a_gang_by_hand() -> None:
    # Racks cost 2, 3 and 9; the fourth has one node only.
    racks = {"n1": "r1", "n2": "r1", "n3": "r2", "n4": "r2", "n5": "r3", "n6": "r3", "n7": "r4"}
    instance = drawn(
        {"n1": "a", "n2": ".", "n3": "b", "n4": ".", "n5": "c", "n6": ".", "n7": "."},
        {"a": 2, "b": 3, "c": 9},
        request={"gpus": 1, "pods": 2, "gang": "rack"},
        levels=["rack", "node"],
        within={node: {"rack": rack} for node, rack in racks.items()},
    )
    plan = explained(instance)
    assert [(other.island, other.level, other.nodes, other.weighted_work) for other in plan.alternatives] == [
        ("r2", "rack", ("n3", "n4"), 3.0),
        ("r3", "rack", ("n5", "n6"), 9.0),
    ]
    assert plan.alternatives_up_to is None
