"""Terminating pods: the plan lists those whose room the request needs, and how long they may take to go."""

from __future__ import annotations

from collections.abc import Iterator

from ..alignment import alignment
from ..jobs import Pod
from ..units import micro
from .doubt import Doubt
from .numa import lack_of_aligned_room
from .resources import PODS, asked_resources, free_places, rest_of
from .rules import Rule, Violation
from .site import Site
from .state import State
from .sums import is_close
from .unknown import lack_of_room


def needed_pods(site: Site) -> set[str]:
    """Return the terminating pods of a node that surely have to go before the request starts.

    Parameters
    ----------
    site : Site
        A node that the request uses.

    Returns
    -------
    set of str
        Holders of slots that are placed, and pods that hold of a resource that is short while they stay.
    """
    needed = {pod.name for pod in site.leaving if set(pod.slots or ()) & set(site.taken)}
    everybody = (*site.kept, *site.leaving)
    for name in asked_resources(site.instance):
        if rest_of(site, name, everybody) < 0:
            needed |= {pod.name for pod in site.leaving if micro(pod.resources.get(name, 0.0))}
    if PODS in site.shape.resources and free_places(site, everybody) < 0:
        needed |= {pod.name for pod in site.leaving}
    return needed


def would_wait(site: Site) -> bool:
    """Return whether the request cannot start on a node before some terminating pod there is gone.

    Parameters
    ----------
    site : Site
        A node that the request uses.

    Returns
    -------
    bool
        True where slots, counted or aligned resources, or the room among pods of unknown placement fall short.
    """
    if not site.leaving:
        return False
    if needed_pods(site):
        return True
    everybody = (*site.kept, *site.leaving)
    aligned = alignment(site.instance, site.node)
    if aligned is not None and aligned.width is not None and site.is_certain:
        return lack_of_aligned_room(site, aligned, everybody) is not None or _lacks_certain_room(site, everybody)
    return _lacks_certain_room(site, everybody)


def _lacks_certain_room(site: Site, everybody: tuple[Pod, ...]) -> bool:
    strangers = tuple(pod for pod in everybody if pod.gpus is not None)
    if not strangers or not site.instance.request.gpus:
        return False
    return lack_of_room(Doubt(site, strangers, tuple(pod for pod in everybody if pod.gpus is None))) is not None


def pods_in_the_way_are_listed(state: State) -> Iterator[Violation]:
    """``waits_for`` lists, sorted, the terminating pods whose slots or room the request needs.

    Where a node falls short while its terminating pods stay, each of them may be listed and those must be that hold
    a placed slot or a resource that is short; on other nodes only pods of unknown placement may be.
    """
    listed = state.plan.waits_for
    if list(listed) != sorted(set(listed)):
        yield Violation(Rule.WAITS_FOR, f"the pods to wait for are not sorted, each once: {list(listed)}")
    may: set[str] = set()
    for site in state.sites:
        if not site.leaving:
            continue
        names, needed = {pod.name for pod in site.leaving}, needed_pods(site)
        waits = would_wait(site)
        may |= names if waits else {pod.name for pod in site.leaving if pod.gpus is not None}
        missing = sorted(needed - set(listed)) or (sorted(names) if waits and not names & set(listed) else [])
        if missing:
            text = f"the request needs room of node {site.node.name} that terminating {missing} hold, not listed"
            yield Violation(Rule.WAITS_FOR, text)
    for name in sorted(set(listed) - may):
        yield Violation(Rule.WAITS_FOR, f"the request does not have to wait for {name}")


def wait_is_the_longest_grace(state: State) -> Iterator[Violation]:
    """``waits_seconds`` is the longest grace period among the pods waited for, 0 where it is not known."""
    listed = set(state.plan.waits_for)
    leaving = {pod.name for site in state.sites for pod in site.leaving} & listed
    jobs = (job for job in state.instance.jobs if job.state == "terminating") if leaving else ()
    periods = [job.grace_seconds or 0.0 for job in jobs if any(pod.name in leaving for pod in job.pods)]
    expected, stated = max(periods, default=0.0), state.plan.waits_seconds
    if not is_close(stated, expected, 1e-6):
        yield Violation(Rule.WAITS_SECONDS, f"the longest grace period waited for is {expected} s, not {stated} s")
