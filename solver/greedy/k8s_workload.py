"""``k8s-workload``: workload-aware preemption of kube-scheduler (KEP-5710 with the topology key of KEP-5732).

Source: the KEPs and the scheduler's tests for pod groups, 1.36 to 1.37. Rigid jobs go whole, across nodes; of elastic
ones pods go singly. The placement is assumed once, pod by pod where the fewest and least important must go (recent
texts; older ones fill nodes without looking at victims), then victims are reprieved in place. A guaranteed gang scope
at or above the node is kept, in the domain with the least room that suffices. Blind to every other rung, to slices,
to everything below the node, and to the size of work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...models.domains import DomainKey, domain_of_node
from .decision import Decision, given_up, names_of
from .dry_run import budget_breakers
from .oracle import Oracle
from .orderings import Key, node_choice
from .situation import Host, Running, Situation


@dataclass(frozen=True)
class Unit:
    """What is disrupted together: a whole job, or one pod."""

    pods: tuple[Running, ...]

    @property
    def importance(self) -> Key:
        """1 higher priority, 2 groups before single pods, 3 larger groups, 4 earlier start, 5 name."""
        first = self.pods[0]
        return (-first.priority, -len(self.pods), -first.age, min(pod.name for pod in self.pods))


def k8s_workload(situation: Situation) -> Decision:
    """Evict groups for the whole request at once.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        As many pods of the request as lesser work can make room for, at least the minimum.
    """
    oracle, request = Oracle(situation), situation.instance.request
    units = sorted(_units(situation), key=lambda unit: unit.importance)
    lesser = {pod.name for unit in units for pod in unit.pods}
    domain = _domain(oracle, lesser)
    if domain is None:
        return given_up("no domain takes enough pods of the request, even without all work of lower priority")
    hosts, most = domain
    nodes = _placement(oracle, units, hosts, min(most, request.pods))
    gone = set(lesser)
    breakers = _breakers(situation, units)
    for unit in sorted(units, key=lambda unit: not names_of(unit.pods) & breakers):
        kept = gone - names_of(unit.pods)
        touched = {pod.node for pod in unit.pods}
        if all(oracle.pods_on(situation.hosts[node], kept) >= nodes.count(node) for node in touched):
            gone = kept
    victims = [pod for unit in units for pod in unit.pods if pod.name in gone]
    return Decision(tuple(nodes), {pod.name: "not reprieved beside the placement of the request" for pod in victims})


def _units(situation: Situation) -> list[Unit]:
    jobs = {pod.job.name: pod.job for pod in situation.evictable}
    units = []
    for job in jobs.values():
        members = situation.members(job)
        units += [Unit((pod,)) for pod in members] if job.is_elastic else [Unit(members)]
    return units


def _breakers(situation: Situation, units: Sequence[Unit]) -> set[str]:
    return budget_breakers(situation, [pod for unit in units for pod in unit.pods], ())


def _domain(oracle: Oracle, lesser: set[str]) -> tuple[list[Host], int] | None:
    """Return the nodes of the domain of the gang and how many pods they take; the fullest placement, least room."""
    situation = oracle.situation
    request, gang = situation.instance.request, situation.instance.request.affinity.gang
    level = gang.island if gang is not None and gang.mode == "guaranteed" else "cluster"
    if level in situation.instance.cluster.levels_below:
        level = "cluster"
    domains: dict[DomainKey, list[Host]] = {}
    for host in situation.hosts.values():
        domains.setdefault(domain_of_node(situation.instance, host.node, level), []).append(host)
    room = {key: sum(oracle.pods_on(host, lesser) for host in hosts) for key, hosts in domains.items()}
    enough = [key for key in domains if room[key] >= request.fewest_pods]
    if not enough:
        return None
    best = min(enough, key=lambda key: (-min(room[key], request.pods), room[key], key))
    return domains[best], room[best]


def _placement(oracle: Oracle, units: Sequence[Unit], hosts: Sequence[Host], pods: int) -> list[str]:
    unit_of = {pod.name: unit for unit in units for pod in unit.pods}
    gone: set[str] = set()
    nodes: list[str] = []
    while len(nodes) < pods:
        host = next((host for host in hosts if oracle.pods_on(host, gone) > nodes.count(host.name)), None)
        if host is None:
            best: tuple[Key, Host, set[str]] | None = None
            for candidate in hosts:
                victims = _victims_on(oracle, candidate, gone, nodes.count(candidate.name), unit_of)
                if victims is not None:
                    pods_lost = [pod for unit in victims for pod in unit.pods]
                    breakers = _breakers(oracle.situation, victims)
                    key = (*node_choice(pods_lost, len(breakers)), candidate.name)
                    if best is None or key < best[0]:
                        best = (key, candidate, names_of(pods_lost))
            if best is None:
                break
            host, gone = best[1], gone | best[2]
        nodes.append(host.name)
    return nodes


def _victims_on(oracle: Oracle, host: Host, gone: set[str], seats: int, unit_of: dict[str, Unit]) -> list[Unit] | None:
    lesser = sorted(
        {unit_of[pod.name] for pod in host.evictable if pod.name not in gone},
        key=lambda unit: unit.importance,
    )
    away = gone | {pod.name for unit in lesser for pod in unit.pods}
    if not lesser or oracle.pods_on(host, away) <= seats:
        return None
    breakers = _breakers(oracle.situation, lesser)
    victims = []
    for unit in sorted(lesser, key=lambda unit: not names_of(unit.pods) & breakers):
        if oracle.pods_on(host, away - names_of(unit.pods)) > seats:
            away -= names_of(unit.pods)
        else:
            victims.append(unit)
    return victims
