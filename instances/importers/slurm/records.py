"""What Slurm says of nodes and jobs, in one form for all its outputs and versions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Self

from ..plain_text import refusal
from .gres import Gres


@dataclass(frozen=True)
class NodeRecord:
    """A node.

    Attributes
    ----------
    name : str
        Its name.
    where : str
        Where it was read, for messages.
    gres, used, drained : tuple of Gres or None
        What it has, what is in use and what is out of use; None: not told.
    states : frozenset of str
        Words of its state, in capitals.
    cpus, cpus_in_use, memory_mib, memory_in_use_mib : int or None
        Counts; None: not told.
    sockets, cores_per_socket : int or None
        Of its CPUs.
    features, partitions : tuple of str
        Names.
    reason : str
        Why it is down or drained.
    """

    name: str
    where: str
    gres: tuple[Gres, ...] | None = None
    used: tuple[Gres, ...] | None = None
    drained: tuple[Gres, ...] | None = None
    states: frozenset[str] | None = None
    cpus: int | None = None
    cpus_in_use: int | None = None
    memory_mib: int | None = None
    memory_in_use_mib: int | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    features: tuple[str, ...] | None = None
    partitions: tuple[str, ...] | None = None
    reason: str | None = None

    def joined(self, other: NodeRecord, *, source: str) -> Self:
        """Return what two files say of the same node; the first that speaks of a field counts.

        Parameters
        ----------
        other : NodeRecord
            Read later.
        source : str
            The later file's name, for messages.

        Returns
        -------
        NodeRecord
            Both together.

        Raises
        ------
        InstanceError
            They disagree about the GPUs that the node has.
        """
        if self.gres is not None and other.gres is not None and gpus_in(self.gres) != gpus_in(other.gres):
            found = f"{gpus_in(other.gres)} GPUs of node {self.name}"
            raise refusal(source, other.where, found, f"{gpus_in(self.gres)} as in {self.where}")
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        late = {name: getattr(other, name) for name, value in mine.items() if value is None}
        return type(self)(**{**mine, **late})


@dataclass(frozen=True)
class JobRecord:
    """A job.

    Attributes
    ----------
    number : int
        Its id.
    where : str
        Where it was read, for messages.
    name : str
        What its user calls it.
    states : frozenset of str
        Words of its state, in capitals.
    priority : int or None
        Slurm's own number.
    labels : dict of str to str
        qos, partition, account and user, as far as they are told.
    nodes : tuple of str
        The nodes it runs on, in Slurm's order.
    detail : tuple of (tuple of Gres) or None
        Its GPUs on each of `nodes`; None: not told.
    cpus_by_node, memory_mib_by_node : dict
        As far as they are told.
    allocated, asked : dict of str to float
        Trackable resources: ``cpu``, ``mem`` (MiB), ``node``, ``gres/gpu``, ``gres/gpu:h100``.
    per_node : tuple of Gres or None
        GPUs that it asked for on each node.
    node_count : int or None
        Nodes it asked for.
    start, preemptable_from : int or None
        Seconds since 1970.
    running_seconds : int or None
        Since its start.
    het_job : int or None
        The id of the heterogeneous job of which it is a part.
    features : str
        The features it asked for, as an expression.
    most_switches : int or None
        It asked for nodes below at most so many leaf switches.
    """

    number: int
    where: str
    name: str = ""
    states: frozenset[str] = frozenset()
    priority: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    nodes: tuple[str, ...] = ()
    detail: tuple[tuple[Gres, ...], ...] | None = None
    cpus_by_node: dict[str, int] = field(default_factory=dict)
    memory_mib_by_node: dict[str, float] = field(default_factory=dict)
    allocated: dict[str, float] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    per_node: tuple[Gres, ...] | None = None
    node_count: int | None = None
    start: int | None = None
    preemptable_from: int | None = None
    running_seconds: int | None = None
    het_job: int | None = None
    features: str = ""
    most_switches: int | None = None


def gpus_in(gres: tuple[Gres, ...] | None) -> int:
    """Return how many GPUs a list of generic resources counts.

    Parameters
    ----------
    gres : tuple of Gres or None
        Of one node.

    Returns
    -------
    int
        0 for None.
    """
    return sum(entry.count for entry in gres or () if entry.name == "gpu")
