"""``kai-generators``: NVIDIA KAI-Scheduler's allocate, consolidation and preempt actions, by simulated scenarios.

Source: kai-scheduler/KAI-Scheduler, ``actions`` and ``actions/common/solvers``. Victims accumulate: lowest priority,
then pods of elastic jobs above their minimum (off the end), then youngest, then name. Scenarios: first the
accumulated victims of one node of the newest (node-local), then those of the smallest set of nodes that covers the
demand, growing exponentially (multi-node). In each the request is allocated, then victims are re-placed (best job
first, where they were or elsewhere); the first valid scenario wins. Consolidation serves preemptible requests only,
may move any preemptible job, and needs all victims re-placed. GPUs by slot (shares), the kubelet's alignment, slice
and gang scopes at or above the node are looked at. Blind to GPU islands and links, to cost beyond the order, to soft
budgets; hard ones stand for what its validators protect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ...models.jobs import Job
from .decision import Decision, budget_allows, given_up, with_extras
from .kai_scenario import Outcome, Simulator
from .oracle import Knowledge, Oracle
from .situation import Running, Situation

NON_PREEMPTIBLE_FROM = 100
"""KAI's default: work of this priority or more is not preemptible, and consolidates nobody."""

Step = tuple[Running, ...]
Validator = Callable[[Outcome], bool]


@dataclass(frozen=True)
class _Search:
    """One action's search: whom it may evict, and what its validator accepts."""

    simulator: Simulator
    steps: tuple[Step, ...]
    valid: Validator


def kai_generators(situation: Situation, *, consolidate: bool = True, preempt: bool = True) -> Decision:
    """Run the scheduler's cycle for the request.

    Parameters
    ----------
    situation : Situation
        The decision.
    consolidate : bool
        Whether the consolidation action runs.
    preempt : bool
        Whether the preempt action runs.

    Returns
    -------
    Decision
        Pods of the minimum only once somebody had to go; moved pods are victims that start again elsewhere.
    """
    oracle, request = Oracle(situation, Knowledge("slots", alignment=True, gang=True)), situation.instance.request
    nodes = oracle.nodes_for((), request.fewest_pods)
    if nodes is not None:
        return Decision(oracle.nodes_for((), request.pods) or with_extras(oracle, set(), nodes))
    simulator = Simulator(oracle)
    if consolidate and request.may_preempt and request.priority < NON_PREEMPTIBLE_FROM:
        movable = [pod for pod in situation.pods.values() if pod.job.preemptible and pod.priority in situation.weights]
        found = _solve(_Search(simulator, _steps(situation, movable), lambda outcome: not outcome.evicted))
        if found is not None:
            return found.decision("moved so that the request fits")
    if preempt:
        steps = _steps(situation, situation.evictable)
        found = _solve(_Search(simulator, steps, lambda outcome: _protects(situation, outcome)))
        if found is not None:
            return found.decision("evicted in the first valid scenario")
    return given_up("no scenario of the generators is valid")


def _protects(situation: Situation, outcome: Outcome) -> bool:
    return not situation.budgets_bind or budget_allows(situation, outcome.victims)


def _steps(situation: Situation, pods: Sequence[Running]) -> tuple[Step, ...]:
    """Return what accumulates step by step."""
    jobs: dict[str, Job] = {pod.job.name: pod.job for pod in pods}
    left = {name: list(situation.members(job)) for name, job in jobs.items()}
    steps: list[Step] = []

    def order(name: str) -> tuple[int, bool, float, str]:
        job = jobs[name]
        return (job.priority, len(left[name]) <= _least(job), job.running_seconds or 0.0, name)

    queue = [order(name) for name in left]
    heapify(queue)
    while queue:
        name = heappop(queue)[-1]
        members = left[name]
        if len(members) > _least(jobs[name]):
            steps.append((members.pop(),))
        else:
            steps.append(tuple(members))
            members.clear()
        if members:
            heappush(queue, order(name))
    return tuple(steps)


def _least(job: Job) -> int:
    return len(job.pods) if job.min_available is None else job.min_available


def _solve(search: _Search) -> Outcome | None:
    """Serve 1, 2, 4, ... slices up to the minimum; victims of one round are victims of the next."""
    oracle = search.simulator.oracle
    request = oracle.situation.instance.request
    fewest, pods = request.fewest_pods, request.slice_size
    recorded: tuple[Step, ...] = ()
    while True:
        found = next(
            (outcome for steps in _scenarios(search, pods, recorded) if (outcome := _tried(search, pods, steps))), None
        )
        if found is None or pods == fewest:
            return found
        victims = {pod.name for pod in found.victims}
        recorded = tuple(step for step in search.steps if victims & {pod.name for pod in step})
        pods = min(2 * pods, fewest)


def _tried(search: _Search, pods: int, steps: Sequence[Step]) -> Outcome | None:
    outcome = search.simulator.run(steps, pods)
    return outcome if outcome is not None and search.valid(outcome) else None


def _scenarios(search: _Search, pods: int, recorded: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    if recorded:
        yield recorded
    taken = set(recorded)
    fresh = [step for step in search.steps if step not in taken]
    on: dict[str, list[Step]] = {}
    seen: set[tuple[Step, ...]] = set()
    for step in fresh:
        nodes = sorted({pod.node for pod in step})
        for node in nodes:
            on.setdefault(node, []).append(step)
        for node in nodes:
            local = (*recorded, *on[node])
            if local not in seen and _makes_room(search.simulator.oracle, recorded, on[node]):
                seen.add(local)
                yield local
    yield from _multi_node(search, pods, recorded, fresh)


def _makes_room(oracle: Oracle, recorded: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Whether a node takes more pods of the request once the steps are gone; KAI filters scenarios so, too."""
    before = {pod.name for step in recorded for pod in step}
    after = before | {pod.name for step in steps for pod in step}
    hosts = [oracle.situation.hosts[name] for name in sorted({pod.node for step in steps for pod in step})]
    return any(oracle.pods_on(host, after) > oracle.pods_on(host, before) for host in hosts)


def _multi_node(
    search: _Search, pods: int, recorded: tuple[Step, ...], steps: Sequence[Step]
) -> Iterator[tuple[Step, ...]]:
    oracle = search.simulator.oracle
    gone = {pod.name for step in (*recorded, *steps) for pod in step}
    hosts = [oracle.situation.hosts[name] for name in sorted({pod.node for step in steps for pod in step})]
    room = {host.name: oracle.pods_on(host, gone) for host in hosts}
    order = sorted((name for name in room if room[name]), key=lambda name: (room[name], name))
    freed = {pod.name for step in recorded for pod in step}
    number, covered = 0, sum(oracle.pods_on(host, freed) for host in oracle.situation.hosts.values())
    while number < len(order) and covered < pods:
        covered += room[order[number]]
        number += 1
    while number:
        chosen = set(order[:number])
        yield (*recorded, *(step for step in steps if any(pod.node in chosen for pod in step)))
        if number == len(order):
            break
        number = min(2 * number, len(order))
    yield (*recorded, *steps)
