"""Counted resources of the nodes: what the pods of the request need besides GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ..instance import Instance
from ..jobs import Pod
from ..units import MICRO, micro
from .rules import Rule, Violation
from .site import Site
from .state import State

PODS = "pods"


def asked_resources(instance: Instance) -> dict[str, int]:
    """Return the counted resources that one pod of the request asks for.

    Parameters
    ----------
    instance : Instance
        The decision.

    Returns
    -------
    dict
        Millionths by resource, all above 0; ``pods`` is not among them, every pod uses one.
    """
    amounts = {name: micro(amount) for name, amount in sorted(instance.request.resources.items()) if name != PODS}
    return {name: amount for name, amount in amounts.items() if amount}


def rest_of(site: Site, name: str, staying: tuple[Pod, ...] | None = None) -> int:
    """Return what is left of a resource on a node once the request is there.

    Parameters
    ----------
    site : Site
        The node.
    name : str
        A resource that the request asks for.
    staying : tuple of Pod, optional
        The running pods that stay; default: the kept ones.

    Returns
    -------
    int
        Millionths; negative if it does not suffice.
    """
    kept = site.kept if staying is None else staying
    held = sum(micro(pod.resources[name]) for pod in kept if name in pod.resources)
    asked = micro(site.instance.request.resources.get(name, 0.0)) * len(site.placements)
    return site.shape.resources.get(name, 0) - held - asked


def free_places(site: Site, staying: tuple[Pod, ...] | None = None) -> int:
    """Return how many pods a node could still run once the request is there.

    Parameters
    ----------
    site : Site
        The node.
    staying : tuple of Pod, optional
        The running pods that stay; default: the kept ones.

    Returns
    -------
    int
        Negative if there are too many; 0 where the machine names no number of pods.
    """
    if PODS not in site.shape.resources:
        return 0
    kept = site.kept if staying is None else staying
    return site.shape.resources[PODS] // MICRO - len(kept) - len(site.placements)


def resources_suffice(state: State) -> Iterator[Violation]:
    """On every node used: capacity less what kept pods hold covers what the pods of the request ask for.

    Only resources that the request asks for are looked at; one that the machine does not name is 0.
    """
    asked = asked_resources(state.instance)
    for site in state.sites:
        for name in asked:
            rest = rest_of(site, name)
            if rest < 0:
                text = f"node {site.node.name} lacks {-rest / MICRO} of {name} for {len(site.placements)} pods"
                yield Violation(Rule.NODE_RESOURCES, text)


def nodes_run_few_enough_pods(state: State) -> Iterator[Violation]:
    """Where the machine names ``pods``: kept pods and those of the request are at most so many."""
    for site in state.sites:
        places = free_places(site)
        if places < 0:
            most = site.shape.resources[PODS] // MICRO
            text = f"node {site.node.name} runs at most {most} pods, the plan makes it {most - places}"
            yield Violation(Rule.NODE_PODS, text)
