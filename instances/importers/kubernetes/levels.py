"""Levels above node: which there are, which labels or HyperNodes they come from, and where every node stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ....models import ConfigError
from ....models.topology import NODE, RESERVED_LEVELS
from ..notes import Notes
from .core_objects import Node
from .hypernodes import tier_level, tiers
from .level_settings import LevelSettings
from .quantities import count_in
from .state import State
from .topology_objects import HyperNode, Topology

TIER_SOURCE: Final = "hypernode:"


@dataclass(frozen=True)
class Levels:
    """Where nodes stand.

    Attributes
    ----------
    names : tuple of str
        Levels above node, broadest first.
    within : mapping
        Node, level: domain; absent where the node has none.
    of_label : mapping
        Node label to level, for the affinity of requests; labels of the host name mean ``node``.
    of_tier : mapping
        Tier of a HyperNode to level.
    """

    names: tuple[str, ...]
    within: Mapping[str, Mapping[str, str]]
    of_label: Mapping[str, str]
    of_tier: Mapping[int, str]


@dataclass(frozen=True)
class _Level:
    name: str
    labels: tuple[str, ...] = ()
    tier: int | None = None


def find_levels(
    state: State,
    nodes: Mapping[str, Node | None],
    settings: LevelSettings,
    notes: Notes,
    *,
    hierarchy: str | None = None,
    asked: Iterable[str] = (),
) -> Levels:
    """Find the levels above node.

    Parameters
    ----------
    state : State
        All objects.
    nodes : mapping
        Node names with their objects.
    settings : LevelSettings
        Levels as options name them, or how to find them.
    notes : Notes
        Told what was found.
    hierarchy : str, optional
        The Topology object that the request names.
    asked : iterable of str
        Labels that the request wants its pods to share; levels of them are added when levels are found.

    Returns
    -------
    Levels
        By the first of these that is there: the settings, a Topology object, HyperNodes, well-known labels.

    Raises
    ------
    InstanceError
        HyperNodes that are no tree.
    ConfigError
        A level of a reserved name, a tier that does not exist, several Topology objects and no choice.
    """
    hypernodes = state.of(HyperNode)
    by_tier = tiers(hypernodes, nodes)
    if settings.levels:
        levels = [_given(name, source, by_tier) for name, source in settings.levels.items()]
    else:
        levels = _found(state, nodes, settings, by_tier, hierarchy, notes)
        covered = {label for level in levels for label in level.labels} | set(settings.hostname_labels)
        levels += [
            _Level(_level_name(label, settings), (label,)) for label in dict.fromkeys(asked) if label not in covered
        ]
    for level in levels:
        if level.name in (*RESERVED_LEVELS, NODE):
            raise ConfigError(f"level {level.name} ({_source_of(level)}): the name is taken; give another by --level")
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise ConfigError(f"levels {', '.join(names)}: two have the same name; name them by --level NAME=LABEL")
    stands = {
        level.name: by_tier[level.tier] if level.tier is not None else _by_label(nodes, level.labels)
        for level in levels
    }
    if not settings.levels:
        levels = _nested(levels, stands)
        if levels:
            spelled = ", ".join(f"{level.name} ({_source_of(level)})" for level in levels)
            notes.say(f"Levels above node, found in the data, broadest first: {spelled}.")
    order = [level.name for level in levels]
    _note_gaps(order, stands, nodes, notes)
    return Levels(
        names=tuple(order),
        within={node: {name: stands[name][node] for name in order if node in stands[name]} for node in nodes},
        of_label={
            **dict.fromkeys(settings.hostname_labels, NODE),
            **{label: level.name for level in levels for label in level.labels},
        },
        of_tier={level.tier: level.name for level in levels if level.tier is not None},
    )


def _given(name: str, source: str, by_tier: Mapping[int, Mapping[str, str]]) -> _Level:
    if not source.startswith(TIER_SOURCE):
        return _Level(name, (source,))
    number = count_in(source.removeprefix(TIER_SOURCE), 0, 1000)
    if number is None or number not in by_tier:
        known = ", ".join(map(str, by_tier)) or "none"
        raise ConfigError(f"level {name}={source}: no HyperNode has this tier; tiers in the data: {known}")
    return _Level(name, tier=number)


def _found(
    state: State,
    nodes: Mapping[str, Node | None],
    settings: LevelSettings,
    by_tier: Mapping[int, Mapping[str, str]],
    hierarchy: str | None,
    notes: Notes,
) -> list[_Level]:
    topology = _hierarchy(state.of(Topology), settings.hierarchy or hierarchy)
    if topology is not None:
        levels = [
            _Level(line.alias or _level_name(line.node_label, settings), (line.node_label,))
            for line in topology.spec.levels
            if line.node_label not in settings.hostname_labels
        ]
        if any(_by_label(nodes, level.labels) for level in levels):
            return levels
        notes.say(f"No node carries a label of Topology {topology.key}: its levels are passed over.")
    if by_tier:
        return [_Level(tier_level(tier, state.of(HyperNode)), tier=tier) for tier in by_tier]
    return [_Level(known.level, labels) for known in settings.known_levels if (labels := _carried(nodes, known.labels))]


def _hierarchy(topologies: Mapping[str, Topology], name: str | None) -> Topology | None:
    if name is not None:
        if name not in topologies:
            known = ", ".join(topologies) or "none"
            raise ConfigError(f"Topology {name}: not in the data; there: {known}")
        return topologies[name]
    if len(topologies) > 1:
        raise ConfigError(f"several Topology objects ({', '.join(topologies)}): choose one by --hierarchy NAME")
    return next(iter(topologies.values()), None)


def _level_name(label: str, settings: LevelSettings) -> str:
    known = next((known.level for known in settings.known_levels if label in known.labels), None)
    return known or label.rpartition("/")[2].removeprefix("topology-") or label


def _by_label(nodes: Mapping[str, Node | None], labels: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, node in nodes.items():
        value = next((node.metadata.labels[key] for key in labels if node.metadata.labels.get(key)), "") if node else ""
        if value:
            found[name] = value
    return found


def _nested(levels: list[_Level], stands: Mapping[str, Mapping[str, str]]) -> list[_Level]:
    """Return levels so that none splits a domain of one that the data shows to be broader."""
    ordered: list[_Level] = []
    for level in levels:
        place = len(ordered)
        while place and _refines(stands[ordered[place - 1].name], stands[level.name]):
            place -= 1
        ordered.insert(place, level)
    return ordered


def _refines(fine: Mapping[str, str], broad: Mapping[str, str]) -> bool:
    """Return whether every domain of one level lies in one domain of the other, and not the other way round."""
    return _is_function(fine, broad) and not _is_function(broad, fine)


def _is_function(source: Mapping[str, str], target: Mapping[str, str]) -> bool:
    images: dict[str, str | None] = {}
    return all(images.setdefault(domain, target.get(node)) == target.get(node) for node, domain in source.items())


def _note_gaps(
    order: list[str], stands: Mapping[str, Mapping[str, str]], nodes: Mapping[str, Node | None], notes: Notes
) -> None:
    for name in order:
        for node in nodes:
            if node not in stands[name]:
                notes.of(node, f"Nodes that name no {name}: each stands alone in one of its own.")
    for broad, fine in pairwise(order):
        if not _is_function(stands[fine], stands[broad]):
            notes.say(f"Some {fine} names stand in several {broad} domains; each is a {fine} of its own there.")


def _carried(nodes: Mapping[str, Node | None], labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(label for label in labels if any(node and node.metadata.labels.get(label) for node in nodes.values()))


def _source_of(level: _Level) -> str:
    return f"HyperNodes of tier {level.tier}" if level.tier is not None else "label " + " or ".join(level.labels)
