"""Changes of the cluster and its jobs that would help: nodes uncordoned, slots repaired, jobs and room given up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...models.eligibility import binds
from ...models.explanation import ChangeCode
from ...models.instance import Instance
from .dials import Choice, Item, Step, setting
from .edits import edited
from .texts import CHANGE_TEXTS, listed


def cluster_dials(instance: Instance, nodes: Sequence[str]) -> Iterator[Choice]:
    """Yield the changes of some nodes, of the jobs that run there, and of reservations there.

    Parameters
    ----------
    instance : Instance
        The whole, as the user gave it.
    nodes : sequence of str
        The nodes to look at, the nearest first.

    Yields
    ------
    Choice
        Those that can permit anything at all.
    """
    rank = {name: number for number, name in enumerate(nodes)}
    yield from _labels(instance)
    yield from _jobs(instance, rank)
    yield from _reservations(instance, rank)
    yield from _cordons(instance, rank)
    yield from _offline(instance, rank)


def _labels(instance: Instance) -> Iterator[Choice]:
    protected = instance.policy.protected_labels

    def step(items: Sequence[Item]) -> Step:
        kept = {label: value for label, value in protected.items() if label not in items}
        dropped = ", ".join(f"{label}={protected[str(label)]}" for label in items)
        text = CHANGE_TEXTS[ChangeCode.PROTECTED_LABELS].format(dropped=dropped)
        return Step(
            (setting("policy.protected_labels", kept),), text, lambda i: edited(i, policy={"protected_labels": kept})
        )

    if protected:
        yield Choice(ChangeCode.PROTECTED_LABELS, sorted(protected), step)


def _jobs(instance: Instance, rank: dict[str, int]) -> Iterator[Choice]:
    place = {job.name: number for number, job in enumerate(instance.jobs)}
    near = {
        job.name: (min(rank[pod.node] for pod in job.pods if pod.node in rank), job.name)
        for job in instance.jobs
        if job.state == "running" and not job.preemptible and any(pod.node in rank for pod in job.pods)
    }

    def step(items: Sequence[Item]) -> Step:
        names = [str(item) for item in items]
        chosen = set(names)
        text = CHANGE_TEXTS[ChangeCode.PREEMPTIBLE].format(names=listed(sorted(names)))

        def edit(instance: Instance) -> Instance:
            return edited(
                instance,
                jobs=tuple(
                    job.model_copy(update={"preemptible": True}) if job.name in chosen else job for job in instance.jobs
                ),
            )

        return Step(tuple(setting(f"jobs[{place[name]}].preemptible", True) for name in names), text, edit)

    if near:
        yield Choice(ChangeCode.PREEMPTIBLE, [name for _, name in sorted(near.values())], step)


def _reservations(instance: Instance, rank: dict[str, int]) -> Iterator[Choice]:
    numbers = [n for n, held in enumerate(instance.reservations) if binds(instance, held) and held.node in rank]
    below = instance.request.priority - 1

    def step(items: Sequence[Item]) -> Step:
        chosen = [int(str(item)) for item in items]
        held = [instance.reservations[number] for number in chosen]
        names = listed(sorted({f"{each.owner} on {each.node}" for each in held}))
        text = CHANGE_TEXTS[ChangeCode.RESERVATION].format(names=names, priority=instance.request.priority)

        def edit(instance: Instance) -> Instance:
            return edited(
                instance,
                reservations=tuple(
                    each.model_copy(update={"priority": below}) if any(each is other for other in held) else each
                    for each in instance.reservations
                ),
            )

        return Step(tuple(setting(f"reservations[{number}].priority", below) for number in chosen), text, edit)

    if numbers:
        numbers.sort(key=lambda number: (rank[instance.reservations[number].node], number))
        yield Choice(ChangeCode.RESERVATION, numbers, step)


def _cordons(instance: Instance, rank: dict[str, int]) -> Iterator[Choice]:
    place = {node.name: number for number, node in enumerate(instance.cluster.nodes)}
    cordoned = [name for name in sorted(rank, key=rank.__getitem__) if instance.nodes_by_name[name].cordoned]

    def step(items: Sequence[Item]) -> Step:
        names = [str(item) for item in items]
        text = CHANGE_TEXTS[ChangeCode.CORDON].format(names=listed(sorted(names)))
        settings = tuple(setting(f"cluster.nodes[{place[name]}].cordoned", False) for name in names)
        return Step(settings, text, lambda i: _with_nodes(i, {name: {"cordoned": False} for name in names}))

    if cordoned:
        yield Choice(ChangeCode.CORDON, cordoned, step)


def _offline(instance: Instance, rank: dict[str, int]) -> Iterator[Choice]:
    place = {node.name: number for number, node in enumerate(instance.cluster.nodes)}
    near = sorted((node for node in instance.cluster.nodes if node.name in rank), key=lambda node: rank[node.name])
    slots = [(node, slot) for node in near for slot in sorted(node.offline_slots)]

    def step(items: Sequence[Item]) -> Step:
        chosen = [slots[int(item)] for item in items]
        names = listed([f"{node.name}:{slot}" for node, slot in chosen], 8)
        left = {
            node.name: tuple(slot for slot in node.offline_slots if (node, slot) not in chosen) for node, _ in chosen
        }
        paths = {name: f"cluster.nodes[{place[name]}].offline_slots" for name in left}
        settings = tuple(setting(paths[name], list(rest)) for name, rest in left.items())
        text = CHANGE_TEXTS[ChangeCode.OFFLINE].format(names=names)
        return Step(settings, text, lambda i: _with_nodes(i, {n: {"offline_slots": r} for n, r in left.items()}))

    if slots:
        yield Choice(ChangeCode.OFFLINE, range(len(slots)), step)


def _with_nodes(instance: Instance, updates: dict[str, dict[str, object]]) -> Instance:
    nodes = tuple(
        node.model_copy(update=updates[node.name]) if node.name in updates else node for node in instance.cluster.nodes
    )
    return edited(instance, cluster=instance.cluster.model_copy(update={"nodes": nodes}))
