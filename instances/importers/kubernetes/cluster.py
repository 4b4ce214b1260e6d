"""The cluster of an instance: nodes, their machines each once, their levels, and the labels a request selects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....models.topology import NODE
from ..merge import MachineShelf
from ..notes import Notes
from .fitness import FITS, fit_labels, is_cordoned
from .hosts import Host
from .levels import Levels
from .machine_fields import machine_fields
from .request import Asked
from .settings import Settings


def cluster_of(
    hosts: Mapping[str, Host], levels: Levels, asked: Asked, settings: Settings, notes: Notes
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the cluster, and the request with the labels that it selects nodes by.

    Parameters
    ----------
    hosts : mapping
        Nodes by name.
    levels : Levels
        Where they stand.
    asked : Asked
        The request.
    settings : Settings
        Names of labels and levels.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    cluster, request : dict
        Parts of an instance file.

    Raises
    ------
    ConfigError
        Machines of nodes order their levels differently.
    """
    request = dict(asked.fields)
    fits = fit_labels(hosts, asked, settings, notes)
    # A selection that is no mapping is refused with the whole instance.
    selected = request.get("node_labels", {})
    wanted = [key for key in selected if isinstance(key, str)] if isinstance(selected, dict) else []
    if fits and isinstance(selected, dict):
        request["node_labels"] = {**selected, settings.levels.fit_label: FITS}
    keys = [*settings.levels.keep_labels, *wanted]
    has_nodes = any(host.node is not None for host in hosts.values())
    shelf = MachineShelf()
    nodes: list[dict[str, Any]] = []
    for name, host in hosts.items():
        fields = machine_fields(host, settings, asked.loose, notes)
        node: dict[str, Any] = {"name": name}
        node["machine"] = shelf.place(fields, name=_machine_name(host), levels=host.levels)
        if levels.within[name]:
            node["within"] = dict(levels.within[name])
        labels = {key: host.node.metadata.labels[key] for key in keys if host.node and key in host.node.metadata.labels}
        if fits:
            labels[settings.levels.fit_label] = fits[name]
        if labels:
            node["labels"] = dict(sorted(labels.items()))
        if host.offline:
            node["offline_slots"] = sorted(host.offline)
        if is_cordoned(host, asked, settings, notes, has_nodes=has_nodes):
            node["cordoned"] = True
        nodes.append(node)
    below = shelf.levels_below()
    return {"levels": [*levels.names, NODE, *below], "machines": shelf.machines(), "nodes": nodes}, request


def _machine_name(host: Host) -> str:
    if not host.gpus:
        return "no-gpus"
    if host.known is not None:
        return host.known.name
    return f"{host.gpus}x {host.models[0]}" if host.models else f"{host.gpus} GPUs"
