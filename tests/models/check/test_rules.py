"""Each rule by plans made by hand: right ones that break nothing, and copies in which one thing is wrong.

A situation (``situations/*.yaml``, the derivation in its first comment) has an instance, a right plan for it,
``breaks`` (changes, each with the one rule that is broken then) and ``keeps`` (changes after which the plan is still
right). A change sets values by path; ``<gone>`` takes an entry away.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from topreempt.models import Instance, Plan
from topreempt.models.check import Rule, violations

GONE = "<gone>"
SITUATIONS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted(Path(__file__).parent.joinpath("situations").glob("*.yaml"))
}


def changed(situation: dict[str, Any], change: dict[str, Any]) -> tuple[Instance, Plan]:
    data = deepcopy({"instance": situation["instance"], "plan": situation["plan"]})
    for path, value in change.items():
        *parents, last = path.split(".")
        target: Any = data
        for key in parents:
            target = target[int(key)] if isinstance(target, list) else target.setdefault(key, {})
        if isinstance(target, list) and int(last) == len(target):
            target.append(deepcopy(value))
        elif value == GONE:
            del target[last]
        else:
            target[int(last) if isinstance(target, list) else last] = deepcopy(value)
    return Instance.parse(data["instance"]), Plan.parse(data["plan"])


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(situation, case, id=f"{name}: {case.get('rule', 'right')} {case.get('why', number)}")
        for name, situation in SITUATIONS.items()
        for number, case in enumerate(situation.get(kind, []))
    ]


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_right_plan_breaks_no_rule(name: str) -> None:
    assert violations(*changed(SITUATIONS[name], {})) == []


@pytest.mark.parametrize(("situation", "case"), cases("keeps"))
def test_another_right_plan_breaks_no_rule(situation: dict[str, Any], case: dict[str, Any]) -> None:
    assert violations(*changed(situation, case["set"])) == []


@pytest.mark.parametrize(("situation", "case"), cases("breaks"))
def test_exactly_the_broken_rule_is_named(situation: dict[str, Any], case: dict[str, Any]) -> None:
    found = violations(*changed(situation, case["set"]))
    assert {str(violation.rule) for violation in found} == {case["rule"]}
    assert all(violation.text and "\n" not in violation.text for violation in found)


def test_every_rule_has_a_plan_that_breaks_it() -> None:
    broken = {case["rule"] for situation in SITUATIONS.values() for case in situation["breaks"]}
    assert broken == {str(rule) for rule in Rule}
