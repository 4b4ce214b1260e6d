"""Nodes as they look inside: how many GPUs, which of them work, and how they fall into NUMA nodes and the like."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from ....models import ConfigError
from ..merge import KnownMachine, MachineRules, machine_for, merged_fields
from ..notes import Notes
from .core_objects import Node
from .gpu_counts import MOST_SLOTS, GpuCount, gpu_count
from .inventory import Inventory
from .level_settings import LevelSettings
from .numa import NumaFacts
from .settings import Settings, first_of

ALONE: Final = "unknown-"


@dataclass
class Host:
    """A node while it is put together.

    Attributes
    ----------
    name : str
        Its name.
    node : Node or None
        Its object; None if only other objects name it.
    gpus : int
        Number of slots.
    resource : str or None
        The resource that counts its GPUs.
    pieces : int
        Pieces of the resource that share one GPU in time; 1 where they are whole GPUs.
    domains : dict
        Level, domain: slots.
    levels : tuple of str
        Levels below node, broadest first.
    slot_of : dict
        Slot by everything that a GPU is called.
    known_slots : bool
        Whether a slot's number stands for a certain GPU; else slots are only counted.
    offline : set of int
        Slots that serve nobody.
    dead : int
        GPUs that serve nobody, without word which.
    known : KnownMachine or None
        What a rule of the user says.
    models : tuple of str
        The model, or one a slot; empty: unknown.
    blocks : tuple of tuple of int
        Aligned blocks.
    facts : NumaFacts or None
        What its NodeResourceTopology says.
    is_claimable : bool
        Whether claims can be given its GPUs.
    """

    name: str
    node: Node | None = None
    gpus: int = 0
    resource: str | None = None
    pieces: int = 1
    domains: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    slot_of: dict[str, int] = field(default_factory=dict)
    known_slots: bool = False
    offline: set[int] = field(default_factory=set)
    dead: int = 0
    known: KnownMachine | None = None
    models: tuple[str, ...] = ()
    blocks: tuple[tuple[int, ...], ...] = ()
    facts: NumaFacts | None = None
    is_claimable: bool = False

    def widen(self, held: Decimal, numa_level: str) -> int:
        """Add offline slots where pods hold more GPUs than the node has left, so that every loss counts.

        Parameters
        ----------
        held : Decimal
            GPUs that pods hold.
        numa_level : str
            The level at which an added slot stands alone.

        Returns
        -------
        int
            How many slots were added.
        """
        added = 0
        while self.gpus < held and self.known is None and self.gpus < MOST_SLOTS:
            _add_alone(self.domains, self.gpus)
            self.offline.add(self.gpus)
            if len(self.models) > 1:
                self.models = (*self.models, self.models[-1])
            self.gpus += 1
            added += 1
        return added


def build_host(
    name: str,
    node: Node | None,
    facts: NumaFacts | None,
    inventory: Inventory | None,
    rules: MachineRules,
    settings: Settings,
    notes: Notes,
) -> Host:
    """Put together what is known of a node.

    Parameters
    ----------
    name : str
        Its name.
    node : Node or None
        Its object.
    facts : NumaFacts or None
        What its NodeResourceTopology says.
    inventory : Inventory or None
        Its GPUs one by one.
    rules : MachineRules
        What the user says of its machine.
    settings : Settings
        Names of resources, labels and levels.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    Host
        Its shape comes from the first of these that is there: the user's rule, the inventory, the NUMA zones, the
        bare number.

    Raises
    ------
    InstanceError
        Numbers that contradict each other or are too large.
    """
    host = Host(name, node, known=machine_for(name, rules), facts=facts)
    host.is_claimable = inventory is not None and inventory.is_claimable
    count = gpu_count(node, settings.devices, notes) if node is not None else GpuCount()
    counted, usable = count.total, count.usable or 0
    host.resource, host.pieces = count.resource, count.pieces
    model = first_of(settings.devices.model_labels, node.metadata.labels) if node is not None else None
    if model is not None:
        host.models = (model[1],)
    numa = settings.levels.numa_level
    if host.known is not None:
        _of_rule(host, host.known, inventory, counted, usable, notes)
    elif inventory is not None and (
        facts is None or not facts.knows_gpus or any(numa in gpu.domains for gpu in inventory.gpus)
    ):
        _of_inventory(host, inventory, counted, usable, settings.levels, notes)
    elif facts is not None and facts.knows_gpus:
        if inventory is not None:
            notes.of(name, "GPUs of nodes without their NUMA nodes: the counts of their zones are used instead.")
        _of_zones(host, facts, counted, usable, numa)
    else:
        host.gpus = counted or 0
        host.offline = set(range(min(usable, host.gpus), host.gpus))
    if host.gpus > MOST_SLOTS:
        raise ConfigError(f"node {name}: {host.gpus} GPUs - at most {MOST_SLOTS} were expected")
    if facts is not None and numa not in host.domains and not host.gpus and facts.nodes:
        host.domains[numa] = {domain: [] for domain in facts.nodes}
        host.levels = (numa,)
    return host


def _of_rule(
    host: Host, known: KnownMachine, inventory: Inventory | None, counted: int | None, usable: int, notes: Notes
) -> None:
    host.gpus = known.machine.gpus or 0
    host.known_slots = True
    host.levels = known.levels
    host.domains = {
        level: {name: list(slots) for name, slots in domains.items()}
        for level, domains in known.machine.domains.items()
    }
    host.slot_of = {str(slot): slot for slot in range(host.gpus)}
    if inventory is not None:
        numbers = [gpu.number for gpu in inventory.gpus]
        if len(set(numbers)) == len(numbers) and all(n is not None and n < host.gpus for n in numbers):
            for gpu in inventory.gpus:
                host.slot_of |= dict.fromkeys(gpu.ids, gpu.number or 0)
                if not gpu.is_healthy:
                    host.offline.add(gpu.number or 0)
        else:
            notes.of(host.name, "GPUs whose numbers do not tell their index: placements by device name are unknown.")
    # One that the machine has and the node no longer offers is broken; more than it has is refused when merged.
    if counted is not None and counted <= host.gpus:
        host.dead = max(0, host.gpus - min(counted, usable) - len(host.offline))
    elif counted is not None:
        merged_fields(host.name, known, gpus=counted)


def _of_inventory(
    host: Host, inventory: Inventory, counted: int | None, usable: int, settings: LevelSettings, notes: Notes
) -> None:
    host.gpus = len(inventory.gpus)
    host.known_slots = True
    host.blocks = inventory.blocks
    host.slot_of = inventory.slot_of()
    host.offline = {slot for slot, gpu in enumerate(inventory.gpus) if not gpu.is_healthy}
    models = tuple(gpu.model or "" for gpu in inventory.gpus)
    if not host.models and all(models):
        host.models = models if len(set(models)) > 1 else models[:1]
    for level in (settings.socket_level, settings.numa_level, settings.pcie_level):
        if any(level in gpu.domains for gpu in inventory.gpus):
            domains: dict[str, list[int]] = {}
            for slot, gpu in enumerate(inventory.gpus):
                domains.setdefault(gpu.domains.get(level) or _alone(slot), []).append(slot)
                if level not in gpu.domains:
                    notes.of(host.name, f"GPUs of unknown {level}: each stands alone in one of its own.")
            host.domains[level] = domains
            host.levels = (*host.levels, level)
    if host.facts is not None and settings.numa_level in host.domains:
        for name in host.facts.nodes:
            host.domains[settings.numa_level].setdefault(name, [])
    if counted is not None and counted > host.gpus:
        notes.of(host.name, f"GPUs that are not in {inventory.source}: their place is unknown.")
        while host.gpus < min(counted, MOST_SLOTS):
            _add_alone(host.domains, host.gpus)
            host.gpus += 1
        host.models = host.models[:1]
    if counted == host.gpus:
        host.dead = max(0, counted - usable - len(host.offline))


def _of_zones(host: Host, facts: NumaFacts, counted: int | None, usable: int, numa: str) -> None:
    domains: dict[str, list[int]] = {}
    for name, zone in facts.nodes.items():
        domains[name] = list(range(host.gpus, host.gpus + zone.gpus))
        host.gpus += zone.gpus
        # Slots of a zone are only counted, so it does not matter which of them stand for the broken GPUs.
        host.offline |= set(domains[name][zone.usable :])
    host.domains = {numa: domains}
    host.levels = (numa,)
    while host.gpus < min(counted or 0, MOST_SLOTS):
        _add_alone(host.domains, host.gpus)
        host.gpus += 1
    if counted == host.gpus:
        host.dead = max(0, counted - usable - len(host.offline))


def _add_alone(domains: dict[str, dict[str, list[int]]], slot: int) -> None:
    for parts in domains.values():
        parts[_alone(slot)] = [slot]


def _alone(slot: int) -> str:
    return f"{ALONE}{slot}"
