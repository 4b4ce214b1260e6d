"""Cross-checks of an instance: what no single field can show, one small validator a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import catalogue
from .base import path_of, shown
from .errors import Problem
from .jobs import Job, Pod
from .ladder import ladder_of
from .request import SCOPES, ScopeAffinity
from .topology import BLOCK, CLUSTER, GPU, LINK_ISLANDS, NODE, RESERVED_LEVELS, ShapeFields
from .units import MICRO, micro

if TYPE_CHECKING:
    from .instance import Instance

Validator = Callable[["Instance"], Iterator[Problem]]


def inconsistencies(instance: Instance) -> list[Problem]:
    """Return all that contradicts itself in an instance.

    Parameters
    ----------
    instance : Instance
        Each field of it is valid for itself.

    Returns
    -------
    list of Problem
        Empty if the instance is consistent. Later validators rely on earlier ones, so the list ends with the
        first group that found something.
    """
    for group in _GROUPS:
        problems = [problem for validator in group for problem in validator(instance)]
        if problems:
            return problems
    return []


def request_problems(instance: Instance) -> list[Problem]:
    """Return all that contradicts itself in the request and the policy of an instance that was valid before.

    Parameters
    ----------
    instance : Instance
        Its cluster, jobs, budgets and reservations are consistent.

    Returns
    -------
    list of Problem
        Empty if request and policy fit them.
    """
    validators = (request_counts_agree, islands_exist, weights_can_be_priced)
    problems = [problem for validator in validators for problem in validator(instance)]
    return problems or list(prices_name_rungs(instance))


def arrival_problems(instance: Instance, entered: Sequence[Job]) -> list[Problem]:
    """Return what contradicts itself where some jobs have just come.

    Parameters
    ----------
    instance : Instance
        It was consistent before they came.
    entered : sequence of Job
        Jobs of it.

    Returns
    -------
    list of Problem
        Paths begin at the list of the jobs that came. Only nodes that they touch are looked at; whether a job's name
        is free is the caller's to know.
    """
    problems: list[Problem] = []
    nodes = {pod.node for job in entered for pod in job.pods}
    for index, job in enumerate(entered):
        for place, pod in enumerate(job.pods):
            problems += _pod_sits(instance, ("jobs", index, "pods", place), pod)
    if problems:
        return problems
    for node in sorted(nodes):
        here = [pod for _, pod in instance.pods_on[node]]
        names = [pod.name for pod in here]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            problems.append(_problem(("jobs",), twice, "a pod name that no other has"))
        held: Counter[int] = Counter()
        for pod in here:
            held.update({slot: micro(pod.share) for slot in pod.slots or ()})
        full = next((slot for slot in sorted(held) if held[slot] > MICRO), None)
        if full is not None:
            problems.append(_problem(("jobs",), full, f"a slot of node {node} that is not held beyond its capacity"))
    return problems


def _problem(path: Iterable[int | str], value: Any, expected: str) -> Problem:
    return Problem(path_of(path), "" if value is None or value == "" else shown(value), expected)


def _duplicates(names: Iterable[tuple[tuple[int | str, ...], str]], what: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for path, name in names:
        if name in seen:
            yield _problem(path, name, f"a {what} that no other has")
        seen.add(name)


def levels_are_named_once(instance: Instance) -> Iterator[Problem]:
    """Levels are distinct, contain ``node`` and use no reserved name."""
    levels = instance.cluster.levels
    yield from _duplicates(((("cluster", "levels", i), level) for i, level in enumerate(levels)), "level name")
    if NODE not in levels:
        yield _problem(("cluster", "levels"), list(levels), "a list that contains node")
    for index, level in enumerate(levels):
        if level in RESERVED_LEVELS:
            yield _problem(("cluster", "levels", index), level, "a name that is no island kind of its own")


def names_are_unique(instance: Instance) -> Iterator[Problem]:
    """Nodes, jobs, pods (over all jobs) and budgets have names of their own."""
    nodes, jobs, budgets = instance.cluster.nodes, instance.jobs, instance.budgets
    yield from _duplicates(((("cluster", "nodes", i, "name"), n.name) for i, n in enumerate(nodes)), "node name")
    yield from _duplicates(((("jobs", i, "name"), j.name) for i, j in enumerate(jobs)), "job name")
    pods = ((("jobs", i, "pods", k, "name"), p.name) for i, j in enumerate(jobs) for k, p in enumerate(j.pods))
    yield from _duplicates(pods, "pod name")
    yield from _duplicates(((("budgets", i, "name"), b.name) for i, b in enumerate(budgets)), "budget name")


def shapes_are_named_or_inline(instance: Instance) -> Iterator[Problem]:
    """A node names a known machine or describes its own shape, never both; a machine says its number of GPUs."""
    for name, machine in instance.cluster.machines.items():
        if machine.gpus is None:
            yield _problem(("cluster", "machines", name, "gpus"), None, "the number of GPUs of the machine")
    for index, node in enumerate(instance.cluster.nodes):
        path = ("cluster", "nodes", index)
        inline = [field for field in ShapeFields.model_fields if field in node.model_fields_set]
        if node.machine is None:
            if node.gpus is None:
                yield _problem((*path, "gpus"), None, "a machine, or the number of GPUs of an inline shape")
        elif inline:
            yield _problem((*path, inline[0]), "", "a machine or an inline shape, not both")
        elif node.machine not in instance.cluster.machines and catalogue.preset(node.machine) is None:
            yield _problem((*path, "machine"), node.machine, "a machine of cluster.machines or of the catalogue")


def _shapes(instance: Instance) -> Iterator[tuple[tuple[int | str, ...], ShapeFields]]:
    for name, machine in instance.cluster.machines.items():
        yield ("cluster", "machines", name), machine
    for index, node in enumerate(instance.cluster.nodes):
        if node.machine is None:
            yield ("cluster", "nodes", index), node


def models_match_slots(instance: Instance) -> Iterator[Problem]:
    """A list of GPU models has one entry a slot."""
    for path, shape in _shapes(instance):
        if isinstance(shape.gpu_model, tuple) and len(shape.gpu_model) != shape.gpus:
            yield _problem((*path, "gpu_model"), list(shape.gpu_model), f"one model for each of {shape.gpus} slots")


def domains_are_partitions(instance: Instance) -> Iterator[Problem]:
    """The domains of a level below node hold every slot exactly once."""
    below = instance.cluster.levels_below
    for path, shape in _shapes(instance):
        for level, domains in shape.domains.items():
            where = (*path, "domains", level)
            if level not in below:
                yield _problem(where, level, f"a level below node: one of {list(below)}")
                continue
            times = Counter(slot for slots in domains.values() for slot in slots)
            wrong = [slot for slot in sorted(times) if slot >= (shape.gpus or 0) or times[slot] > 1]
            missing = [slot for slot in range(shape.gpus or 0) if slot not in times]
            if wrong:
                yield _problem(where, wrong[0], f"a partition: every slot of 0..{(shape.gpus or 0) - 1} exactly once")
            elif missing:
                yield _problem(where, "", f"a partition of the slots; slot {missing[0]} is in no domain")


def links_join_two_slots(instance: Instance) -> Iterator[Problem]:
    """A link joins two different slots of the machine."""
    for path, shape in _shapes(instance):
        for index, link in enumerate(shape.links):
            where = (*path, "links", index, "gpus")
            if link.gpus[0] == link.gpus[1]:
                yield _problem(where, list(link.gpus), "two different slots")
            elif max(link.gpus) >= (shape.gpus or 0):
                yield _problem(where, list(link.gpus), f"slots below {shape.gpus}")


def blocks_hold_slots(instance: Instance) -> Iterator[Problem]:
    """A block lists different slots of the machine."""
    for path, shape in _shapes(instance):
        for index, block in enumerate(shape.blocks):
            if len(set(block)) < len(block) or max(block) >= (shape.gpus or 0):
                yield _problem((*path, "blocks", index), list(block), f"different slots below {shape.gpus}")


def domain_resources_name_domains(instance: Instance) -> Iterator[Problem]:
    """Finer resources stand at domains that the shape has."""
    for path, shape in _shapes(instance):
        for level, domains in shape.domain_resources.items():
            for domain in domains:
                if domain not in shape.domains.get(level, {}):
                    yield _problem((*path, "domain_resources", level, domain), domain, "a domain of this level")


def nodes_stand_in_levels(instance: Instance) -> Iterator[Problem]:
    """A node's ``within`` names levels above node; its offline slots are its own."""
    above = instance.cluster.levels_above
    for index, node in enumerate(instance.cluster.nodes):
        for level in node.within:
            if level not in above:
                yield _problem(
                    ("cluster", "nodes", index, "within", level), level, f"a level above node: one of {list(above)}"
                )
        gpus = instance.shape(node.name).gpus
        for place, slot in enumerate(node.offline_slots):
            if slot >= gpus:
                yield _problem(("cluster", "nodes", index, "offline_slots", place), slot, f"a slot below {gpus}")


