"""Who may be evicted: priorities, protection, elastic and spread jobs, terminating pods, budgets and limits."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case


def pod(name: str, node: str, *slots: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "node": node, "slots": list(slots), **more}


case("equal priority stays", drawn({"n1": "a"}, {"a": 100}), NO)
case("one less goes", drawn({"n1": "a"}, {"a": 99}), best("a@n1", 99))
case("a request that may not preempt", drawn({"n1": "a"}, {"a": 1}, {"may_preempt": False}), NO)
case("a job that is not preemptible", drawn({"n1": "a"}, {"a": {"preemptible": False}}), NO)
# Unknown running time counts as none.
YOUNG = {"a": {"unsaved_seconds": 1}, "b": {"running_seconds": 59}, "c": {"running_seconds": 60, "priority": 5}}
case(
    "jobs that ran too short",
    drawn({"n1": "abc"}, YOUNG, policy={"min_running_seconds": 60}),
    best("c@n1", 300),
)
LABELS = {"a": {"labels": {"keep": "yes"}}, "b": {"labels": {"keep": "no"}, "priority": 7}}
case(
    "protected labels",
    drawn({"n1": "ab"}, LABELS, policy={"protected_labels": {"keep": "yes"}}),
    best("b@n1", 7),
)
# a loses both its pods (2 * 3), wherever they run; b is dearer a slot (5) but alone.
case("a rigid job goes as a whole", drawn({"n1": "ab", "n2": "a"}, {"a": 3, "b": 5}), best("b@n1", 5))
# The same with a on a node that takes no pods: it pays nevertheless.
case(
    "pods on a cordoned node pay",
    drawn({"n1": "ab", "n2": "aaa"}, {"a": 2, "b": 5}, node_fields={"n2": {"cordoned": True}}),
    best("b@n1", 5),
)
# Elastic with a minimum of 2 of 3: one may go for its own 4; a second one would take all three (4 + 5 + 6 = 15),
# more than r (4 + 9).
ELASTIC = {
    "e": {
        "min_available": 2,
        "priority": 1,
        "pods": [pod(f"e{i}", "n1", i, lost_gpu_seconds=4 + i) for i in range(3)],
    },
    "r": 9,
}
case("an elastic job gives one pod", drawn({"n1": "...r"}, ELASTIC), best("e0", 4))
case("not two of three with a minimum of two", drawn({"n1": "...r"}, ELASTIC, 2), best("e0 r@n1", 13))
case("or all of them", drawn({"n1": "...r"}, ELASTIC, 3), best("e0 e1 e2", 15))
GOES_SINGLY = {"e": ELASTIC["e"] | {"min_available": 0}, "r": 9}
case("with a minimum of none, any", drawn({"n1": "...r"}, GOES_SINGLY, 2), best("e0 e1", 9))
case("terminating pods are free", drawn({"n1": "ab"}, {"a": {"state": "terminating"}, "b": 1}), best("", 0))
case(
    "even those of higher priority",
    drawn({"n1": "a"}, {"a": {"state": "terminating", "priority": 500}}),
    best("", 0),
)

# Budget g covers a (two pods of one slot, elastic) and b; one eviction is left.
SHARED = {
    "a": {
        "budget": "g",
        "min_available": 0,
        "priority": 1,
        "pods": [pod("a0", "n1", 0), pod("a1", "n1", 1)],
    },
    "b": {"budget": "g", "priority": 1},
    "c": {"priority": 40},
}
ONE_LEFT = [{"name": "g", "max_evictions": 1}]
case("a hard budget", drawn({"n1": "..bc"}, SHARED, 2, budgets=ONE_LEFT), {"cost": 41, "evicted_pods": 2})
case("a hard budget that nothing meets", drawn({"n1": "..bc"}, SHARED, 3, budgets=ONE_LEFT), NO)
SOFT = {"policy": {"budgets": "soft"}, "budgets": ONE_LEFT}
# Soft: 0 violations at 41 come before 1 violation at 2.
case(
    "a soft budget comes before the cost",
    drawn({"n1": "..bc"}, SHARED, 2, **SOFT),
    {"cost": 41, "budget_violations": 0},
)
# Three slots: {c, two of g} has 1 violation (42), {a0, a1, b} has 2 (3).
case(
    "as few violations as possible",
    drawn({"n1": "..bc"}, SHARED, 3, **SOFT),
    {"cost": 42, "budget_violations": 1},
)
# a (rigid) has two pods: its eviction takes two of g at once; b takes one.
case(
    "a rigid job counts all its pods",
    drawn({"n1": "ab", "n2": "a"}, {"a": {"budget": "g"}, "b": 50}, 1, budgets=ONE_LEFT),
    best("b@n1", 50),
)
# Two victims of 1 each, or one of 9.
SMALL = {"a": 1, "b": 1, "c": {"priority": 9, "unsaved_seconds": 1}}
case("without a limit two go", drawn({"n1": "ab", "n2": "cc"}, SMALL, 2), best("a@n1 b@n1", 2))
case(
    "at most one victim",
    drawn({"n1": "ab", "n2": "cc"}, SMALL, 2, policy={"max_victims": 1}),
    best("c@n2", 18),
)
case("no victim at all", drawn({"n1": "ab", "n2": "cc"}, SMALL, 2, policy={"max_victims": 0}), NO)
