"""What the request asks for, changed: its rungs, resources, pods, GPUs, models and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...models.explanation import ChangeCode
from ...models.instance import Instance
from ...models.ladder import ladder_of
from ...models.request import SCOPES, Scope
from ...models.units import MICRO, micro
from ..exact.decision import Decision
from .dials import Choice, Dial, Item, Step, key, setting
from .edits import edited
from .nodes import most_by
from .texts import CHANGE_TEXTS, amount, counted

ANY = ""
"""Stands for slots that name no model: only a request for any model can use them."""

AMOUNTS = 512
"""So many amounts of a resource that some node has are steps; what lies between two steps is searched too."""


def request_dials(decision: Decision, instance: Instance) -> Iterator[Dial | Choice]:
    """Yield the changes of what the request asks for.

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
    for scope in SCOPES:
        yield from _rungs(instance, scope)
    for asked in decision.asked:
        if asked.name != "pods":
            yield from _resource(decision, asked.name)
    yield from _pods(instance)
    yield from _gpus(instance)
    yield from _models(instance)
    yield from _labels(instance)


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
    values = np.unique(np.maximum(rooms, 0)[:, None] * factor // counts[None, :])
    below = values[values < whole][::-1][:AMOUNTS]
    yield _amounts(name, whole, [*(int(value) for value in below if value), 0])


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
