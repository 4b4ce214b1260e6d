"""Which machine a node of an imported cluster has: what the user's rules say, merged with what the cluster says.

How an importer of a whole cluster uses it::

    rules = MachineRules.from_options(topology=["node-a=a.yaml", "gpu-*=b.txt"], machine=["trn-*=dgx-h100"])
    shelf = MachineShelf()                                   # collects cluster.machines and the levels below node
    for each node:
        known = machine_for(name, rules)                     # KnownMachine, or None where no rule speaks of it
        fields = merged_fields(name, known, gpus=8, gpu_model="H100", resources={"cpus": 112.0})
        node["machine"] = shelf.place(fields, name=..., levels=() if known is None else known.levels)
    cluster["machines"], below = shelf.machines(), shelf.levels_below()
    comment += unused_rules(rules, node_names)               # rules that no node used, one sentence each

Names of the domains that our own readers and the catalogue write: ``n3`` is NUMA node 3, ``s0`` package 0,
``sw0`` the first switch in slot order. Level names default to socket, numa, host-bridge and switch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ...models import ConfigError, InstanceError, Problem
from ...models.catalogue import entry_of
from ...models.topology import Machine
from .machine_document import load_machine
from .machine_shelf import MachineShelf

__all__ = ["KnownMachine", "MachineRules", "MachineShelf", "machine_for", "merged_fields", "unused_rules"]


@dataclass(frozen=True)
class KnownMachine:
    """A machine that a rule names.

    Attributes
    ----------
    name : str
        The preset's name, or the machine's name in its file.
    machine : Machine
        Its shape; slot i is the GPU with index i.
    levels : tuple of str
        The levels below node that its domains use, broadest first.
    source : str
        Where it comes from, for messages.
    """

    name: str
    machine: Machine
    levels: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class MachineRules:
    """Node names or patterns and the machines they have; files before presets, exact names before patterns.

    Attributes
    ----------
    rules : tuple of (str, str, KnownMachine)
        The option as written, the node name or shell pattern, the machine; in the order in which they are tried.
    """

    rules: tuple[tuple[str, str, KnownMachine], ...] = ()

    @classmethod
    def from_options(cls, *, topology: Sequence[str] = (), machine: Sequence[str] = ()) -> MachineRules:
        """Return the rules that the options of a command state.

        Parameters
        ----------
        topology : sequence of str
            ``NODE=FILE``: a machine document, or what one of the topology tools printed. NODE may be a pattern.
        machine : sequence of str
            ``PATTERN=PRESET``: a machine of the catalogue.

        Returns
        -------
        MachineRules
            Every file is read, every preset known.

        Raises
        ------
        ConfigError
            An option without ``=``, one side empty, an unknown preset, the same name or pattern twice.
        InstanceError
            A file that is no machine.
        """
        files = [(option, *_sides(option, "--topology", "NODE=FILE")) for option in topology]
        named = [(option, *_sides(option, "--machine", "PATTERN=PRESET")) for option in machine]
        for kind, rules in (("--topology", files), ("--machine", named)):
            patterns = [pattern for _, pattern, _ in rules]
            for option, pattern, _ in rules:
                if patterns.count(pattern) > 1:
                    raise ConfigError(f"{kind} {option}: {pattern!r} is given twice")
        found = [(option, pattern, _of_file(file)) for option, pattern, file in files]
        found += [(option, pattern, _of_catalogue(option, name)) for option, pattern, name in named]
        exact = [rule for rule in found if not _is_pattern(rule[1])]
        return cls((*exact, *(rule for rule in found if _is_pattern(rule[1]))))


def machine_for(node: str, rules: MachineRules) -> KnownMachine | None:
    """Return the machine that the first fitting rule gives a node.

    Parameters
    ----------
    node : str
        The node's name.
    rules : MachineRules
        As given.

    Returns
    -------
    KnownMachine or None
        None if no rule fits.
    """
    return next((known for _, pattern, known in rules.rules if _fits(node, pattern)), None)


def unused_rules(rules: MachineRules, nodes: Iterable[str]) -> list[str]:
    """Return a sentence for every rule that fits none of the nodes.

    Parameters
    ----------
    rules : MachineRules
        As given.
    nodes : iterable of str
        All node names.

    Returns
    -------
    list of str
        Empty if every rule fits a node.
    """
    names = list(nodes)
    return [
        f"The rule {option} fits no node and was not used."
        for option, pattern, _ in rules.rules
        if not any(_fits(name, pattern) for name in names)
    ]


def merged_fields(
    node: str,
    known: KnownMachine | None,
    *,
    gpus: int | None,
    gpu_model: str | Sequence[str] | None = None,
    resources: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return a machine's fields: domains and links of a known machine, counts and models of the cluster.

    Parameters
    ----------
    node : str
        The node's name, for messages.
    known : KnownMachine or None
        What the rules say of it.
    gpus : int or None
        How many GPUs the cluster says it has; None: the cluster does not say.
    gpu_model : str, sequence of str or None
        The model that the cluster says; None: the machine's own stays.
    resources : mapping, optional
        What the cluster says the node has; named resources replace the machine's own.

    Returns
    -------
    dict
        Fields of a machine as in an instance file; only those that say something.

    Raises
    ------
    InstanceError
        The cluster and the known machine disagree about the number of GPUs.
    """
    fields: dict[str, Any] = {}
    if known is not None:
        fields = known.machine.model_dump(mode="json", exclude_defaults=True)
        has = known.machine.gpus or 0
        if gpus is not None and gpus != has:
            expected = f"{has} GPUs, as {known.source} has"
            raise InstanceError([Problem(f"node {node}", f"{gpus} GPUs", expected)])
    if gpus is not None or "gpus" not in fields:
        fields["gpus"] = gpus or 0
    if gpu_model is not None:
        fields["gpu_model"] = gpu_model if isinstance(gpu_model, str) else list(gpu_model)
    amounts = {**fields.get("resources", {}), **(resources or {})}
    if amounts:
        fields["resources"] = dict(sorted(amounts.items()))
    return fields


def _sides(option: str, flag: str, form: str) -> tuple[str, str]:
    left, separator, right = option.partition("=")
    if not separator or not left or not right:
        raise ConfigError(f"{flag} {option}: {form} was expected")
    return left, right


def _of_file(file: str) -> KnownMachine:
    name, machine, levels = load_machine(file)
    return KnownMachine(name, machine, levels, file)


def _of_catalogue(option: str, name: str) -> KnownMachine:
    entry = entry_of(name)
    if entry is None:
        raise ConfigError(f"--machine {option}: no machine {name!r} in the catalogue; `topreempt machines` lists all")
    return KnownMachine(name, entry.machine, tuple(entry.levels), f"preset {name}")


def _is_pattern(text: str) -> bool:
    return any(mark in text for mark in "*?[")


def _fits(node: str, pattern: str) -> bool:
    return node == pattern or fnmatchcase(node, pattern)
