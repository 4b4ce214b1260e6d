"""What a site may state or rename when it imports from Slurm; every name has a default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ....models import ConfigError
from ..merge import MachineRules
from .sinfo_text import COLUMNS, DEFAULT_COLUMNS

CORDONING_STATES: Final = (
    "BLOCKED", "DOWN", "DRAIN", "DRAINED", "DRAINING", "DRNG", "ERROR", "FAIL", "FAILED", "FAILG", "FAILING", "FUTR",
    "FUTURE", "INVAL", "INVALID", "INVALID_REG", "MAINT", "MAINTENANCE", "NO_RESPOND", "NOT_RESPONDING", "POWERED_DOWN",
    "POWERING_DOWN", "POWERING_UP", "POWER_DOWN", "POW_DN", "POW_UP", "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED",
    "BOOT", "RESERVED", "RESV", "UNK", "UNKNOWN",
)  # fmt: skip


@dataclass(frozen=True)
class SlurmOptions:
    """Options of the import.

    Attributes
    ----------
    request : int or None
        The id of the pending job that is the request.
    request_fields : mapping
        Fields of a request as in an instance file; they win over the pending job's.
    rules : MachineRules
        Machines of nodes.
    fabric_levels : tuple of str
        Names of the levels above node, broadest first; default: ``tier-<n>``, 1 being next to the nodes.
    topology : str or None
        Which topology of a topology.yaml counts.
    cores_level, socket_level : str
        Names of the levels that gres.conf's Cores and the sockets of ``Gres=`` become.
    link_kind : str
        What the Links of gres.conf are.
    sinfo_columns : tuple of str
        Columns of a ``sinfo`` table without headings.
    qos_priority, partition_priority : mapping
        Priorities that count instead of the job's own number, QOS first.
    cordoning_states : frozenset of str
        Node states, in capitals, in which a node takes no new work.
    partition_label, feature_label : str
        Labels of nodes for their partitions and features: this text, then the name.
    now : int or None
        When the state was printed, in seconds since 1970.
    restart_seconds, grace_seconds : float or None
        Of every job.
    """

    request: int | None = None
    request_fields: Mapping[str, Any] = field(default_factory=dict)
    rules: MachineRules = field(default_factory=MachineRules)
    fabric_levels: tuple[str, ...] = ()
    topology: str | None = None
    cores_level: str = "cores"
    socket_level: str = "socket"
    link_kind: str = "nvlink"
    sinfo_columns: tuple[str, ...] = DEFAULT_COLUMNS
    qos_priority: Mapping[str, int] = field(default_factory=dict)
    partition_priority: Mapping[str, int] = field(default_factory=dict)
    cordoning_states: frozenset[str] = frozenset(CORDONING_STATES)
    partition_label: str = "partition/"
    feature_label: str = "feature/"
    now: int | None = None
    restart_seconds: float | None = None
    grace_seconds: float | None = None


def priorities(words: Sequence[str], flag: str) -> dict[str, int]:
    """Return a table of priorities from the words of a command line.

    Parameters
    ----------
    words : sequence of str
        ``NAME=NUMBER``.
    flag : str
        The option, for messages.

    Returns
    -------
    dict
        Number by name.

    Raises
    ------
    ConfigError
        Another form.
    """
    table: dict[str, int] = {}
    for word in words:
        name, _, number = word.rpartition("=")
        if not name or not number.removeprefix("-").isdecimal() or len(number) > 12:
            raise ConfigError(f"{flag} {word}: NAME=NUMBER was expected")
        table[name] = int(number)
    return table


def column_names(text: str) -> tuple[str, ...]:
    """Return the columns of a ``sinfo`` table from a comma-separated list.

    Parameters
    ----------
    text : str
        Names out of `COLUMNS`.

    Returns
    -------
    tuple of str
        The columns.

    Raises
    ------
    ConfigError
        An unknown column, or none with the node's name.
    """
    names = tuple(text.split(","))
    if "name" not in names or not set(names) <= set(COLUMNS):
        raise ConfigError(f"--sinfo-columns {text}: name and others of {', '.join(COLUMNS)} were expected")
    return names
