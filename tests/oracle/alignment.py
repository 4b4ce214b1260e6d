"""The kubelet's NUMA rules: which masks may hold a pod of the request and what is left in them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from .world import ONE, Held, Host, World

Mask = tuple[str, ...]


def aligned_level(world: World, host: Host) -> str | None:
    """The level whose domains the kubelet aligns, or None where it does not."""
    if host.fields.topology_policy not in ("restricted", "single-numa-node"):
        return None
    if "numa" in world.levels_below:
        return "numa"
    named = [level for level in host.fields.domain_resources if level in world.levels_below]
    return named[0] if len(named) == 1 else None


def masks(world: World, host: Host) -> list[Mask] | None:
    """Masks of the one width that all aligned resources agree on; empty: refused; None: no rule here."""
    level = aligned_level(world, host)
    asked = aligned_amounts(world, host, level) if level is not None else {}
    if not asked:
        return None
    domains = host.domains(level)
    widths = {_width(host, level, resource, amount) for resource, amount in asked.items()}
    if len(widths) > 1 or None in widths:
        return []
    width = widths.pop()
    if host.fields.topology_policy == "single-numa-node" and width != 1:
        return []
    return list(combinations(sorted(domains), width))


def aligned_amounts(world: World, host: Host, level: str) -> dict[str, int]:
    """What a pod asks for of each aligned resource, `gpus` among them (in whole slots)."""
    named = {name for amounts in host.fields.domain_resources.get(level, {}).values() for name in amounts}
    asked = {name: amount for name, amount in world.asked.items() if name in named}
    return asked | ({"gpus": world.request.gpus} if world.request.gpus else {})


def _width(host: Host, level: str, resource: str, amount: int) -> int | None:
    domains = host.domains(level)
    if resource == "gpus":
        capacities = [len(slots & host.online) for slots in domains.values()]
    else:
        capacities = [_capacity(host, level, name, resource) for name in domains]
    capacities.sort(reverse=True)
    for width in range(1, len(capacities) + 1):
        if sum(capacities[:width]) >= amount:
            return width
    return None


def _capacity(host: Host, level: str, domain: str, resource: str) -> int:
    amounts = host.fields.domain_resources.get(level, {}).get(domain, {})
    return round(Fraction(str(amounts.get(resource, 0))) * ONE)


def left_in_mask(world: World, host: Host, mask: Mask, resource: str, gone: Iterable[str]) -> Fraction:
    """What kept pods leave of an aligned resource in the domains of a mask, in millionths."""
    level = aligned_level(world, host)
    left = Fraction(sum(_capacity(host, level, domain, resource) for domain in mask))
    return left - sum(_used(host, level, mask, resource, pod) for pod in host.kept(gone))


def _used(host: Host, level: str, mask: Mask, resource: str, pod: Held) -> Fraction:
    stated = pod.domain_resources.get(level, {})
    if any(resource in amounts for amounts in stated.values()):
        return Fraction(sum(pod.domain_resources[level].get(domain, {}).get(resource, 0) for domain in mask))
    amount = Fraction(pod.resources.get(resource, 0))
    if level in pod.within:
        return amount if pod.within[level] in mask else Fraction(0)
    if not pod.slots:
        return amount
    return amount * len(slots_of(host, level, mask) & set(pod.slots)) / len(pod.slots)


def slots_of(host: Host, level: str, mask: Mask) -> frozenset[int]:
    """The slots of all domains of a mask."""
    return frozenset(slot for domain in mask for slot in host.domains(level)[domain])
