"""What the request may do, changed: its priority, leave to preempt, budgets and the limits of the policy."""

from __future__ import annotations

from collections.abc import Iterator

from ...models.eligibility import binds
from ...models.explanation import ChangeCode
from ...models.instance import Instance
from ...models.policy import WeightTable
from ...models.units import micro
from .dials import Dial, Edit, Step, setting
from .edits import edited
from .texts import CHANGE_TEXTS, amount, counted


def policy_dials(instance: Instance) -> Iterator[Dial]:
    """Yield the changes of what the request may do.

    Parameters
    ----------
    instance : Instance
        As the user gave it.

    Yields
    ------
    Dial
        Those that can permit anything at all.
    """
    yield from _priority(instance)
    if not instance.request.may_preempt:
        yield _leave()
    yield from _budgets(instance)
    yield from _max_victims(instance)
    yield from _min_running(instance)


def _leave() -> Dial:
    code = ChangeCode.MAY_PREEMPT
    path = setting("request.may_preempt", True)
    step = Step((path,), CHANGE_TEXTS[code], lambda i: edited(i, request={"may_preempt": True}))
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
