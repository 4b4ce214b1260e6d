"""A machine's shape with everything resolved: every level has its domains, every amount is an integer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .topology import NODE, ShapeFields, TopologyPolicy
from .units import micro

WHOLE = ""


@dataclass(frozen=True)
class Shape:
    """The resolved shape of a machine.

    Attributes
    ----------
    gpus : int
        Number of slots.
    models : tuple of (str or None)
        The model of each slot.
    domains : mapping
        For ``node`` and each level below it: slots of every domain. A level that the machine lacks, and
        ``node`` itself, is one domain named `WHOLE` with all slots.
    links : mapping
        For each linked pair (smaller slot first) the number of links by kind.
    fully_linked : bool
        Every pair is linked, whatever the kind and count asked.
    blocks : tuple of frozenset
        The aligned blocks.
    resources : mapping
        Amounts in millionths by resource.
    domain_resources : mapping
        Level, domain, resource: amounts in millionths.
    topology_policy : str
        The kubelet's policy.
    """

    gpus: int
    models: tuple[str | None, ...]
    domains: Mapping[str, Mapping[str, tuple[int, ...]]]
    links: Mapping[tuple[int, int], Mapping[str, int]]
    fully_linked: bool
    blocks: tuple[frozenset[int], ...]
    resources: Mapping[str, int]
    domain_resources: Mapping[str, Mapping[str, Mapping[str, int]]]
    topology_policy: TopologyPolicy
    _domain_of: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def domain_of(self, level: str, slot: int) -> str:
        """Return the name of the domain of a level (node or below) that holds a slot.

        Parameters
        ----------
        level : str
            ``node`` or a level below it.
        slot : int
            The slot.

        Returns
        -------
        str
            The domain's name; `WHOLE` for the node itself.
        """
        if level not in self._domain_of:
            names = [WHOLE] * self.gpus
            for name, slots in self.domains[level].items():
                for member in slots:
                    names[member] = name
            self._domain_of[level] = tuple(names)
        return self._domain_of[level][slot]

    def is_linked(self, first: int, second: int, *, kind: str | None, at_least: int) -> bool:
        """Return whether two different slots are directly linked.

        Parameters
        ----------
        first, second : int
            Two slots.
        kind : str or None
            Only links of this kind count; None: all kinds together.
        at_least : int
            How many links the pair needs.

        Returns
        -------
        bool
            Always true on a fully linked machine.
        """
        if self.fully_linked:
            return True
        kinds = self.links.get((min(first, second), max(first, second)), {})
        count = sum(kinds.values()) if kind is None else kinds.get(kind, 0)
        return count >= at_least


def shape_of(fields: ShapeFields, levels_below: tuple[str, ...]) -> Shape:
    """Resolve the fields of a machine (or of a node with an inline shape).

    Parameters
    ----------
    fields : ShapeFields
        As written in the file or the catalogue.
    levels_below : tuple of str
        The cluster's levels finer than node; levels that only a catalogue's machine knows are left out.

    Returns
    -------
    Shape
        The resolved shape.
    """
    gpus = fields.gpus or 0
    everything = {WHOLE: tuple(range(gpus))}
    models = fields.gpu_model if isinstance(fields.gpu_model, tuple) else (fields.gpu_model,) * gpus
    links: dict[tuple[int, int], dict[str, int]] = {}
    for link in fields.links:
        pair = (min(link.gpus), max(link.gpus))
        kinds = links.setdefault(pair, {})
        kinds[link.kind] = kinds.get(link.kind, 0) + link.count
    return Shape(
        gpus=gpus,
        models=models,
        domains={
            NODE: everything,
            **{level: dict(sorted(fields.domains.get(level, everything).items())) for level in levels_below},
        },
        links=links,
        fully_linked=fields.fully_linked,
        blocks=tuple(dict.fromkeys(frozenset(block) for block in fields.blocks)),
        resources={name: micro(amount) for name, amount in fields.resources.items()},
        domain_resources={
            level: {
                domain: {name: micro(amount) for name, amount in amounts.items()} for domain, amounts in domains.items()
            }
            for level, domains in fields.domain_resources.items()
            if level in levels_below
        },
        topology_policy=fields.topology_policy,
    )
