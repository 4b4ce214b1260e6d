"""``volcano-gangpreempt``: Volcano's gang-aware eviction, bundle by bundle in one domain.

Source: volcano-sh/volcano, ``actions/gangpreempt`` and ``actions/utils/bundle``. A guaranteed gang scope is the hard
topology: its domains are tried broad first, at most eight, only those whose capacity could hold the request; without
one the whole cluster is the one domain. Bundles: safe (above the minimum) before whole, then lower priority, newest
job, later name; each is taken whole and nothing is trimmed. The published ratio of use to loss never decides, because
the order of jobs is total. Blind to islands below the node, to cost, to pods of a job outside the domain, to budgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...models.domains import DomainKey, domain_of_node
from ...models.jobs import Job
from ...models.topology import CLUSTER
from .counts import pods_by_counts
from .decision import Decision, given_up, smallest_prefix, with_extras
from .oracle import Oracle
from .orderings import Key, later_name_first
from .situation import Host, Running, Situation

MAX_DOMAINS = 8


@dataclass(frozen=True)
class Bundle:
    """Tasks of one job that go together."""

    job: Job
    safe: bool
    pods: tuple[Running, ...]

    @property
    def order(self) -> Key:
        """1 safe before whole, 2 lower priority, 3 newest job, 4 later name."""
        return (not self.safe, self.job.priority, self.job.running_seconds or 0.0, *later_name_first(self.job.name))


def volcano_gangpreempt(situation: Situation) -> Decision:
    """Evict bundles in the first domain that then takes the whole request.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        All pods of the minimum, or nobody is evicted.
    """
    oracle = Oracle(situation)
    for hosts in domains_of(situation)[:MAX_DOMAINS]:
        bundles = sorted(_bundles(situation, hosts), key=lambda bundle: bundle.order)
        number = _bundles_needed(oracle, hosts, bundles)
        if number is not None:
            gone = {pod.name for bundle in bundles[:number] for pod in bundle.pods}
            nodes = _placed(oracle, hosts, bundles[:number]) or ()
            why = {
                pod.name: "above the minimum of its job" if bundle.safe else "the job's tasks in the domain go whole"
                for bundle in bundles[:number]
                for pod in bundle.pods
            }
            return Decision(with_extras(oracle, gone, nodes), why)
    return given_up("no domain takes the request, even without all bundles in it")


def _placed(oracle: Oracle, hosts: Sequence[Host], bundles: Sequence[Bundle]) -> tuple[str, ...] | None:
    gone = {pod.name for bundle in bundles for pod in bundle.pods}
    return oracle.nodes_for(gone, oracle.situation.instance.request.fewest_pods, hosts=hosts)


def _bundles_needed(oracle: Oracle, hosts: Sequence[Host], bundles: Sequence[Bundle]) -> int | None:
    return smallest_prefix(len(bundles), lambda number: _placed(oracle, hosts, bundles[:number]) is not None)


def domains_of(situation: Situation) -> list[list[Host]]:
    """Return the domains in the order of trial.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    list of list of Host
        The asked level first, then the tighter ones down to single nodes; only those that could hold the minimum.
    """
    instance = situation.instance
    gang = instance.request.affinity.gang
    if gang is None or gang.mode != "guaranteed" or gang.island == CLUSTER:
        return [list(situation.hosts.values())]
    at_or_above = (*instance.cluster.levels_above, "node")
    levels = at_or_above[at_or_above.index(gang.island) :] if gang.island in at_or_above else ("node",)
    found = []
    for level in levels:
        domains: dict[DomainKey, list[Host]] = {}
        for host in situation.hosts.values():
            domains.setdefault(domain_of_node(instance, host.node, level), []).append(host)
        for key in sorted(domains):
            room = sum(pods_by_counts(situation.need, host.capacity) for host in domains[key] if host.takes)
            if room >= instance.request.fewest_pods:
                found.append(domains[key])
    return found


def _bundles(situation: Situation, hosts: Sequence[Host]) -> list[Bundle]:
    by_job: dict[str, list[Running]] = {}
    for host in hosts:
        for pod in host.evictable:
            by_job.setdefault(pod.job.name, []).append(pod)
    bundles = []
    for pods in by_job.values():
        job = pods[0].job
        least = len(job.pods) if job.min_available is None else job.min_available
        least_important = sorted(pods, key=lambda pod: pod.name)
        spare = len(job.pods) - least
        safe, rest = least_important[:spare], least_important[spare:]
        bundles += [Bundle(job, True, tuple(safe))] * bool(safe) + [Bundle(job, False, tuple(rest))] * bool(rest)
    return bundles
