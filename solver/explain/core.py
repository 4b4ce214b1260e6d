"""The fewest rules that keep the request out of the nearest places: drop any one of them and it fits there."""

from __future__ import annotations

from collections.abc import Iterable

from ...models.explanation import Core, CoreRule
from ...models.instance import Instance
from ...models.topology import CLUSTER, NODE
from ..exact.decision import Decision
from ..exact.rungs import Rungs
from .blockers import Blocked, blocked
from .edits import around, on_rungs
from .probe import Probe
from .rules import Rule, rules_in_force
from .texts import CORE_TEXT, NO_RULE_TEXT, ONE_RULE_TEXT, OPEN_CORE_TEXT, counted

PLACES = 3
"""Cores are made for so many of the nearest places."""

WHOLE_NODES = 1_000
"""The whole cluster gets a core only if it has at most so many nodes: every rule dropped compiles it again."""


def cores_of(decision: Decision, rungs: Rungs, rung: str | None, probe: Probe, most: int = PLACES) -> list[Core]:
    """Return why the nearest places do not take the request, as minimal sets of rules.

    Parameters
    ----------
    decision : Decision
        A request without a plan on these rungs.
    rungs : Rungs
        The rungs.
    rung : str or None
        The tighter rung that was refused; None: the request has no plan at all.
    probe : Probe
        What may be spent.
    most : int
        At most so many places, one of each kind, the nearest first.

    Returns
    -------
    list of Core
        First, if there are several places and not too many nodes, what keeps the request out of the whole cluster;
        then the places where it is something else. Fewer where time runs out.
    """
    found: list[Core] = []
    places = blocked(decision, rungs)
    for label, nodes in _nearest(places, decision, most):
        if probe.is_over:
            break
        instance = on_rungs(around(decision.instance, nodes), rungs)
        core = core_of(instance, probe, scope=label, rung=rung, nodes=nodes)
        if core is not None:
            found.append(core)
    small = len(decision.snapshot.nodes) <= WHOLE_NODES
    if len(places.places) > 1 and small and not probe.is_over:
        core = core_of(on_rungs(decision.instance, rungs), probe, rung=rung)
        if core is not None and core.minimal:
            found = [core, *(each for each in found if each.rules != core.rules)]
    return found


def core_of(
    instance: Instance, probe: Probe, *, scope: str = CLUSTER, rung: str | None = None, nodes: Iterable[str] = ()
) -> Core | None:
    """Return a minimal set of rules that keep a request out of an instance.

    Parameters
    ----------
    instance : Instance
        Without a plan; see `on_rungs` and `around`.
    probe : Probe
        What may be spent.
    scope, rung, nodes
        What to call it.

    Returns
    -------
    Core or None
        One rule after another is dropped for good if the rest still keep the request out. None if there is a plan
        after all, or time ran out before anything was known.
    """
    rules = rules_in_force(instance)
    freest = probe.is_feasible(probe.decision(without(instance, rules)))
    if freest is False:
        return _told([], instance, True, scope, rung, nodes)
    if probe.is_feasible(probe.decision(instance)) is not False:
        return None
    kept = list(rules)
    dropped: list[Rule] = []
    minimal = True
    for rule in rules:
        last = len(dropped) == len(rules) - 1
        answer = freest if last else probe.is_feasible(probe.decision(without(instance, [*dropped, rule])))
        if answer is False:
            kept.remove(rule)
            dropped.append(rule)
        minimal &= answer is not None
    return _told(kept, instance, minimal, scope, rung, nodes)


def without(instance: Instance, rules: Iterable[Rule]) -> Instance:
    """Return an instance with some rules dropped.

    Parameters
    ----------
    instance : Instance
        The original.
    rules : iterable of Rule
        In any order.

    Returns
    -------
    Instance
        Whatever was permitted stays permitted.
    """
    for rule in rules:
        instance = rule.drop(instance)
    return instance


def _told(
    rules: list[Rule], instance: Instance, minimal: bool, scope: str, rung: str | None, nodes: Iterable[str]
) -> Core:
    request = instance.request
    slots = sum(instance.shape(node.name).gpus for node in instance.cluster.nodes)
    template = NO_RULE_TEXT if not rules else OPEN_CORE_TEXT if not minimal else CORE_TEXT
    template = ONE_RULE_TEXT if len(rules) == 1 and minimal else template
    text = template.format(
        rules="; ".join(rule.text for rule in reversed(rules)),
        slots=counted(slots, "slot"),
        pods=counted(request.pods, "pod"),
        gpus=counted(request.gpus, "GPU"),
    )
    return Core(
        scope=scope,
        rung=rung,
        nodes=tuple(nodes),
        rules=tuple(CoreRule(code=rule.code, name=rule.name, text=rule.text) for rule in reversed(rules)),
        minimal=minimal,
        text=text,
    )


def _nearest(found: Blocked, decision: Decision, most: int) -> list[tuple[str, tuple[str, ...]]]:
    names: dict[tuple[str, ...], str] = {}
    for group in found.groups:
        place = group.members[0]
        nodes = tuple(decision.snapshot.nodes[int(node)].name for node in found.places.nodes(place))
        if found.places.is_single:
            label = f"{NODE} {nodes[0]}"
        else:
            own = found.places.label(place)
            label = own if found.places.level == CLUSTER else f"{found.places.level} {own}"
        names.setdefault(nodes, label)
    return [(label, nodes) for nodes, label in names.items()][:most]