def jobs_are_whole(instance: Instance) -> Iterator[Problem]:
    """A job needs no more pods than it has, and its budget exists."""
    budgets = {budget.name for budget in instance.budgets}
    for index, job in enumerate(instance.jobs):
        if job.min_available is not None and job.min_available > len(job.pods):
            yield _problem(("jobs", index, "min_available"), job.min_available, f"at most {len(job.pods)} pods")
        if job.budget is not None and job.budget not in budgets:
            yield _problem(("jobs", index, "budget"), job.budget, "the name of a budget")


def pods_sit_on_nodes(instance: Instance) -> Iterator[Problem]:
    """A pod runs on a known node and holds different slots of it, by name or by number."""
    for index, job in enumerate(instance.jobs):
        for place, pod in enumerate(job.pods):
            yield from _pod_sits(instance, ("jobs", index, "pods", place), pod)


def _pod_sits(instance: Instance, path: tuple[int | str, ...], pod: Pod) -> Iterator[Problem]:
    if pod.node not in instance.nodes_by_name:
        yield _problem((*path, "node"), pod.node, "the name of a node")
        return
    shape = instance.shape(pod.node)
    yield from _slots_fit(path, pod.slots, pod.gpus, shape.gpus)
    if pod.slots is None and pod.gpus is None and pod.share != 1.0:
        yield _problem((*path, "share"), pod.share, "slots or gpus that it is a share of")
    if pod.within and pod.gpus is None:
        yield _problem((*path, "within"), "", "gpus: the domain matters only where slots are unknown")
    for level, domain in pod.within.items():
        slots = shape.domains.get(level, {}).get(domain) if level != NODE else None
        if slots is None:
            yield _problem((*path, "within", level), domain, f"a domain of this level on node {pod.node}")
        elif pod.gpus is not None and pod.gpus > len(slots):
            yield _problem((*path, "gpus"), pod.gpus, f"at most the {len(slots)} slots of {domain}")
    for level, domains in pod.domain_resources.items():
        for domain in domains:
            if level == NODE or domain not in shape.domains.get(level, {}):
                where = (*path, "domain_resources", level, domain)
                yield _problem(where, domain, f"a domain of this level on node {pod.node}")


