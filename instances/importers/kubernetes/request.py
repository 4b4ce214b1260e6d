"""The waiting workload as the request of an instance: how many equal pods, of what size, of what priority."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ....models import InstanceError, Problem
from ....models.base import shown
from ....models.document import load_document
from ..notes import Notes
from .claims import PodClaims
from .core_objects import Pod
from .effective import effective_requests, unpinned
from .holdings import ONE, gpu_ask
from .hosts import Host
from .machine_fields import plain_amounts
from .objects import Resources
from .priorities import may_preempt, priority_of
from .settings import Settings
from .state import State
from .waiting import Waiting

ALL_DEVICES = "All"


@dataclass(frozen=True)
class Asked:
    """The request, and what an instance does not keep of it.

    Attributes
    ----------
    fields : dict
        The request of an instance file, without affinity.
    pod : Pod or None
        A pod of it, whose taints and affinity decide where it may go; None for a request in our own format.
    resources : frozenset of str
        The GPU resources that it asks for by name.
    by_claim : bool
        Whether it asks for GPUs by claim.
    attributes : tuple of str
        Attributes that the devices of a pod must have in common.
    loose : tuple of str
        Resources that the kubelet does not align for it.
    pods : frozenset of str
        Its pods.
    """

    fields: dict[str, Any]
    pod: Pod | None = None
    resources: frozenset[str] = frozenset()
    by_claim: bool = False
    attributes: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    pods: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class _Size:
    gpus: int
    share: Decimal
    resources: Resources


def asked_of(
    waiting: Waiting,
    state: State,
    hosts: Mapping[str, Host],
    claims: PodClaims,
    settings: Settings,
    notes: Notes,
) -> Asked:
    """Return a waiting workload as a request.

    Parameters
    ----------
    waiting : Waiting
        The workload.
    state : State
        For the priority classes.
    hosts : mapping
        Nodes by name, for GPUs that are shared in time.
    claims : PodClaims
        What its pods ask for by claim.
    settings : Settings
        Names of labels and resources.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    Asked
        Pods of the same size; members without GPUs beside members with GPUs are left out.

    Raises
    ------
    InstanceError
        Members that ask for different numbers of GPUs, or for what a request cannot say.
    """
    pieces = _pieces(hosts, notes)
    sizes = {pod.key: _size(pod, pieces, claims, settings) for pod in waiting.pods}
    members = [pod for pod in waiting.pods if sizes[pod.key].gpus]
    for pod in waiting.pods if members else ():
        if not sizes[pod.key].gpus:
            notes.of(pod.key, "Members of the request without GPUs: left out.")
    members = members or list(waiting.pods)
    left_out = len(waiting.pods) - len(members)
    first = members[0]
    for pod in members:
        if (sizes[pod.key].gpus, sizes[pod.key].share) != (sizes[first.key].gpus, sizes[first.key].share):
            expected = f"as many GPUs as {first.key}: the pods of a request are equal"
            raise pod.mistake("spec.containers", f"{sizes[pod.key].gpus} GPUs", expected)
    resources: Resources = {}
    for pod in members:
        for name, amount in sizes[pod.key].resources.items():
            resources[name] = max(resources.get(name, Decimal(0)), amount)
    if any(sizes[pod.key].resources != resources for pod in members):
        notes.say("The pods of the request ask for different resources: the most of each counts for all.")
    _note_unsaid(members, notes)
    priorities = {priority_of(pod, state, settings.jobs, notes) for pod in members}
    if len(priorities) > 1:
        notes.say("The pods of the request have several priorities: the lowest counts.")
    fields: dict[str, Any] = {"name": waiting.name, "priority": min(priorities)}
    if not all(may_preempt(pod, state) for pod in members):
        fields["may_preempt"] = False
    if waiting.missing:
        notes.say(
            f"The gang of the request has {waiting.missing} pods that are not made yet: taken to be like the others."
        )
    count = len(members) + waiting.missing
    fewest = count if waiting.fewest is None else min(count, max(1, waiting.fewest - left_out))
    if count > 1:
        fields["pods"] = count
    if fewest < count:
        fields["min_pods"] = fewest
    size = sizes[first.key]
    fields["gpus"] = size.gpus
    if size.gpus and size.share != ONE:
        fields["share"] = float(size.share)
    if first.spec.node_selector:
        fields["node_labels"] = dict(sorted(first.spec.node_selector.items()))
    plain = plain_amounts(resources, None, settings.devices)
    if plain:
        fields["resources"] = plain
    devices = settings.devices
    return Asked(
        fields=fields,
        pod=first,
        resources=frozenset(name for name in resources if name in (*devices.gpu_resources, *devices.shared_resources)),
        by_claim=bool(_claim_requests(first, claims)),
        attributes=_attributes(first, claims),
        loose=unpinned(first),
        pods=frozenset(pod.key for pod in waiting.pods),
    )


def _pieces(hosts: Mapping[str, Host], notes: Notes) -> int:
    pieces = {host.pieces for host in hosts.values() if host.gpus}
    if len(pieces) > 1:
        notes.say("Some nodes share GPUs in time and some do not: the request is taken to need whole GPUs.")
    return next(iter(pieces)) if len(pieces) == 1 else 1


def _size(pod: Pod, pieces: int, claims: PodClaims, settings: Settings) -> _Size:
    resources = effective_requests(pod)
    ask = gpu_ask(pod, resources, pieces, settings.devices)
    claimed = sum(_claim_requests(pod, claims))
    if claimed and ask.gpus and ask.share != ONE:
        raise pod.mistake("spec.resourceClaims", claimed, "whole GPUs by claim or parts of GPUs, not both")
    if ask.gpus + claimed > 4096:
        raise pod.mistake("spec.resourceClaims", ask.gpus + claimed, "at most 4096 GPUs a pod")
    return _Size(ask.gpus + claimed, ask.share if ask.gpus else ONE, resources)


def _claim_requests(pod: Pod, claims: PodClaims) -> list[int]:
    counts: list[int] = []
    for spec in claims.asked(pod):
        for request in claims.of_gpus(spec):
            if request.asked.allocation_mode == ALL_DEVICES:
                raise pod.mistake("spec.resourceClaims", ALL_DEVICES, "claims of a number of GPUs (ExactCount)")
            if request.asked.selectors:
                claims.notes.of(pod.key, "Claims that select devices by expressions: these are not evaluated.")
            if request.exactly is None and len(request.first_available) > 1:
                claims.notes.of(pod.key, "Claims with several choices: the first counts.")
            counts.append(request.asked.count)
    return counts


def _attributes(pod: Pod, claims: PodClaims) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for spec in claims.asked(pod):
        names = {request.name for request in claims.of_gpus(spec)}
        for constraint in spec.devices.constraints:
            if not constraint.requests or names <= set(constraint.requests):
                found[constraint.match_attribute] = None
            elif names & set(constraint.requests):
                claims.notes.of(pod.key, "Claims with a constraint on some of their GPUs only: passed over.")
    return tuple(found)


def _note_unsaid(members: list[Pod], notes: Notes) -> None:
    """Say what of the request's rules an instance cannot hold."""
    first = members[0].spec
    for pod in members:
        spec = pod.spec
        if (spec.node_selector, spec.affinity, spec.tolerations) != (
            first.node_selector,
            first.affinity,
            first.tolerations,
        ):
            notes.of(pod.key, f"Members of the request with other selectors or tolerations than {members[0].key}'s.")
        affinity = spec.affinity
        if affinity is not None and any(
            terms is not None and terms.required for terms in (affinity.pod_affinity, affinity.pod_anti_affinity)
        ):
            notes.of(pod.key, "Members of the request with required affinity to other pods: not modelled.")
        if any(line.when_unsatisfiable == "DoNotSchedule" for line in spec.topology_spread_constraints):
            notes.of(pod.key, "Members of the request that must spread: not modelled.")
        if any(volume.persistent_volume_claim is not None for volume in spec.volumes):
            notes.of(pod.key, "Members of the request with volume claims: where the volumes are is not modelled.")
        if spec.scheduling_gates:
            notes.of(pod.key, "Members of the request with scheduling gates: taken to be open.")


