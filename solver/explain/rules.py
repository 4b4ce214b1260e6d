"""The rules that can keep a request out, each with the edit that drops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...models.eligibility import binds
from ...models.instance import Instance
from ...models.reasons import ReasonCode
from ...models.topology import ALIGNING_POLICIES, CLUSTER, NODE
from .edits import edited, is_elsewhere, with_jobs, with_machines, with_nodes
from .texts import NODE_PODS_TEXT, RULE_TEXTS, amount, counted

Drop = Callable[[Instance], Instance]


@dataclass(frozen=True)
class Rule:
    """A rule in force on an instance.

    Attributes
    ----------
    code : ReasonCode
        Which.
    name : str
        The resource or budget that it is about; else empty.
    text : str
        The rule in words.
    drop : callable
        Gives the instance without it; whatever was permitted stays permitted.
    """

    code: ReasonCode
    name: str
    text: str
    drop: Drop


def rules_in_force(instance: Instance) -> list[Rule]:
    """Return the rules whose loss would change an instance at all.

    Parameters
    ----------
    instance : Instance
        Its request asks for one rung a scope, or is priced (see `on_rungs`).

    Returns
    -------
    list of Rule
        Those that a person would rather not hear of first: they are the first that a core tries to do without.
    """
    return [Rule(code, name, _text(instance, code, name), drop) for code, name, drop in _candidates(instance)]


def _text(instance: Instance, code: ReasonCode, name: str) -> str:
    is_pods = code == ReasonCode.RESOURCE and name == "pods"
    return NODE_PODS_TEXT if is_pods else RULE_TEXTS[code].format(**_fields(instance, name))


def _fields(instance: Instance, name: str) -> dict[str, object]:
    request, policy = instance.request, instance.policy
    affinity = request.affinity
    return {
        "name": name,
        "request": request.name,
        "priority": request.priority,
        "amount": amount(request.resources.get(name, 1.0)),
        "labels": ", ".join(f"{key}={value}" for key, value in sorted(request.node_labels.items())),
        "models": " or ".join(sorted(request.gpu_models)),
        "min_running": amount(policy.min_running_seconds),
        "protected": ", ".join(f"{key}={value}" for key, value in sorted(policy.protected_labels.items())),
        "most_victims": counted(policy.max_victims or 0, "pod"),
        "allowed": counted(next((b.max_evictions for b in instance.budgets if b.name == name), 0), "eviction"),
        "pod": affinity.pod.island,
        "slice": affinity.slice.island if affinity.slice else CLUSTER,
        "size": request.slice_size,
        "gang": affinity.gang.island if affinity.gang else CLUSTER,
    }


def _candidates(instance: Instance) -> Iterator[tuple[ReasonCode, str, Drop]]:
    request, policy = instance.request, instance.policy
    running = [job for job in instance.jobs if job.state == "running"]
    nodes = [node for node in instance.cluster.nodes if not is_elsewhere(node)]
    shapes = [instance.shape(node.name) for node in nodes]
    if any(pod.gpus for job in running for pod in job.pods):
        yield ReasonCode.UNKNOWN_PLACEMENT, "", _seen
    if any(shape.topology_policy in ALIGNING_POLICIES for shape in shapes):
        yield ReasonCode.ALIGNMENT, "", lambda i: with_machines(i, topology_policy="none")
    if any(len(job.pods) > 1 for job in running):
        yield ReasonCode.WHOLE_JOBS, "", lambda i: with_jobs(i, min_available=0)
    if request.affinity.slice is not None:
        yield ReasonCode.SLICE_ISLAND, "", lambda i: _without_scope(i, "slice")
    if request.affinity.gang is not None and request.affinity.gang.island != CLUSTER:
        yield ReasonCode.GANG_ISLAND, "", lambda i: _without_scope(i, "gang")
    if request.affinity.pod.island != NODE and request.gpus:
        yield ReasonCode.POD_ISLAND, "", _any_node
    if policy.max_victims is not None:
        yield ReasonCode.MAX_VICTIMS, "", lambda i: edited(i, policy={"max_victims": None})
    members = {job.budget for job in running if job.budget is not None}
    for budget in sorted(instance.budgets, key=lambda budget: budget.name):
        if budget.name in members:
            yield ReasonCode.BUDGET, budget.name, _without_budget(budget.name)
    if policy.min_running_seconds:
        yield ReasonCode.TOO_YOUNG, "", lambda i: edited(i, policy={"min_running_seconds": 0.0})
    if policy.protected_labels:
        yield ReasonCode.PROTECTED_LABEL, "", lambda i: edited(i, policy={"protected_labels": {}})
    if any(not job.preemptible for job in running):
        yield ReasonCode.NOT_PREEMPTIBLE, "", lambda i: with_jobs(i, preemptible=True)
    if any(binds(instance, held) for held in instance.reservations):
        yield ReasonCode.RESERVED, "", lambda i: edited(i, reservations=())
    for name in sorted(name for name, asked in request.resources.items() if asked and name != "pods"):
        yield ReasonCode.RESOURCE, name, _without_resource(name)
    if any("pods" in shape.resources for shape in shapes):
        yield ReasonCode.RESOURCE, "pods", lambda i: with_machines(i, without_resource="pods")
    if request.gpu_models and request.gpus:
        yield ReasonCode.MODEL, "", lambda i: edited(i, request={"gpu_models": ()})
    if any(node.offline_slots for node in nodes):
        yield ReasonCode.OFFLINE, "", lambda i: with_nodes(i, offline_slots=())
    if request.node_labels:
        yield ReasonCode.LABELS, "", lambda i: edited(i, request={"node_labels": {}})
    if any(node.cordoned for node in nodes):
        yield ReasonCode.CORDONED, "", lambda i: with_nodes(i, cordoned=False)
    if not request.may_preempt:
        yield ReasonCode.NO_PREEMPTION, "", lambda i: edited(i, request={"may_preempt": True})
    if any(job.priority >= request.priority for job in running):
        yield ReasonCode.PRIORITY, "", _outranked


def _seen(instance: Instance) -> Instance:
    """Drop the GPUs of pods of unknown placement: they hold none any more."""
    jobs = tuple(
        job.model_copy(
            update={
                "pods": tuple(
                    pod.model_copy(update={"gpus": None, "within": {}}) if pod.gpus else pod for pod in job.pods
                )
            }
        )
        for job in instance.jobs
    )
    return edited(instance, jobs=jobs)


def _outranked(instance: Instance) -> Instance:
    """Give every job a priority below the request's."""
    below = instance.request.priority - 1
    jobs = tuple(job.model_copy(update={"priority": below}) if job.priority > below else job for job in instance.jobs)
    return edited(instance, jobs=jobs)


def _without_scope(instance: Instance, scope: str) -> Instance:
    affinity = instance.request.affinity.model_copy(update={scope: None})
    return edited(instance, request={"affinity": affinity})


def _any_node(instance: Instance) -> Instance:
    affinity = instance.request.affinity
    pod = affinity.pod.model_copy(
        update={"island": NODE, "mode": "guaranteed", "ladder": None, "link_kind": None, "min_links": 1}
    )
    return edited(instance, request={"affinity": affinity.model_copy(update={"pod": pod})})


def _without_budget(name: str) -> Drop:
    def drop(instance: Instance) -> Instance:
        kept = tuple(budget for budget in instance.budgets if budget.name != name)
        jobs = tuple(job.model_copy(update={"budget": None}) if job.budget == name else job for job in instance.jobs)
        return edited(instance, budgets=kept, jobs=jobs)

    return drop


def _without_resource(name: str) -> Drop:
    def drop(instance: Instance) -> Instance:
        kept = {other: asked for other, asked in instance.request.resources.items() if other != name}
        return edited(instance, request={"resources": kept})

    return drop
