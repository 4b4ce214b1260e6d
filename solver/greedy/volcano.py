"""``volcano-preempt`` and ``volcano-dryrun``: Volcano's preempt action, in its default and its dry-run mode.

Source: volcano-sh/volcano, ``actions/preempt``, the victim queue and the shipped configuration. A job that asks for a
network topology (a guaranteed gang scope) is skipped by the action, so the rule does not apply to it. Nodes in name
order (there: by score, from a random offset in the dry run). The gang plugin's veto is off in every shipped
configuration, so tight gangs lose single pods; the pdb plugin, not shipped either, stands for hard budgets. Blind to
islands, to cost, and in the default mode to whom it need not have evicted.
"""

from __future__ import annotations

from collections.abc import Callable

from .decision import Decision, budget_allows, given_up, names_of, with_extras
from .dry_run import Candidate
from .oracle import Oracle
from .orderings import node_choice, tasks_in_reverse
from .situation import Host, Running, Situation

ABSOLUTE_MOST, SHARE_LEAST = 100, 10
"""``maxCandidateNodesAbsolute`` and ``minCandidateNodesPercentage`` of the dry run."""

Search = Callable[[Oracle, set[str], list[str], bool], Candidate | None]


def volcano_preempt(situation: Situation, *, gang_guard: bool = False) -> Decision:
    """Evict the least important of the first node that works until a task fits.

    Parameters
    ----------
    situation : Situation
        The decision.
    gang_guard : bool
        Whether the gang plugin protects jobs at their minimum.

    Returns
    -------
    Decision
        All pods of the minimum, or nobody is evicted.
    """
    return _task_by_task(situation, _first_node, gang_guard)


def volcano_dryrun(situation: Situation, *, gang_guard: bool = False) -> Decision:
    """Do a dry run on a few nodes, reprieve, and take the best of them.

    Parameters
    ----------
    situation : Situation
        The decision.
    gang_guard : bool
        Whether the gang plugin protects jobs at their minimum.

    Returns
    -------
    Decision
        All pods of the minimum, or nobody is evicted.
    """
    return _task_by_task(situation, _best_of_few, gang_guard)


def _task_by_task(situation: Situation, search: Search, gang_guard: bool) -> Decision:
    request = situation.instance.request
    gang = request.affinity.gang
    if gang is not None and gang.mode == "guaranteed":
        return given_up("the preempt action skips jobs with a network topology")
    oracle = Oracle(situation)
    gone: set[str] = set()
    nodes: list[str] = []
    evicted: dict[str, str] = {}
    while len(nodes) < request.fewest_pods:
        host = next(
            (h for h in situation.hosts.values() if oracle.pods_on(h, gone) > nodes.count(h.name)), None
        )  # idle room alone will do
        if host is None:
            found = search(oracle, gone, nodes, gang_guard)
            if found is None:
                return given_up(f"no node for pod {len(nodes) + 1} of the minimum: the statement is discarded")
            host = found.host
            gone |= names_of(found.victims)
            evicted |= {pod.name: f"least important on {host.name}" for pod in found.victims}
        nodes.append(host.name)
    return Decision(with_extras(oracle, gone, nodes), evicted)


def _first_node(oracle: Oracle, gone: set[str], nodes: list[str], gang_guard: bool) -> Candidate | None:
    for host in oracle.situation.hosts.values():
        victims = _until_it_fits(oracle, host, gone, nodes.count(host.name), gang_guard)
        if victims is not None:
            return Candidate(host, tuple(victims), 0)
    return None


def _best_of_few(oracle: Oracle, gone: set[str], nodes: list[str], gang_guard: bool) -> Candidate | None:
    most = max(1, min(ABSOLUTE_MOST, len(oracle.situation.hosts) * SHARE_LEAST // 100))
    found: list[Candidate] = []
    for host in oracle.situation.hosts.values():
        seats = nodes.count(host.name)
        victims = _until_it_fits(oracle, host, gone, seats, gang_guard)
        if victims:
            found.append(Candidate(host, tuple(_reprieved(oracle, host, gone, seats, victims)), 0))
        if len(found) == most:
            break
    return min(found, key=lambda each: (*node_choice(each.victims, 0), each.host.name), default=None)


def _until_it_fits(oracle: Oracle, host: Host, gone: set[str], seats: int, gang_guard: bool) -> list[Running] | None:
    queue = permitted(oracle.situation, [pod for pod in host.evictable if pod.name not in gone], gone, gang_guard)
    if oracle.pods_on(host, gone | names_of(queue)) <= seats:
        return None
    victims: list[Running] = []
    for pod in queue:
        if oracle.pods_on(host, gone | names_of(victims)) > seats:
            break
        victims.append(pod)
    return victims


def _reprieved(oracle: Oracle, host: Host, gone: set[str], seats: int, victims: list[Running]) -> list[Running]:
    kept = list(victims)
    for pod in reversed(victims):
        rest = [other for other in kept if other is not pod]
        if oracle.pods_on(host, gone | names_of(rest)) > seats:
            kept = rest
    return kept


def permitted(situation: Situation, pods: list[Running], gone: set[str], gang_guard: bool) -> list[Running]:
    """Return which tasks the plugins let go, the least important first.

    Parameters
    ----------
    situation : Situation
        The decision.
    pods : list of Running
        Tasks of lower priority.
    gone : set of str
        Pods evicted before.
    gang_guard : bool
        Whether a job must keep more than its minimum before a task of it goes.

    Returns
    -------
    list of Running
        In the order of the victim queue; with hard budgets only those that a running count allows.
    """
    victims: list[Running] = []
    for pod in sorted(pods, key=tasks_in_reverse):
        before = [situation.pods[name] for name in sorted(gone)] + victims
        least = len(pod.job.pods) if pod.job.min_available is None else pod.job.min_available
        ready = len(pod.job.pods) - sum(other.job.name == pod.job.name for other in before)
        if gang_guard and ready <= least:
            continue
        if situation.budgets_bind and not budget_allows(situation, [*before, pod]):
            continue
        victims.append(pod)
    return victims
