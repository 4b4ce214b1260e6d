"""Random nodes whose running pods were admitted by a simulated kubelet, and the instance that describes them."""

from __future__ import annotations

from copy import copy, deepcopy
from random import Random
from typing import Any

from kubelet.topology_manager import GPUS, Held, Kubelet

from topreempt.models import Instance

POLICIES = ("single-numa-node", "single-numa-node", "restricted", "restricted", "best-effort", "none")
RESOURCES = ("cpus", "memory_gib")
HIDDEN = 0.36
"""Share of pods of which some instances do not say where they sit."""

Ask = dict[str, int]


class Drawn:
    """An instance, and the kubelets that know the truth about its nodes."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Drawn:
        """Copy the kubelets; the instance stays one."""
        twin = copy(self)
        twin.kubelets = deepcopy(self.kubelets, memo)
        return twin

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.kubelets: dict[str, Kubelet] = {}
        self.nodes: list[dict[str, Any]] = []
        self.jobs: list[dict[str, Any]] = []
        self.hides = rng.random() < 0.3
        for number in range(rng.choice([1, 1, 1, 2])):
            name = f"n{number}"
            self.kubelets[name] = _kubelet(rng)
            self.nodes.append(_node(rng, name, self.kubelets[name]))
            asked = _fill(rng, name, self.kubelets[name])
            for pod, held in self.kubelets[name].pods.items():
                self.jobs.append(_job(rng, name, pod, held, asked[pod], self.kubelets[name], self.hides))
        self.asked = _ask(rng, next(iter(self.kubelets.values())), most=4)
        self.instance = Instance.parse(
            {
                "format": "topreempt/v1",
                "cluster": {"levels": ["node", "numa"], "nodes": self.nodes},
                "jobs": self.jobs,
                "request": _request(rng, self.asked),
            }
        )

    def kubelet_of(self, pod: str) -> Kubelet:
        """The kubelet that runs a pod."""
        return next(kubelet for kubelet in self.kubelets.values() if pod in kubelet.pods)

    @property
    def is_plain(self) -> bool:
        """Whether the instance says all that the kubelets know, and asks for no more than they look at.

        The kubelet knows no islands. Pods that need several NUMA nodes each are taken only one a node by topreempt.
        """
        request = self.instance.request
        narrow = all(kubelet.narrowest(self.asked) == 1 for kubelet in self.kubelets.values())
        return not self.hides and request.affinity.pod.island == "node" and (request.pods == 1 or narrow)

    def without_alignment(self) -> Instance:
        """The same instance with every kubelet's policy left out."""
        nodes = [node | {"topology_policy": "none"} for node in self.nodes]
        data = self.instance.model_dump(mode="json", exclude_unset=True)
        data["cluster"]["nodes"] = nodes
        return Instance.parse(data)


def _kubelet(rng: Random) -> Kubelet:
    """NUMA nodes of odd sizes that hold the GPUs in any order; some have GPUs only, some CPUs only."""
    width = rng.choice([2, 2, 2, 2, 2, 2, 2, 3, 3, 4])
    sizes = [rng.choice([1, 2, 2, 3, 4]) for _ in range(width)]
    if rng.random() < 0.5:
        sizes = [max(sizes)] * width
    gpus = list(range(sum(sizes[:4])))
    if rng.random() < 0.5:
        rng.shuffle(gpus)
    devices, first = [], 0
    for size in sizes:
        devices.append(gpus[first : first + size])
        first += size
    cpus, memory = rng.choice([4, 8, 8, 12]), rng.choice([16, 32])
    capacity = [{"cpus": rng.choice([cpus, cpus, cpus, 4, 0]), "memory_gib": memory} for _ in range(width)]
    return Kubelet(rng.choice(POLICIES), devices, capacity)


