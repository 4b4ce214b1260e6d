"""``nomad-device``: Nomad's preemption of bandwidth and ports, devices, then CPU and memory.

Source: hashicorp/nomad, ``scheduler/feasible/preemption`` (the rule in our own words). Only allocations at least ten
priorities below the request. Devices are counted by model; the option with the least sum of distinct priorities wins,
then its largest holders are kept until they alone cover the ask (free ones ignored). CPU and memory: lowest priority
first, the nearest by relative distance to what is still asked, then a superset filter. Of several nodes the one with
the least net priority, ``max + sum / max``, then the name. ``max_parallel`` has no counterpart here. Blind to NUMA
nodes, islands, gangs, budgets, the size of work; no shares of devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

from ...models.units import MICRO
from .counts import free_amounts
from .decision import Decision, given_up, names_of
from .oracle import Oracle
from .situation import Host, Running, Situation

PRIORITY_GAP = 10


@dataclass(frozen=True)
class Network:
    """Which counted resources are network to Nomad: bandwidth by name, static ports by how the name begins."""

    bandwidth: str = "network_mbits"
    port_prefix: str = "port_"


def nomad_device(situation: Situation, *, network: Network | None = None) -> Decision:
    """Preempt on one node an allocation.

    Parameters
    ----------
    situation : Situation
        The decision.
    network : Network, optional
        Names of the network resources.

    Returns
    -------
    Decision
        Every pod of the request asks for itself; one that finds nothing waits.
    """
    request = situation.instance.request
    if request.gpus and request.share != 1.0:
        return given_up("Nomad preempts whole devices only")
    oracle, net = Oracle(situation), network or Network()
    gone: set[str] = set()
    nodes: list[str] = []
    evicted: dict[str, str] = {}
    for _ in range(request.pods):
        search = [_NodeSearch(oracle, host, gone, nodes.count(name), net) for name, host in situation.hosts.items()]
        free = [each for each in search if each.fits_now]
        if free:
            nodes.append(min(free, key=lambda each: (each.free_gpus, each.host.name)).host.name)
            continue
        options = [(victims, each.host.name) for each in search if (victims := each.victims()) is not None]
        if not options:
            break
        victims, name = min(options, key=lambda option: (net_priority(option[0]), option[1]))
        gone |= names_of(victims)
        evicted |= {pod.name: f"preempted on {name}" for pod in victims}
        nodes.append(name)
    if len(nodes) < request.fewest_pods and not evicted:
        return given_up("no node takes enough pods of the request with preemption ten priorities below")
    return Decision(tuple(nodes), evicted)


def net_priority(victims: Sequence[Running]) -> float:
    """Return what Nomad's node score falls with.

    Parameters
    ----------
    victims : sequence of Running
        The victims on a node.

    Returns
    -------
    float
        ``max + sum / max`` of their priorities; 0 without victims.
    """
    priorities = [pod.priority for pod in victims]
    top = max(priorities, default=0)
    return top + sum(priorities) / top if top else float(top)


def distance(ask: Sequence[int], used: Sequence[int]) -> float:
    """Return how far an allocation is from what is asked.

    Parameters
    ----------
    ask : sequence of int
        Amounts asked, in any units.
    used : sequence of int
        Amounts that the allocation holds, in the same order.

    Returns
    -------
    float
        The Euclidean norm of the relative differences; what is not asked (any more) counts nothing.
    """
    return sqrt(sum(((a - u) / a) ** 2 for a, u in zip(ask, used, strict=True) if a > 0))


class _NodeSearch:
    """Preemption on one node: network first, then devices, then the rest."""

    def __init__(self, oracle: Oracle, host: Host, gone: set[str], seats: int, network: Network) -> None:
        self.host = host
        self._oracle, self._gone, self._seats, self._network = oracle, gone, seats, network
        self._situation = oracle.situation
        things = self._situation.things
        self._bandwidth = [i for i, name in enumerate(things) if name == network.bandwidth]
        self._ports = [i for i, name in enumerate(things) if name.startswith(network.port_prefix)]
        self._basic = [i for i in range(1, len(things)) if i not in self._bandwidth and i not in self._ports]

    @property
    def fits_now(self) -> bool:
        """Whether there is room without preemption, all GPUs of one model."""
        return self._oracle.pods_on(self.host, self._gone) > self._seats and self._some_group(set())

    @property
    def free_gpus(self) -> int:
        return free_amounts(self.host, self._gone)[0]

    def victims(self) -> list[Running] | None:
        top = self._situation.instance.request.priority
        pool = [pod for pod in self.host.evictable if pod.name not in self._gone and top - pod.priority >= PRIORITY_GAP]
        pool.sort(key=lambda pod: pod.priority)
        if not self.host.takes:
            return None
        chosen: list[Running] = []
        for step in (self._for_network, self._for_devices, self._for_task_group):
            found = step([pod for pod in pool if pod not in chosen], chosen)
            if found is None:
                return None
            chosen += found
        away = self._gone | names_of(chosen)
        fits = self._oracle.pods_on(self.host, away) > self._seats and self._some_group(names_of(chosen))
        return chosen if chosen and fits else None

    def _free(self, chosen: Sequence[Running]) -> list[int]:
        free = free_amounts(self.host, self._gone | names_of(chosen))
        return [left - self._seats * need for left, need in zip(free, self._situation.need, strict=True)]

    def _for_network(self, pool: list[Running], chosen: list[Running]) -> list[Running] | None:
        need, free = self._situation.need, self._free(chosen)
        holders = []
        for port in self._ports:
            if free[port] < need[port]:
                found = [pod for pod in pool if pod.amounts[port]]
                if sum(pod.amounts[port] for pod in found) + free[port] < need[port]:
                    return None
                holders += [pod for pod in found if pod not in holders]
        picked = list(holders)
        for index in self._bandwidth:
            ask, room = need[index], free[index] + sum(pod.amounts[index] for pod in picked)
            for _, group in groupby((p for p in pool if p not in holders), key=lambda pod: pod.priority):
                for pod in sorted(group, key=lambda pod: distance((ask,), (pod.amounts[index],))):
                    if room < ask and pod.amounts[index]:
                        picked.append(pod)
                        room += pod.amounts[index]
            if room < ask:
                return None
            picked = holders + self._superset([p for p in picked if p not in holders], [index], [*chosen, *holders])
        return picked

    def _for_devices(self, pool: list[Running], chosen: list[Running]) -> list[Running] | None:
        ask = self._situation.instance.request.gpus
        if not ask or self._some_group(names_of(chosen)):
            return []
        options = []
        for group in self._groups():
            option, count = [], self._free_devices(group, names_of(chosen))
            for pod in pool:
                if count >= ask:
                    break
                held = len(group & set(pod.slots))
                if held:
                    option.append((held, pod))
                    count += held
            if count >= ask:
                options.append(self._largest_holders(option, ask))
        return min(options, key=lambda pods: sum({pod.priority for pod in pods}), default=None)

    @staticmethod
    def _largest_holders(option: list[tuple[int, Running]], ask: int) -> list[Running]:
        kept, instances = [], 0
        for held, pod in sorted(option, key=lambda each: -each[0]):
            if instances >= ask:
                break
            kept.append(pod)
            instances += held
        return kept

    def _groups(self) -> list[frozenset[int]]:
        models = self._situation.instance.shape(self.host.name).models
        found: dict[str | None, set[int]] = {}
        for slot in sorted(self.host.usable):
            found.setdefault(models[slot], set()).add(slot)
        return [frozenset(slots) for slots in found.values()]

    def _free_devices(self, group: frozenset[int], away: set[str]) -> int:
        kept = [pod for pod in self.host.pods if pod.name not in self._gone and pod.name not in away]
        busy = {slot for pod in kept for slot in pod.slots}
        strangers = sum(pod.unknown for pod in kept)
        used = self._seats * self._situation.need[0] // MICRO
        return len(group - busy) - strangers - used - self.host.held_back

    def _some_group(self, away: set[str]) -> bool:
        ask = self._situation.instance.request.gpus
        return not ask or any(self._free_devices(group, away) >= ask for group in self._groups())

    def _for_task_group(self, pool: list[Running], chosen: list[Running]) -> list[Running] | None:
        need = self._situation.need
        ask = [need[index] for index in self._basic]
        asked, picked = list(ask), []
        room = [self._free(chosen)[index] for index in self._basic]
        for _, members in groupby(pool, key=lambda pod: pod.priority):
            group = list(members)
            while group and any(left < amount for left, amount in zip(room, ask, strict=True)):
                nearest = min(group, key=lambda pod: distance(asked, [pod.amounts[i] for i in self._basic]))
                group.remove(nearest)
                picked.append(nearest)
                held = [nearest.amounts[index] for index in self._basic]
                room = [left + more for left, more in zip(room, held, strict=True)]
                asked = [left - more for left, more in zip(asked, held, strict=True)]
        if any(left < amount for left, amount in zip(room, ask, strict=True)):
            return None
        return self._superset(picked, self._basic, chosen)

    def _superset(self, picked: list[Running], things: list[int], chosen: Sequence[Running]) -> list[Running]:
        """Keep the farthest from the ask first, only as many as are needed beside free room."""
        need = [self._situation.need[index] for index in things]
        free = self._free(chosen)
        room = [free[index] for index in things]
        kept = []
        for pod in sorted(picked, key=lambda pod: -distance(need, [pod.amounts[index] for index in things])):
            if all(left >= amount for left, amount in zip(room, need, strict=True)):
                break
            kept.append(pod)
            room = [left + pod.amounts[index] for left, index in zip(room, things, strict=True)]
        return kept
