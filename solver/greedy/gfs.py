"""``gfs-two-ended``: on each node decide from both ends of the price list whom to spare.

Source: the preemption of GFS (spot tasks of GPU clusters), from its published description. Jobs of a node by the work
they would lose: in turn the most expensive and the cheapest of those left are spared while the request still fits
without them gone, else they go. The node with the least loss is taken, then fewest pods, then the name. A rigid job
is priced and evicted whole. Blind to islands, budgets, gang scopes, and to victims on several nodes together.
"""

from __future__ import annotations

from .decision import Decision, given_up, names_of
from .oracle import Oracle
from .situation import Host, Running, Situation


def gfs_two_ended(situation: Situation) -> Decision:
    """Spare and evict in turn from both ends, on the cheapest node a pod.

    Parameters
    ----------
    situation : Situation
        The decision.

    Returns
    -------
    Decision
        Every pod of the request asks for itself; all of the minimum, or nobody is evicted.
    """
    oracle, request = Oracle(situation), situation.instance.request
    gone: set[str] = set()
    nodes: list[str] = []
    for number in range(request.pods):
        found = [
            (situation.cost(victims), len(victims), name, victims)
            for name, host in situation.hosts.items()
            if (victims := victims_on(oracle, host, gone, nodes.count(name))) is not None
        ]
        best = min(found, key=lambda each: each[:3], default=None)
        if best is None or (best[1] and number >= request.fewest_pods):
            break
        gone |= names_of(best[3])
        nodes.append(best[2])
    if len(nodes) < request.fewest_pods:
        return given_up("no node takes enough pods of the request, even without all pods of lower priority")
    evicted = [pod for pod in situation.evictable if pod.name in gone]
    return Decision(tuple(nodes), {pod.name: "not spared from either end" for pod in evicted})


def victims_on(oracle: Oracle, host: Host, gone: set[str], seats: int) -> list[Running] | None:
    """Return who goes on one node.

    Parameters
    ----------
    oracle : Oracle
        Counts.
    host : Host
        The node.
    gone : set of str
        Pods evicted before.
    seats : int
        Pods of the request that go to this node already.

    Returns
    -------
    list of Running or None
        With all pods of rigid jobs, wherever they run; None if the node is of no use.
    """
    if oracle.pods_on(host, gone) > seats:
        return []
    situation = oracle.situation
    units = {_unit(situation, pod) for pod in host.evictable if pod.name not in gone}
    left = sorted(units, key=lambda unit: (situation.cost(unit), unit[0].name))
    away = gone | {pod.name for unit in left for pod in unit}
    if oracle.pods_on(host, away) <= seats:
        return None
    victims: list[Running] = []
    from_the_top = True
    while left:
        unit = left.pop() if from_the_top else left.pop(0)
        from_the_top = not from_the_top
        if oracle.pods_on(host, away - names_of(unit)) > seats:
            away -= names_of(unit)
        else:
            victims += unit
    return victims


def _unit(situation: Situation, pod: Running) -> tuple[Running, ...]:
    return (pod,) if pod.job.is_elastic else situation.members(pod.job)
