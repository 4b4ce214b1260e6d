"""The kubelet's topology manager: restricted and single-numa-node."""

from __future__ import annotations

from typing import Any

from builders import drawn
from oracle.micro.cases import NO, best, case


def aligned(text: str, cpus: tuple[float, ...], jobs: dict[str, Any], request: dict[str, Any], policy: str) -> Any:
    """One node with its NUMA domains and their cores."""
    fields = {
        "topology_policy": policy,
        "resources": {"cpus": sum(cpus)},
        "domain_resources": {"numa": {str(number): {"cpus": amount} for number, amount in enumerate(cpus)}},
    }
    if "|" not in text:
        fields["domains"] = {"numa": {"0": list(range(len(text)))}}
    return drawn({"n1": text}, jobs, request, node_fields={"n1": fields})


def asks(gpus: int, cpus: float, **more: Any) -> dict[str, Any]:
    return {"gpus": gpus, "resources": {"cpus": cpus}, **more}


# Two free slots, one a domain: a single domain is asked of the kubelet, so a (domain 0) goes at 5.
case("one domain", aligned(".a|.h", (4, 4), {"a": 5, "h": 100}, asks(2, 1), "single-numa-node"), best("a@n1", 5))
case("no policy, no rule", aligned(".a|.h", (4, 4), {"a": 5, "h": 100}, asks(2, 1), "none"), best("", 0))
# Best-effort admits anything.
case("best-effort admits", aligned(".a|.h", (4, 4), {"a": 5, "h": 100}, asks(2, 1), "best-effort"), best("", 0))
# 3 GPUs need 2 of the domains of two: restricted admits two domains if the cores need two as well (5 of 4 + 4).
case("restricted to two domains", aligned("..|..", (4, 4), {}, asks(3, 5), "restricted"), best("", 0))
# 3 cores fit one domain, 3 GPUs need two: no mask is minimal for both.
case("minimal widths differ", aligned("..|..", (4, 4), {}, asks(3, 3), "restricted"), NO)
case("two domains are not one", aligned("..|..", (4, 4), {}, asks(3, 5), "single-numa-node"), NO)
# The width comes from capacity, not from what is free: 2 GPUs fit one domain in principle, so one domain it is.
case("the width comes from capacity", aligned(".h|.h", (4, 4), {"h": 100}, asks(2, 1), "restricted"), NO)
# Offline slots are no capacity: then two GPUs need both domains, but 1 core needs one.
case("offline slots widen the mask", aligned(".x|.x", (4, 4), {}, asks(2, 1), "restricted"), NO)
case("with cores for two it fits", aligned(".x|.x", (4, 4), {}, asks(2, 5), "restricted"), best("", 0))
# b's 4 cores sit with its slot in domain 1; domain 1 is spent, domain 0 needs a (G = max(1, 1 * 4/8)).
HELD = {
    "a": {"priority": 5, "pods": [{"name": "a", "node": "n1", "slots": [0], "resources": {"cpus": 1}}]},
    "b": {"priority": 100, "pods": [{"name": "b", "node": "n1", "slots": [3], "resources": {"cpus": 4}}]},
}
case(
    "cores are the domain's",
    aligned("..|..", (4, 4), HELD, asks(1, 4), "restricted"),
    best("a", 5),
)
# The same b says that its cores sit in domain 0: then domain 1 has four.
MOVED = {"b": {"priority": 100, "pods": [HELD["b"]["pods"][0] | {"domain_resources": {"numa": {"0": {"cpus": 4}}}}]}}
case("a pod may say where its cores sit", aligned("..|..", (4, 4), MOVED, asks(1, 4), "restricted"), best("", 0))
# A pod without slots may sit anywhere: 2 cores are missing in either domain, though only one can be short.
CPU_ONLY = {"c": {"priority": 7, "pods": [{"name": "c", "node": "n1", "resources": {"cpus": 2}}]}}
# G of c: 2 * 4 / 8 = 1.
case("an unknown domain counts in all", aligned("..|..", (4, 4), CPU_ONLY, asks(1, 3), "restricted"), best("c", 7))
# Slots of both domains: 4 cores split 2 and 2; domain 0 keeps 2.
BOTH = {"d": {"priority": 100, "pods": [{"name": "d", "node": "n1", "slots": [1, 3], "resources": {"cpus": 4}}]}}
case("cores split with the slots", aligned("..|..", (4, 4), BOTH, asks(1, 2), "restricted"), best("", 0))
case("and no more than the rest", aligned("..|..", (4, 4), BOTH, asks(1, 3), "restricted"), NO)
# Two pods, one domain each, or both in one as far as its cores go: 3 cores each, 4 a domain.
case("two pods in two domains", aligned("..|..", (4, 4), {}, asks(1, 3, pods=2), "restricted"), best("", 0))
case("not three", aligned("..|..", (4, 4), {}, asks(1, 3, pods=3), "restricted"), NO)
# A pod of two domains is alone on its node.
case("one wide pod a node", aligned("....|....", (8, 8), {}, asks(5, 9, pods=1), "restricted"), best("", 0))
case("never two", aligned("...|...", (4, 4), {}, {"gpus": 0, "pods": 2, "resources": {"cpus": 4.5}}, "restricted"), NO)
# A domain of cores only: 3 domains, GPUs in two; the pod's cores must come from the mask of its slot.
case("cores elsewhere do not help", aligned(".|.|", (1, 1, 8), {}, asks(1, 2), "single-numa-node"), NO)
# Without GPUs the domain of cores serves.
case("a request without GPUs", aligned(".|.|", (1, 1, 8), {}, asks(0, 5), "single-numa-node"), best("", 0))
