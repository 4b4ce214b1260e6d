"""The smallest changes after which the request would start, each found by solving it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...models.explanation import Change, ChangeCode
from ...models.instance import Instance
from ...models.topology import ALIGNING_POLICIES
from ..exact.decision import Decision
from ..exact.rungs import rungs_in_order
from .blockers import blocked
from .dials import Choice, Dial, Edit, Step
from .edits import around, edited
from .policy_dials import policy_dials
from .probe import Probe
from .repairs import cluster_dials
from .request_dials import request_dials
from .texts import CHANGE_COST, amount, counted

TRIED_ALONE = 8
"""So many alternatives of one kind are tried one by one."""

SHRUNK = 16
"""Of so many changes made together it is found out which of them are needed."""

NEAR_NODES = 64
"""So many nodes of the nearest places are looked at for changes of the cluster."""

Holds = Callable[[Edit], bool | None]
"""Whether the request starts after an edit; None: not known in time."""


@dataclass(frozen=True)
class Found:
    """A change that helps.

    Attributes
    ----------
    code : ChangeCode
        Its kind.
    step : Step
        What to do.
    smallest : bool
        Whether a smaller one of its kind is proved not to help.
    """

    code: ChangeCode
    step: Step
    smallest: bool


def changes_of(decision: Decision, probe: Probe) -> list[Change]:
    """Return changes after which a request that has no plan would start.

    Parameters
    ----------
    decision : Decision
        A request that has no plan.
    probe : Probe
        What may be spent.

    Returns
    -------
    list of Change
        One of each kind that helps alone. If none does, one set of changes of several kinds, none of which can be
        left out. What they cost is solved last, as far as time is left. Fewer where time runs out.
    """
    whole = _any_plan_will_do(decision.instance)
    near = _near_nodes(decision)
    part = around(whole, near) if len(near) < len(whole.cluster.nodes) else whole
    aligned = any(decision.snapshot.shapes[i].topology_policy in ALIGNING_POLICIES for i in range(len(near)))

    def on(instance: Instance) -> Holds:
        return lambda edit: None if probe.is_over else probe.is_feasible(probe.decision(edit(instance)))

    of_request = [*policy_dials(decision.instance), *request_dials(decision, decision.instance)]
    of_cluster = list(cluster_dials(decision.instance, near))
    found = [_smallest(dial, on(whole), not aligned) for dial in of_request]
    found += [_smallest(dial, on(part), True) for dial in of_cluster]
    helpful = [each for each in found if each is not None]
    if not helpful and not probe.is_over:
        both = _together([*reversed(of_cluster), *reversed(of_request)], on(part), not aligned)
        helpful = [both] if both is not None else []
    return [_told(each, decision, probe) for each in helpful]


def _any_plan_will_do(instance: Instance) -> Instance:
    """Leave out what only decides between plans, so that every edit of the request stays valid."""
    request, policy = instance.request, instance.policy
    soft = policy.budgets == "soft"
    return edited(
        instance,
        request={"pods": request.fewest_pods, "min_pods": None},
        policy={"weights": "uniform", "extra_pods": "free-only", "budgets": "hard"},
        budgets=() if soft else instance.budgets,
        jobs=tuple(job.model_copy(update={"budget": None}) for job in instance.jobs)
        if soft and instance.budgets
        else instance.jobs,
    )


def _near_nodes(decision: Decision) -> list[str]:
    rungs = list(rungs_in_order(decision))[-1]
    found = blocked(decision, rungs)
    numbers: dict[int, None] = {}
    for group in found.groups:
        for place in group.members:
            numbers |= dict.fromkeys(found.places.nodes(place).tolist())
            if len(numbers) >= NEAR_NODES:
                break
    return [decision.snapshot.nodes[number].name for number in numbers]


def _smallest(dial: Dial | Choice, holds: Holds, monotone: bool) -> Found | None:
    return _of_dial(dial, holds, monotone) if isinstance(dial, Dial) else _of_choice(dial, holds)


def _of_dial(dial: Dial, holds: Holds, monotone: bool) -> Found | None:
    if holds(dial.step(dial.size - 1).edit) is not True:
        return None
    number, sure = _bisected(dial, holds)
    if dial.between is not None and sure:
        finer = dial.between(number - 1, number)
        number, sure = _bisected(finer, holds)
        dial = finer
    proved = sure and (monotone or dial.code not in (ChangeCode.RESOURCE,))
    return Found(dial.code, dial.step(number), proved)


def _bisected(dial: Dial, holds: Holds) -> tuple[int, bool]:
    """Return the first step that helps, given that the last one does, and whether the one before is refuted."""
    refuted, helps = -1, dial.size - 1
    while helps - refuted > 1:
        middle = (refuted + helps) // 2
        answer = holds(dial.step(middle).edit)
        if answer is None:
            return helps, False
        if answer:
            helps = middle
        else:
            refuted = middle
    return helps, True


def _of_choice(choice: Choice, holds: Holds) -> Found | None:
    sure = True
    most = len(choice.items) if not choice.together else TRIED_ALONE
    for item in choice.items[:most]:
        answer = holds(choice.step([item]).edit)
        if answer:
            return Found(choice.code, choice.step([item]), sure)
        sure &= answer is not None
    if not choice.together or len(choice.items) < 2 or holds(choice.step(choice.items).edit) is not True:
        return None
    needed = list(choice.items)
    if len(needed) > SHRUNK:
        return Found(choice.code, choice.step(needed), False)
    for item in choice.items:
        rest = [other for other in needed if other is not item]
        answer = holds(choice.step(rest).edit) if rest else False
        sure &= answer is not None
        needed = rest if answer else needed
    return Found(choice.code, choice.step(needed), sure)


def _together(dials: list[Dial | Choice], holds: Holds, monotone: bool) -> Found | None:
    """Return changes of several kinds that help together: without any one of these kinds they do not."""
    kept = [(dial, _last(dial)) for dial in dials]
    if holds(_joined([step for _, step in kept]).edit) is not True:
        return None
    sure = True
    for entry in list(kept):
        rest = [other for other in kept if other is not entry]
        answer = holds(_joined([step for _, step in rest]).edit) if rest else False
        sure &= answer is not None
        kept = rest if answer else kept
    for index, (dial, _) in enumerate(kept):
        others = [step for number, (_, step) in enumerate(kept) if number != index]
        found = _smallest(dial, _with_others(holds, others), monotone)
        if found is not None:
            kept[index] = (dial, found.step)
            sure &= found.smallest
    return Found(ChangeCode.TOGETHER, _joined([step for _, step in kept]), sure)


def _with_others(holds: Holds, others: list[Step]) -> Holds:
    return lambda edit: holds(lambda instance: edit(_joined(others).edit(instance)))


def _last(dial: Dial | Choice) -> Step:
    return dial.step(dial.size - 1) if isinstance(dial, Dial) else dial.step(dial.items)


def _joined(steps: list[Step]) -> Step:
    def edit(instance: Instance) -> Instance:
        for step in steps:
            instance = step.edit(instance)
        return instance

    settings = tuple(setting for step in steps for setting in step.settings)
    return Step(settings, " and ".join(step.text for step in steps), edit)


def _told(found: Found, decision: Decision, probe: Probe) -> Change:
    change = Change(code=found.code, settings=found.step.settings, text=found.step.text, smallest=found.smallest)
    if probe.is_over:
        return change
    plan = probe.plan(probe.decision(found.step.edit(decision.instance)))
    if plan.status != "optimal":
        return change
    cost = plan.cost.weighted_work + plan.cost.price
    text = CHANGE_COST.format(change=change.text, cost=amount(cost), pods=counted(plan.cost.evicted_pods, "pod"))
    update = {"text": text, "weighted_work": plan.cost.weighted_work, "evicted_pods": plan.cost.evicted_pods}
    return change.model_copy(update=update)
