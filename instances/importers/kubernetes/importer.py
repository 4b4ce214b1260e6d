"""From files of Kubernetes objects to an instance: the story of an import, one step after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from ....models import ConfigError, Instance, InstanceError, Problem
from ....models.instance import FORMAT
from ..merge import MachineRules, unused_rules
from ..notes import Notes
from .budgets import add_budgets
from .claims import PodClaims
from .closeness import Closeness, affinity_of, closeness_of
from .cluster import cluster_of
from .core_objects import Node, Pod
from .device_objects import ResourceSlice
from .holdings import Holding, holdings
from .hosts import Host, build_host
from .inventories import inventories
from .levels import find_levels
from .listings import Listings, read_listings
from .numa import numa_facts
from .pod_scope import scope_of_pod
from .request import Asked, asked_of, own_format, placeholder
from .reservations import nominations
from .running import running_jobs
from .settings import Settings
from .state import Progress, State, read_state
from .topology_objects import Device, NodeResourceTopology
from .unlisted import unlisted_jobs
from .waiting import Waiting, chosen, waiting_workloads


@dataclass(frozen=True)
class Options:
    """What the user says besides the files.

    Attributes
    ----------
    request : str or None
        ``namespace/name`` of the waiting pod or group; None: the only one, or a made-up one.
    request_file : str or None
        A file with a request in our own format, whole or, with ``request``, what it says otherwise.
    island : str or None
        ``ISLAND`` or ``ISLAND:MODE`` of one pod of the request.
    now : datetime or None
        The moment that ages count to; None: the newest in the data.
    devices : tuple of str
        ``FILE`` or ``NODE=FILE`` with GPUs of pods or nodes.
    machines : MachineRules
        What is known of the machines of nodes.
    settings : Settings
        Names of labels, annotations and resources.
    """

    request: str | None = None
    request_file: str | None = None
    island: str | None = None
    now: datetime | None = None
    devices: tuple[str, ...] = ()
    machines: MachineRules = field(default_factory=MachineRules)
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True)
class Imported:
    """An instance, and what was assumed to make it.

    Attributes
    ----------
    instance : Instance
        Validated as a whole; its comment holds the assumptions too.
    assumptions : tuple of str
        One sentence each.
    """

    instance: Instance
    assumptions: tuple[str, ...]


def import_kubernetes(
    files: Sequence[str | Path], options: Options | None = None, progress: Progress | None = None
) -> Imported:
    """Turn what ``kubectl get … -o json`` (or yaml) printed into an instance.

    Parameters
    ----------
    files : sequence of str or Path
        JSON or YAML with lists, single objects or several documents; ``-`` is standard input.
    options : Options, optional
        What the user says besides.
    progress : callable, optional
        Told what is being done, and which part of it is done, from 0 to 1.

    Returns
    -------
    Imported
        The same files and options always give the same instance, in whatever order the objects stand.

    Raises
    ------
    InstanceError
        A file that cannot be read, with path and value of what is broken.
    ConfigError
        Options that fit neither each other nor the data.
    """
    options = options or Options()
    settings, notes = options.settings, Notes()
    state = read_state(files, notes, progress)
    listings = read_listings(options.devices, settings.devices)
    pods = _bound_pods(state, settings, notes)
    nodes = _node_names(state, pods, listings)
    units = waiting_workloads(state, settings)
    waiting = None
    if options.request or not options.request_file:
        waiting = chosen(units, state, options.request, settings, notes)
    closeness = Closeness() if waiting is None else closeness_of(waiting, state, settings.request, notes)
    hosts = _hosts(state, nodes, listings, options, notes)
    claims = PodClaims.of(state, settings.devices, notes)
    if progress is not None:
        progress("placing pods", 0.0)
    held = holdings(pods, hosts, claims, listings, settings, notes)
    _widen(hosts, pods, held, settings, notes)
    levels = find_levels(state, nodes, settings.levels, notes, hierarchy=closeness.hierarchy, asked=closeness.labels())
    asked, policy = _asked(waiting, state, hosts, claims, options, notes)
    moment = options.now or state.newest
    jobs = running_jobs(pods, held, hosts, state, moment, settings, notes)
    budgets = add_budgets(jobs, pods, state, notes)
    jobs += unlisted_jobs(hosts, pods, held, claims, _priority(asked), settings, notes)
    reservations = nominations(state, hosts, claims, asked.pods, str(asked.fields.get("name", "")), settings, notes)
    cluster, request = cluster_of(hosts, levels, asked, settings, notes)
    affinity = {} if waiting is None else affinity_of(closeness, waiting.pods[0], levels, notes)
    own = asked.fields.get("affinity", {})
    scope = scope_of_pod(asked, cluster["levels"], options.island, settings, notes)
    if scope is not None:
        affinity["pod"] = scope
    if isinstance(own, dict) and (affinity or own):
        # What the user says outweighs what the workload says; an option outweighs a file.
        request["affinity"] = {**affinity, **own, **({"pod": scope} if options.island and scope else {})}
    for sentence in unused_rules(options.machines, nodes):
        notes.say(sentence)
    if progress is not None:
        progress("checking the instance", 0.0)
    lines = (_summary(state, len(nodes), len(pods), len(units), moment), *notes.lines())
    document = {
        "format": FORMAT,
        "comment": list(lines),
        "cluster": cluster,
        "jobs": jobs,
        "budgets": budgets,
        "reservations": reservations,
        "request": request,
        "policy": policy,
    }
    source = options.request_file or "the imported instance"
    return Imported(Instance.parse(document, source=source), lines)


def _bound_pods(state: State, settings: Settings, notes: Notes) -> dict[str, Pod]:
    found: dict[str, Pod] = {}
    for key, pod in state.pods.items():
        if pod.metadata.namespace in settings.jobs.ignored_namespaces:
            notes.of(key, "Pods of namespaces that only stand for other pods are passed over.")
        elif pod.is_bound:
            found[key] = pod
    return found


def _node_names(state: State, pods: Mapping[str, Pod], listings: Listings) -> dict[str, Node | None]:
    described: dict[str, Node | None] = dict.fromkeys(state.of(NodeResourceTopology))
    described |= dict.fromkeys(name for name in _inventoried(state))
    described |= state.of(Node)
    if not described:
        expected = "at least one Node (kubectl get nodes,pods --all-namespaces -o json), or objects that describe nodes"
        raise InstanceError([Problem("", "no node", expected)], source="import kubernetes")
    for name in listings.gpus:
        if name not in described:
            raise ConfigError(f"--devices {name}=…: no node of this name is in the data")
    for pod in pods.values():
        described.setdefault(pod.spec.node_name or "", None)
    return dict(sorted(described.items()))


def _inventoried(state: State) -> Iterable[str]:
    yield from state.of(Device)
    yield from (item.spec.node_name for item in state.of(ResourceSlice).values() if item.spec.node_name)


def _hosts(
    state: State, nodes: Mapping[str, Node | None], listings: Listings, options: Options, notes: Notes
) -> dict[str, Host]:
    settings = options.settings
    levels = (settings.levels.numa_level, settings.levels.pcie_level, settings.levels.socket_level)
    found = {**listings.gpus, **inventories(state, settings.devices, levels, notes)}
    facts = {name: numa_facts(item, settings.devices, notes) for name, item in state.of(NodeResourceTopology).items()}
    return {
        name: build_host(name, node, facts.get(name), found.get(name), options.machines, settings, notes)
        for name, node in nodes.items()
    }


def _widen(
    hosts: Mapping[str, Host], pods: Mapping[str, Pod], held: Mapping[str, Holding], settings: Settings, notes: Notes
) -> None:
    total: dict[str, Decimal] = {}
    for key, holding in held.items():
        name = pods[key].spec.node_name or ""
        total[name] = total.get(name, Decimal(0)) + holding.gpus * holding.share
        if hosts[name].gpus < holding.gpus and holding.share < 1:
            total[name] = max(total[name], Decimal(holding.gpus))
    for name, amount in total.items():
        host = hosts[name]
        if host.widen(amount, settings.levels.numa_level):
            notes.of(name, "Nodes whose pods hold more GPUs than they have: offline slots were added for these.")
        if amount > host.gpus:
            expected = f"no more than the {host.gpus} GPUs of the node"
            raise InstanceError([Problem(f"node {name}", f"pods that hold {float(amount):g} GPUs", expected)])


def _asked(
    waiting: Waiting | None, state: State, hosts: Mapping[str, Host], claims: PodClaims, options: Options, notes: Notes
) -> tuple[Asked, dict[str, Any]]:
    own, policy = own_format(options.request_file) if options.request_file else ({}, {})
    if waiting is not None:
        asked = asked_of(waiting, state, hosts, claims, options.settings, notes)
    elif own:
        asked = Asked({})
    else:
        highest = max((pod.spec.priority or 0 for pod in state.pods.values()), default=0)
        asked = placeholder(highest + 1, notes)
    return replace(asked, fields={**asked.fields, **own}), policy


def _priority(asked: Asked) -> int:
    priority = asked.fields.get("priority")
    return priority if type(priority) is int else 0


def _summary(state: State, nodes: int, pods: int, waiting: int, moment: datetime | None) -> str:
    finished = sum(pod.is_finished for pod in state.pods.values())
    when = moment.isoformat().replace("+00:00", "Z") if moment is not None else "unknown"
    return (
        f"Imported from Kubernetes as of {when}; nodes: {nodes}; pods that hold room: {pods}; "
        f"finished pods, left out: {finished}; waiting workloads: {waiting}."
    )
