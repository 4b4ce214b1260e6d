"""From an instance and a plan to the picture: every pod, reservation and request pod put where it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ...models.cluster import Node
from ...models.domains import domain_of_node, label_of
from ...models.eligibility import binds, node_refusal, slot_refusals
from ...models.errors import ConfigError
from ...models.instance import Instance
from ...models.jobs import Job, Pod, Reservation
from ...models.ladder import ladder_of
from ...models.loss import lost_work
from ...models.plan import Placement, Plan
from ...models.shape import Shape
from ...models.topology import BLOCK, LINK_ISLANDS, NODE
from ...models.units import from_micro
from .groups import grouped
from .model import TONES, Arrival, Card, Fate, Hold, Island, Occupant, Picture, Promise, Slot, Wire
from .wish import wish_of

T = TypeVar("T")


def level_shown(instance: Instance, asked: str | None) -> str:
    """Return the level whose domains are drawn as boxes.

    Parameters
    ----------
    instance : Instance
        The decision.
    asked : str or None
        What the user wants, if anything.

    Returns
    -------
    str
        The level asked for; else the one that the request wants for its pods; else node where the request wants
        links or blocks, which its machines draw themselves; else the broadest below node.

    Raises
    ------
    ConfigError
        The level asked for is neither node nor below it.
    """
    below = instance.cluster.levels_below
    if asked is not None:
        if asked not in (NODE, *below):
            raise ConfigError(f"--level: found {asked!r}, expected one of {', '.join((NODE, *below))}")
        return asked
    wanted = instance.request.affinity.pod.island
    if wanted in below:
        return wanted
    return NODE if wanted in (*LINK_ISLANDS, BLOCK) or not below else below[0]


def picture_of(instance: Instance, plan: Plan | None = None, level: str | None = None) -> Picture:
    """Return the picture of a cluster, and of what a plan changes in it.

    Parameters
    ----------
    instance : Instance
        The cluster, its pods and the request.
    plan : Plan, optional
        A plan for this instance.
    level : str, optional
        The level whose domains are the islands; default: see `level_shown`.

    Returns
    -------
    Picture
        All nodes.

    Raises
    ------
    ConfigError
        The plan names what the instance does not have, or the level is no level of a node.
    """
    if plan is not None:
        _refuse_foreign(instance, plan)
    shown = level_shown(instance, level)
    crowds = _crowds(instance, plan)
    wiring: dict[int, tuple[tuple[tuple[int, int], str], ...]] = {}
    cards = []
    for node in instance.cluster.nodes:
        shape = instance.shape(node.name)
        if id(shape) not in wiring:
            wiring[id(shape)] = _links_that_count(instance, shape)
        cards.append(_card(instance, node, shown, crowds[node.name], wiring[id(shape)]))
    groups, grouped_by = grouped(instance, cards)
    return Picture(
        levels=instance.cluster.levels,
        level=shown,
        wish=wish_of(instance.request),
        planned=plan is not None,
        cards=tuple(cards),
        groups=groups,
        grouped_by=grouped_by,
        shared=_shared(instance, plan) if plan is not None else "",
    )


@dataclass
class _Crowd:
    """All that stands on one node or comes to it."""

    occupants: list[tuple[Occupant, tuple[int, ...] | None]] = field(default_factory=list)
    arrivals: list[tuple[Arrival, tuple[int, ...]]] = field(default_factory=list)
    holds: list[tuple[Hold, tuple[int, ...] | None]] = field(default_factory=list)


def _crowds(instance: Instance, plan: Plan | None) -> Mapping[str, _Crowd]:
    crowds: dict[str, _Crowd] = defaultdict(_Crowd)
    priorities = sorted({job.priority for job in instance.jobs})
    tones = {priority: rank * TONES // len(priorities) for rank, priority in enumerate(priorities)}
    evicted = plan.evicted if plan is not None else frozenset()
    for job in instance.jobs:
        lost = lost_work(instance, job) if any(pod.name in evicted for pod in job.pods) else {}
        for pod in job.pods:
            loss = from_micro(lost[pod.name]) if pod.name in evicted else None
            crowds[pod.node].occupants.append((_occupant(job, pod, tones[job.priority], loss), pod.slots))
    for placed in plan.placements if plan is not None else ():
        crowds[placed.node].arrivals.append((_arrival(instance, placed), placed.slots or ()))
    displaced = set(plan.displaces) if plan is not None else set()
    for held in instance.reservations:
        used = bool(crowds[held.node].arrivals)
        gpus = len(held.slots or ()) or held.gpus or 0
        promise = _promise(instance, held, used and held.owner in displaced)
        crowds[held.node].holds.append((Hold(held.owner, held.priority, gpus, promise), held.slots))
    return crowds


def _occupant(job: Job, pod: Pod, tone: int, loss: float | None) -> Occupant:
    fate: Fate = "terminating" if job.state == "terminating" else "stays" if loss is None else "evicted"
    gpus = len(pod.slots or ()) or pod.gpus or 0
    return Occupant(pod.name, job.name, job.priority, tone, fate, pod.share, gpus, loss)


def _arrival(instance: Instance, placed: Placement) -> Arrival:
    request = instance.request
    return Arrival(f"{request.name}#{placed.pod}", request.gpus, request.share, placed.level, placed.island)


def _promise(instance: Instance, held: Reservation, displaced: bool) -> Promise:
    if held.owner == instance.request.name:
        return "own"
    return "binds" if binds(instance, held) else "displaced" if displaced else "yields"


def _links_that_count(instance: Instance, shape: Shape) -> tuple[tuple[tuple[int, int], str], ...]:
    if shape.fully_linked or not set(ladder_of(instance, "pod")) & set(LINK_ISLANDS):
        return ()
    asked = instance.request.affinity.pod
    found = []
    for pair, kinds in sorted(shape.links.items()):
        if shape.is_linked(*pair, kind=asked.link_kind, at_least=asked.min_links):
            counted = {kind: n for kind, n in kinds.items() if asked.link_kind in (None, kind)}
            found.append((pair, ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))))
    return tuple(found)


def _card(
    instance: Instance, node: Node, level: str, crowd: _Crowd, links: tuple[tuple[tuple[int, int], str], ...]
) -> Card:
    shape = instance.shape(node.name)
    occupants = _by_slot(crowd.occupants)
    arrivals = _by_slot(crowd.arrivals)
    holds = _by_slot(crowd.holds)
    refused = slot_refusals(instance, node)
    islands = []
    for domain, numbers in shape.domains[level].items():
        slots = tuple(
            Slot(
                number,
                number in node.offline_slots,
                str(refused[number]) if number in refused else None,
                tuple(occupants.get(number, ())),
                tuple(arrivals.get(number, ())),
                tuple(holds.get(number, ())),
            )
            for number in sorted(numbers)
        )
        label = label_of(("node", node.name, "in", domain))
        islands.append(Island(f"{level} {domain}" if domain else "whole node", slots, _served(label, level, crowd)))
    teams = [set(slots) for _, slots in crowd.arrivals]
    wires = tuple(Wire(pair, text, any(set(pair) <= team for team in teams)) for pair, text in links)
    complete = shape.fully_linked or len(wires) == shape.gpus * (shape.gpus - 1) // 2 > 0
    refusal = node_refusal(instance, node)
    return Card(
        name=node.name,
        machine=node.machine or f"{shape.gpus} GPUs",
        place=_place(instance, node),
        cordoned=node.cordoned,
        refusal=str(refusal) if refusal is not None else None,
        islands=tuple(islands),
        wires=() if complete else wires,
        fully_linked=complete,
        unplaced=tuple(occupant for occupant, slots in crowd.occupants if slots is None),
        arrivals=tuple(arrival for arrival, slots in crowd.arrivals if not slots),
        holds=tuple(hold for hold, slots in crowd.holds if slots is None),
    )


def _by_slot(entries: Iterable[tuple[T, tuple[int, ...] | None]]) -> dict[int, list[T]]:
    found: dict[int, list[T]] = defaultdict(list)
    for entry, slots in entries:
        for slot in slots or ():
            found[slot].append(entry)
    return found


def _served(label: str, level: str, crowd: _Crowd) -> tuple[str, ...]:
    return tuple(arrival.name for arrival, _ in crowd.arrivals if arrival.level == level and arrival.island == label)


def _shared(instance: Instance, plan: Plan) -> str:
    rung = plan.affinity["gang"].granted if "gang" in plan.affinity else None
    if rung not in (*instance.cluster.levels_above, NODE) or not plan.placements:
        return ""
    node = instance.nodes_by_name[plan.placements[0].node]
    return f"{rung} {label_of(domain_of_node(instance, node, rung))}"


def _place(instance: Instance, node: Node) -> str:
    above = instance.cluster.levels_above
    return label_of(domain_of_node(instance, node, above[-1])) if above and node.within else ""


def _refuse_foreign(instance: Instance, plan: Plan) -> None:
    def refused(what: str) -> ConfigError:
        return ConfigError(f"the plan is not one of this instance: {what}")

    if plan.request != instance.request.name:
        raise refused(f"it is for request {plan.request}, not {instance.request.name}")
    for pod in sorted(plan.evicted):
        if pod not in instance.pods_by_name:
            raise refused(f"it evicts {pod}, which does not run")
    for placed in plan.placements:
        if placed.node not in instance.nodes_by_name:
            raise refused(f"it uses node {placed.node}, which does not exist")
        gpus = instance.shape(placed.node).gpus
        wrong = [slot for slot in placed.slots or () if not 0 <= slot < gpus]
        if wrong:
            raise refused(f"it uses slot {wrong[0]} of node {placed.node}, which has {gpus}")