def reservations_sit_on_nodes(instance: Instance) -> Iterator[Problem]:
    """A reservation names slots of a known node or their number."""
    for index, held in enumerate(instance.reservations):
        path = ("reservations", index)
        if held.node not in instance.nodes_by_name:
            yield _problem((*path, "node"), held.node, "the name of a node")
            continue
        yield from _slots_fit(path, held.slots, held.gpus, instance.shape(held.node).gpus)
        if held.slots is None and held.gpus is None:
            yield _problem(path, "", "slots or gpus")


def _slots_fit(
    path: tuple[int | str, ...], slots: tuple[int, ...] | None, gpus: int | None, most: int
) -> Iterator[Problem]:
    if slots is not None and gpus is not None:
        yield _problem((*path, "gpus"), gpus, "slots or gpus, not both")
    if gpus is not None and gpus > most:
        yield _problem((*path, "gpus"), gpus, f"at most the {most} slots of the node")
    seen: set[int] = set()
    for place, slot in enumerate(slots or ()):
        if slot >= most:
            yield _problem((*path, "slots", place), slot, f"a slot below {most}")
        elif slot in seen:
            yield _problem((*path, "slots", place), slot, "each slot once")
        seen.add(slot)


def slots_hold_at_most_themselves(instance: Instance) -> Iterator[Problem]:
    """The pods on a slot hold at most one whole slot, the pods on a node at most its slots."""
    held: dict[tuple[str, int], int] = {}
    total: Counter[str] = Counter()
    for index, job in enumerate(instance.jobs):
        for place, pod in enumerate(job.pods):
            share = micro(pod.share)
            total[pod.node] += share * (len(pod.slots or ()) + (pod.gpus or 0))
            for number, slot in enumerate(pod.slots or ()):
                amount = held.get((pod.node, slot), 0) + share
                held[pod.node, slot] = amount
                if amount > MICRO:
                    at = ("jobs", index, "pods", place, "slots", number)
                    yield _problem(at, slot, f"a slot of node {pod.node} that is not held beyond its capacity")
            most = instance.shape(pod.node).gpus * MICRO
            if pod.gpus is not None and total[pod.node] > most:
                path = ("jobs", index, "pods", place, "gpus")
                yield _problem(path, pod.gpus, f"no more GPUs than node {pod.node} has left")


