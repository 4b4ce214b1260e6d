"""Which terminating pods the request has to wait for."""

from __future__ import annotations

from ...models.check.state import look
from ...models.check.waits import needed_pods, would_wait
from ...models.instance import Instance
from ...models.plan import Plan


def with_waits(instance: Instance, plan: Plan) -> Plan:
    """Return a plan with the terminating pods that it waits for and the longest grace period among them.

    Parameters
    ----------
    instance : Instance
        The decision.
    plan : Plan
        Its placements and victims are final.

    Returns
    -------
    Plan
        Pods count that hold a placed slot or a resource that is short
        while they stay; where only room in islands or NUMA nodes is short, every terminating pod of the node.
    """
    names: set[str] = set()
    for site in look(instance, plan).sites:
        if would_wait(site):
            names |= needed_pods(site) or {pod.name for pod in site.leaving}
    grace = [instance.pods_by_name[name][0].grace_seconds or 0.0 for name in names]
    return plan.model_copy(update={"waits_for": tuple(sorted(names)), "waits_seconds": max(grace, default=0.0)})