def _node(rng: Random, name: str, kubelet: Kubelet) -> dict[str, Any]:
    named = {str(numa): kubelet.devices[numa] for numa in kubelet.numa_nodes}
    node: dict[str, Any] = {
        "name": name,
        "gpus": sum(map(len, kubelet.devices)),
        "domains": {"numa": {numa: list(slots) for numa, slots in named.items()}},
        "resources": {name: sum(amounts[name] for amounts in kubelet.capacity) for name in RESOURCES},
        "domain_resources": {"numa": {str(numa): dict(kubelet.capacity[numa]) for numa in kubelet.numa_nodes}},
        "topology_policy": kubelet.policy,
    }
    if node["gpus"] > 2 and rng.random() < 0.15:
        numa = rng.choice([numa for numa in kubelet.numa_nodes if kubelet.devices[numa]])
        broken = rng.choice(kubelet.devices[numa])
        kubelet.devices[numa] = [device for device in kubelet.devices[numa] if device != broken]
        node["offline_slots"] = [broken]
    return node


def _ask(rng: Random, kubelet: Kubelet, most: int) -> Ask:
    """What a pod asks for; now and then so much that it needs several NUMA nodes."""
    gpus = rng.choice([0, *range(1, most + 1), *range(1, most + 1)])
    cpus = rng.choice([0, 1, 2, 2, 3, 4])
    if rng.random() < 0.1:
        gpus = min(sum(map(len, kubelet.devices)), max(map(len, kubelet.devices)) + 1)
        cpus = rng.choice([cpus, max(amounts["cpus"] for amounts in kubelet.capacity) + 1])
    if not gpus:
        cpus = max(cpus, 1)
    return {GPUS: gpus, "cpus": cpus, "memory_gib": rng.choice([0, 2, 4, 8])}


def _fill(rng: Random, node: str, kubelet: Kubelet) -> dict[str, Ask]:
    """Admit pods and end some, several times over, so that what is free lies in odd places."""
    asked: dict[str, Ask] = {}
    for number in range(rng.choice([4, 8, 12])):
        name = f"{node}-p{number:02}"
        asked[name] = _ask(rng, kubelet, most=3)
        kubelet.admit(name, asked[name])
        if rng.random() < 0.25 and kubelet.pods:
            kubelet.remove(rng.choice(sorted(kubelet.pods)))
    return asked


def _job(rng: Random, node: str, name: str, held: Held, asked: Ask, kubelet: Kubelet, hides: bool) -> dict[str, Any]:
    pod: dict[str, Any] = {
        "name": name,
        "node": node,
        "resources": {resource: asked[resource] for resource in RESOURCES if asked[resource]},
    }
    homes = {numa for numa in kubelet.numa_nodes for device in held.devices if device in kubelet.devices[numa]}
    hidden = hides and rng.random() < HIDDEN
    if held.devices and not hidden:
        pod["slots"] = sorted(held.devices)
    elif held.devices:
        pod["gpus"] = len(held.devices)
    strays = {numa for parts in held.amounts.values() for numa in parts} - homes
    split = any(len(parts) > 1 for parts in held.amounts.values())
    if len(homes) == 1 and not strays and hidden and rng.random() < 0.4:
        pod["within"] = {"numa": str(*homes)}
    elif not hidden and (split or strays or rng.random() < 0.5):
        pod["domain_resources"] = {"numa": _by_numa(held)}
    priority = rng.choice([1, 2, 3, 5, 5, 20])
    return {"name": f"job-{name}", "priority": priority, "unsaved_seconds": rng.choice([1, 2, 5, 20]), "pods": [pod]}


def _by_numa(held: Held) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for resource, parts in held.amounts.items():
        for numa, amount in parts.items():
            found.setdefault(str(numa), {})[resource] = amount
    return found


def _request(rng: Random, asked: Ask) -> dict[str, Any]:
    island = rng.choice(["node", "node", "node", "numa"])
    return {
        "name": "request",
        "priority": 10,
        "pods": rng.choice([1, 1, 2, 3]),
        "gpus": asked[GPUS],
        "resources": {resource: asked[resource] for resource in RESOURCES if asked[resource]},
        "affinity": {"pod": {"island": island}},
    }