def request_counts_agree(instance: Instance) -> Iterator[Problem]:
    """The minimum is at most the number of pods, and both are whole slices."""
    request = instance.request
    if request.fewest_pods > request.pods:
        yield _problem(("request", "min_pods"), request.min_pods, f"at most pods: {request.pods}")
    for name, number in (("pods", request.pods), ("min_pods", request.fewest_pods)):
        if number % request.slice_size:
            yield _problem(("request", name), number, f"a multiple of the slice size {request.slice_size}")


def islands_exist(instance: Instance) -> Iterator[Problem]:
    """Every rung of every ladder is an island kind that this scope can ask for."""
    levels = instance.cluster.levels
    at_or_below = levels[levels.index(NODE) :]
    kinds = {
        "pod": (*at_or_below, GPU, *LINK_ISLANDS, BLOCK),
        "slice": (*levels, CLUSTER),
        "gang": (*levels, CLUSTER),
    }
    for scope in SCOPES:
        affinity: ScopeAffinity | None = getattr(instance.request.affinity, scope)
        if affinity is None:
            continue
        path: tuple[int | str, ...] = ("request", "affinity", scope)
        names: list[tuple[tuple[int | str, ...], str]] = [((*path, "island"), affinity.island)]
        names += [((*path, "ladder", i), rung) for i, rung in enumerate(affinity.ladder or ())]
        for where, name in names:
            if name not in kinds[scope]:
                yield _problem(where, name, f"an island of this scope: one of {list(kinds[scope])}")
        yield from _ladder_is_sound(path, affinity)


def _ladder_is_sound(path: tuple[int | str, ...], affinity: ScopeAffinity) -> Iterator[Problem]:
    ladder = affinity.ladder
    if ladder is not None:
        if ladder[0] != affinity.island:
            yield _problem((*path, "ladder", 0), ladder[0], f"a ladder that begins with {affinity.island}")
        if len(set(ladder)) < len(ladder):
            yield _problem((*path, "ladder"), list(ladder), "each island once")
        if affinity.mode == "guaranteed" and len(ladder) > 1:
            yield _problem((*path, "ladder"), list(ladder), "mode best-effort for a ladder of several rungs")


def prices_name_rungs(instance: Instance) -> Iterator[Problem]:
    """A price stands at a rung of its own ladder."""
    for scope in SCOPES:
        affinity = getattr(instance.request.affinity, scope)
        if affinity is None:
            continue
        rungs = ladder_of(instance, scope)
        for name in affinity.prices:
            if name not in rungs:
                path = ("request", "affinity", scope, "prices", name)
                yield _problem(path, name, f"a rung of the ladder: one of {list(rungs)}")


def weights_can_be_priced(instance: Instance) -> Iterator[Problem]:
    """Prices need one unit of cost, which tiers do not have."""
    if instance.policy.relaxation == "priced" and instance.policy.weights == "tiered":
        yield _problem(("policy", "weights"), "tiered", "weights with one unit of cost where relaxation is priced")


_GROUPS: tuple[tuple[Validator, ...], ...] = (
    (levels_are_named_once, names_are_unique, shapes_are_named_or_inline),
    (
        models_match_slots,
        domains_are_partitions,
        links_join_two_slots,
        blocks_hold_slots,
        domain_resources_name_domains,
        jobs_are_whole,
        request_counts_agree,
        islands_exist,
        weights_can_be_priced,
    ),
    (nodes_stand_in_levels, pods_sit_on_nodes, reservations_sit_on_nodes, prices_name_rungs),
    (slots_hold_at_most_themselves,),
)
