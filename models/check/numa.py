"""NUMA alignment: whether the kubelet's topology manager would admit the pods of the request where they land."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from fractions import Fraction

from ..alignment import Alignment, alignment, domain_holdings
from ..jobs import Pod
from .rules import Rule, Violation
from .site import Site
from .state import State


def masks_can_be_admitted(state: State) -> Iterator[Violation]:
    """A node that aligns has one minimal width for GPUs and all aligned resources; 1 under ``single-numa-node``."""
    for site in state.sites:
        aligned = alignment(state.instance, site.node)
        if aligned is not None and aligned.width is None:
            policy = site.shape.topology_policy
            text = f"node {site.node.name} ({policy}) admits no set of {aligned.level} domains for a pod of the request"
            yield Violation(Rule.NUMA_WIDTH, text)


def pods_fit_into_masks(state: State) -> Iterator[Violation]:
    """A pod's slots and aligned resources lie in one mask of the minimal width with enough left for it.

    Wider masks than one domain serve at most one pod of the request on a node. Where slots are not certain, the
    rule of unknown placement looks at the masks.
    """
    for site in state.sites:
        aligned = alignment(state.instance, site.node)
        if aligned is not None and aligned.width is not None and site.is_certain:
            problem = lack_of_aligned_room(site, aligned, site.kept)
            if problem is not None:
                yield Violation(Rule.NUMA_ROOM, problem)


def lack_of_aligned_room(site: Site, aligned: Alignment, staying: tuple[Pod, ...]) -> str | None:
    """Return why the masks of a node cannot serve the pods of the request that land there.

    Parameters
    ----------
    site : Site
        The node; where slots are certain.
    aligned : Alignment
        How it aligns; of some width.
    staying : tuple of Pod
        The running pods that stay.

    Returns
    -------
    str or None
        One sentence; None if they serve.
    """
    node, level = site.node.name, aligned.level
    if aligned.width != 1 and len(site.placements) > 1:
        return f"node {node}: a pod needs {aligned.width} {level} domains, so only one fits, not {len(site.placements)}"
    room = Room(site, aligned, staying)
    if not site.instance.request.gpus:
        most = sum(room.pods((domain,)) for domain in aligned.domains) if aligned.width == 1 else 1
        fits = any(room.pods(mask) for mask in aligned.masks())
        if fits and most >= len(site.placements):
            return None
        return f"node {node}: its {level} domains have aligned resources for {most if fits else 0} pods of the request"
    used: Counter[tuple[str, ...]] = Counter()
    for placement in site.placements:
        touched = {site.shape.domain_of(level, slot) for slot in placement.slots or ()}
        mask = next((mask for mask in aligned.masks() if touched <= set(mask) and room.pods(mask)), None)
        if mask is None:
            where = f"no {aligned.width} {level} domains of node {node} that hold {sorted(touched)}"
            return f"pod {placement.pod}: {where} have room for its aligned resources"
        used[mask] += 1
    for mask, pods in used.items():
        if pods > room.pods(mask):
            return f"node {node}: {level} domains {list(mask)} have room for {room.pods(mask)} pods, not {pods}"
    return None


class Room:
    """What the domains of an aligned level have left for pods of the request.

    Parameters
    ----------
    site : Site
        The node.
    aligned : Alignment
        How it aligns.
    staying : collection of Pod
        The running pods that stay. One whose domains are not known burdens every mask in full.
    """

    def __init__(self, site: Site, aligned: Alignment, staying: Collection[Pod]) -> None:
        self._amounts = aligned.amounts
        self._most = max(1, len(site.placements))
        given = site.shape.domain_resources.get(aligned.level, {})
        self._left = {
            domain: {name: Fraction(given.get(domain, {}).get(name, 0)) for name in aligned.amounts}
            for domain in aligned.domains
        }
        self._anywhere = dict.fromkeys(aligned.amounts, 0)
        for pod in staying if aligned.amounts else ():
            holdings = domain_holdings(site.instance, pod, aligned.level)
            for name in self._anywhere:
                self._anywhere[name] += holdings.anywhere.get(name, 0)
                for domain, amounts in holdings.by_domain.items():
                    self._left[domain][name] -= amounts.get(name, 0)

    def pods(self, mask: tuple[str, ...]) -> int:
        """Return how many pods of the request the aligned resources of a mask serve.

        Parameters
        ----------
        mask : tuple of str
            Domains.

        Returns
        -------
        int
            At most the number that land on the node; 0 if there is no room.
        """
        most = self._most
        for name, amount in self._amounts.items():
            left = sum(self._left[domain][name] for domain in mask) - self._anywhere[name]
            most = min(most, max(0, int(left // amount)))
        return most