def placeholder(priority: int, notes: Notes) -> Asked:
    """Return a request for one GPU, for data in which nothing waits.

    Parameters
    ----------
    priority : int
        Its priority.
    notes : Notes
        Told that it is made up.

    Returns
    -------
    Asked
        One pod with one GPU.
    """
    notes.say("Nothing waits in the data: the request is made up, one pod with one GPU. Edit it before you solve.")
    return Asked({"name": "request", "priority": priority, "gpus": 1})


def own_format(file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the request that a file gives in our own format.

    Parameters
    ----------
    file : str
        The fields of a request; or a mapping with ``request`` and, if wanted, ``policy``.

    Returns
    -------
    request, policy : dict
        Checked later with the whole instance; the policy is empty if the file has none.

    Raises
    ------
    InstanceError
        The file is neither.
    """
    data = load_document(file)
    policy: Any = {}
    if isinstance(data, dict) and "request" in data:
        unknown = sorted(str(key) for key in set(data) - {"request", "policy", "format", "comment"})
        if unknown:
            raise InstanceError([Problem(unknown[0], "", "request and policy, and nothing else")], source=file)
        data, policy = data["request"], data.get("policy") or {}
    for what, part in (("request", data), ("policy", policy)):
        if not isinstance(part, dict):
            raise InstanceError([Problem(what, shown(part), "a mapping of fields")], source=file)
    return dict(data), dict(policy)
