"""What could be changed so that the request starts: each kind of change as steps, the smallest first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...models.eligibility import binds
from ...models.explanation import ChangeCode
from ...models.instance import Instance
from ...models.ladder import ladder_of
from ...models.policy import WeightTable
from ...models.request import SCOPES, Scope
from ...models.units import MICRO, micro
from ..exact.decision import Decision
from .edits import edited
from .nodes import most_by
from .texts import CHANGE_TEXTS, amount, counted

Edit = Callable[[Instance], Instance]
Item = str | int

ANY = ""
"""Stands for slots that name no model: only a request for any model can use them."""


@dataclass(frozen=True)
class Step:
    """One change.

    Attributes
    ----------
    settings : tuple of str
        As ``solve --set`` takes them.
    text : str
        In words.
    edit : callable
        Gives the changed instance.
    """

    settings: tuple[str, ...]
    text: str
    edit: Edit


@dataclass(frozen=True)
class Dial:
    """Changes of one kind that permit ever more: what one step permits, all later ones permit too.

    Attributes
    ----------
    code : ChangeCode
        What is changed.
    size : int
        Number of steps, at least 1.
    step : callable
        The step of a number from 0; the last one permits most.
    between : callable or None
        Where steps leave values out: the number of values between two neighbouring steps and how to get them, so
        that the smallest change can be found among them.
    """

    code: ChangeCode
    size: int
    step: Callable[[int], Step]
    between: Callable[[int, int], Dial] | None = None


@dataclass(frozen=True)
class Choice:
    """Changes of one kind that are alternatives to each other; they can also be made together.

    Attributes
    ----------
    code : ChangeCode
        What is changed.
    items : sequence of str or int
        What can be chosen, the most promising first.
    step : callable
        The step that makes some of the changes.
    together : bool
        Whether several changes at once permit more than each of them; else they are tried one by one.
    """

    code: ChangeCode
    items: Sequence[Item]
    step: Callable[[Sequence[Item]], Step]
    together: bool = True


def setting(path: str, value: object) -> str:
    """Return a setting as ``solve --set`` takes it.

    Parameters
    ----------
    path : str
        Such as ``request.priority``.
    value : object
        Plain data.

    Returns
    -------
    str
        ``path=value``.
    """
    return f"{path}={json.dumps(value, ensure_ascii=False)}"


def key(name: str) -> str:
    """Return a step of a path that leads to the field of a mapping, quoted where its name needs it.

    Parameters
    ----------
    name : str
        Any key.

    Returns
    -------
    str
        Such as ``.cpus`` or ``['nvidia.com/gpu']``.
    """
    plain = name.replace("_", "").replace("-", "").isalnum()
    quote = '"' if "'" in name else "'"
    return f".{name}" if plain else f"[{quote}{name}{quote}]"


def request_dials(decision: Decision, instance: Instance) -> Iterator[Dial | Choice]:
    """Yield the changes of the request and the policy.

    Parameters
    ----------
    decision : Decision
        The request that has no plan.
    instance : Instance
        Its instance, as the user gave it.

    Yields
    ------
    Dial or Choice
        Those that can permit anything at all.
    """
    yield from _priority(instance)
    if not instance.request.may_preempt:
        yield _single(ChangeCode.MAY_PREEMPT, ["request.may_preempt"], [True], {"request": {"may_preempt": True}})
    yield from _budgets(instance)
    yield from _max_victims(instance)
    yield from _min_running(instance)
    for scope in SCOPES:
        yield from _rungs(instance, scope)
    for asked in decision.asked:
        if asked.name != "pods":
            yield from _resource(decision, asked.name)
    yield from _pods(instance)
    yield from _gpus(instance)
    yield from _models(instance)
    yield from _labels(instance)


def _single(code: ChangeCode, paths: list[str], values: list[object], updates: dict[str, dict[str, object]]) -> Dial:
    settings = tuple(setting(path, value) for path, value in zip(paths, values, strict=True))
    step = Step(settings, CHANGE_TEXTS[code], lambda i: edited(i, **updates))
    return Dial(code, 1, lambda _: step)


def _priority(instance: Instance) -> Iterator[Dial]:
    own = instance.request.priority
    above = {job.priority + 1 for job in instance.jobs if job.state == "running" and job.priority >= own}
    above |= {held.priority + 1 for held in instance.reservations if binds(instance, held)}
    values = sorted(value for value in above if value <= 10**12)
    weights = instance.policy.weights
    if isinstance(weights, WeightTable):
        named = {job.priority for job in instance.jobs if own <= job.priority}
        values = [] if any(str(priority) not in weights.table for priority in named) else values

    def step(number: int) -> Step:
        value = values[number]
        text = CHANGE_TEXTS[ChangeCode.PRIORITY].format(new=value, old=own)
        return Step((setting("request.priority", value),), text, lambda i: edited(i, request={"priority": value}))

    if values:
        yield Dial(ChangeCode.PRIORITY, len(values), step)


def _budgets(instance: Instance) -> Iterator[Dial]:
    if instance.policy.budgets == "soft":
        return
    for number, budget in enumerate(instance.budgets):
        members = sum(len(job.pods) for job in instance.jobs if job.budget == budget.name and job.state == "running")
        if members > budget.max_evictions:
            yield _budget(number, budget.name, budget.max_evictions, members)


def _budget(number: int, name: str, allowed: int, members: int) -> Dial:
    def step(further: int) -> Step:
        value = allowed + further + 1

        def edit(instance: Instance) -> Instance:
            return edited(
                instance,
                budgets=tuple(
                    b.model_copy(update={"max_evictions": value}) if b.name == name else b for b in instance.budgets
                ),
            )

        text = CHANGE_TEXTS[ChangeCode.BUDGET].format(
            more=counted(further + 1, "eviction"), name=name, new=value, old=allowed
        )
        return Step((setting(f"budgets[{number}].max_evictions", value),), text, edit)

    return Dial(ChangeCode.BUDGET, members - allowed, step)


def _max_victims(instance: Instance) -> Iterator[Dial]:
    most = instance.policy.max_victims
    pods = sum(len(job.pods) for job in instance.jobs if job.state == "running")
    if most is None or most >= pods:
        return

    def step(further: int) -> Step:
        value = most + further + 1
        text = CHANGE_TEXTS[ChangeCode.MAX_VICTIMS].format(new=value, old=most)
        return Step((setting("policy.max_victims", value),), text, lambda i: edited(i, policy={"max_victims": value}))

    yield Dial(ChangeCode.MAX_VICTIMS, pods - most, step)


def _min_running(instance: Instance) -> Iterator[Dial]:
    least = instance.policy.min_running_seconds
    ran = {job.running_seconds or 0.0 for job in instance.jobs if job.state == "running"}
    values = sorted((value for value in ran if micro(value) < micro(least)), reverse=True)

    def step(number: int) -> Step:
        value = values[number]
        text = CHANGE_TEXTS[ChangeCode.MIN_RUNNING].format(new=amount(value), old=amount(least))
        edit: Edit = lambda i: edited(i, policy={"min_running_seconds": value})  # noqa: E731
        return Step((setting("policy.min_running_seconds", value),), text, edit)

    if values:
        yield Dial(ChangeCode.MIN_RUNNING, len(values), step)


_RUNG_CODES: dict[Scope, ChangeCode] = {
    "pod": ChangeCode.POD_RUNG,
    "slice": ChangeCode.SLICE_RUNG,
    "gang": ChangeCode.GANG_RUNG,
}


def _rungs(instance: Instance, scope: Scope) -> Iterator[Choice]:
    asked = getattr(instance.request.affinity, scope)
    if asked is None or (not instance.request.gpus and scope == "pod"):
        return
    ladder = ladder_of(instance, scope)
    loosest = asked.model_copy(update={"island": ladder[-1], "mode": "best-effort", "ladder": None})
    affinity = instance.request.affinity.model_copy(update={scope: loosest})
    broader = ladder_of(edited(instance, request={"affinity": affinity}), scope)[1:]

    def step(items: Sequence[Item]) -> Step:
        rung = broader[max(broader.index(str(item)) for item in items)]
        path = f"request.affinity.{scope}"
        if asked.mode == "guaranteed":
            fields: dict[str, object] = {"island": rung}
            if scope == "slice":
                fields["size"] = asked.size
            settings = (setting(path, fields),)
            changed = type(asked).model_validate(fields)
        else:
            settings = (setting(f"{path}.ladder", [*ladder, rung]),)
            changed = asked.model_copy(update={"ladder": (*ladder, rung)})

        def edit(instance: Instance) -> Instance:
            return edited(instance, request={"affinity": instance.request.affinity.model_copy(update={scope: changed})})

        text = CHANGE_TEXTS[_RUNG_CODES[scope]].format(new=rung, old=ladder[-1])
        return Step(settings, text, edit)

    if broader:
        yield Choice(_RUNG_CODES[scope], broader, step, together=False)


def _resource(decision: Decision, name: str) -> Iterator[Dial]:
    asked = next(each for each in decision.asked if each.name == name)
    whole = micro(decision.request.resources[name])
    factor = whole // asked.amount
    usable = np.flatnonzero(decision.node_usable)
    rooms = np.concatenate([most_by(asked, decision)[usable], asked.free[usable]])
    counts = np.arange(1, min(decision.pods_least, 64) + 1)
    values = {int(value) for value in np.unique(np.maximum(rooms, 0)[:, None] * factor // counts[None, :]).tolist()}
    values = {value for value in values if value < whole} | {0}
    yield _amounts(name, whole, sorted(values, reverse=True))


def _amounts(name: str, whole: int, values: Sequence[int]) -> Dial:
    def step(number: int) -> Step:
        value = values[number] / MICRO

        def edit(instance: Instance) -> Instance:
            return edited(instance, request={"resources": dict(instance.request.resources) | {name: value}})

        text = CHANGE_TEXTS[ChangeCode.RESOURCE].format(new=amount(value), old=amount(whole / MICRO), name=name)
        return Step((setting(f"request.resources{key(name)}", value),), text, edit)

    def between(higher: int, lower: int) -> Dial:
        top = whole if higher < 0 else values[higher]
        return _amounts(name, whole, range(top - 1, values[lower] - 1, -1))

    return Dial(ChangeCode.RESOURCE, len(values), step, None if isinstance(values, range) else between)


def _pods(instance: Instance) -> Iterator[Dial]:
    request = instance.request
    size, least = request.slice_size, request.fewest_pods
    values = range(least - size, 0, -size)
    field = "pods" if request.min_pods is None else "min_pods"

    def step(number: int) -> Step:
        value = values[number]
        text = CHANGE_TEXTS[ChangeCode.PODS].format(new=counted(value, "pod"), old=least)
        update = {"pods": value, "min_pods": None} if field == "pods" else {"min_pods": value}
        return Step((setting(f"request.{field}", value),), text, lambda i: edited(i, request=update))

    if len(values):
        yield Dial(ChangeCode.PODS, len(values), step)


def _gpus(instance: Instance) -> Iterator[Choice]:
    request = instance.request

    def step(items: Sequence[Item]) -> Step:
        value = min(int(str(item)) for item in items)
        text = CHANGE_TEXTS[ChangeCode.GPUS].format(new=counted(value, "GPU"), old=request.gpus)
        return Step((setting("request.gpus", value),), text, lambda i: edited(i, request={"gpus": value}))

    if request.gpus > 1:
        yield Choice(ChangeCode.GPUS, range(request.gpus - 1, 0, -1), step, together=False)


def _models(instance: Instance) -> Iterator[Choice]:
    listed = instance.request.gpu_models
    if not listed or not instance.request.gpus:
        return
    counts: dict[str, int] = {}
    for node in instance.cluster.nodes:
        for model in instance.shape(node.name).models:
            if model is None or model not in listed:
                counts[model or ANY] = counts.get(model or ANY, 0) + 1
    others = sorted(counts, key=lambda model: (-counts[model], model))

    def step(items: Sequence[Item]) -> Step:
        models = () if ANY in items else (*listed, *map(str, items))
        text = CHANGE_TEXTS[ChangeCode.GPU_MODELS].format(new=" or ".join(models) or "any", old=" or ".join(listed))
        return Step(
            (setting("request.gpu_models", list(models)),), text, lambda i: edited(i, request={"gpu_models": models})
        )

    if others:
        yield Choice(ChangeCode.GPU_MODELS, others, step)


def _labels(instance: Instance) -> Iterator[Choice]:
    asked = instance.request.node_labels

    def step(items: Sequence[Item]) -> Step:
        kept = {label: value for label, value in asked.items() if label not in items}
        dropped = ", ".join(f"{label}={asked[str(label)]}" for label in items)
        text = CHANGE_TEXTS[ChangeCode.NODE_LABELS].format(dropped=dropped)
        return Step((setting("request.node_labels", kept),), text, lambda i: edited(i, request={"node_labels": kept}))

    if asked:
        yield Choice(ChangeCode.NODE_LABELS, sorted(asked), step)
