"""How a machine is written: names of its levels, its model, what counts as a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ....models import ConfigError
from .reading import RANK

SOCKET, NUMA, CPU_SET, HOST_BRIDGE, PCIE_ROOT, SWITCH = KINDS = (
    "socket",
    "numa",
    "cpu-set",
    "host-bridge",
    "pcie-root",
    "switch",
)

LEVEL_KINDS: Final[Mapping[str, str]] = {
    SOCKET: "CPU packages",
    NUMA: "NUMA nodes",
    CPU_SET: "equal CPU affinity, where NUMA nodes are not told",
    HOST_BRIDGE: "one PCIe host bridge (PHB or nearer)",
    PCIE_ROOT: "PCIe paths without a host bridge (PXB or nearer)",
    SWITCH: "one PCIe switch (PIX; PXB where no pair is nearer)",
}


@dataclass(frozen=True)
class MachineOptions:
    """How a machine is written.

    Attributes
    ----------
    level_names : mapping
        Name of the level for each of `LEVEL_KINDS`; an empty name leaves it out.
    gpu_model : str or None
        The model of all GPUs, where the tool does not tell or the site calls it otherwise.
    path_links : tuple of str
        PCIe path classes that count as links of that (lower-case) kind.
    gpu_buses : tuple of str
        Bus ids that are GPUs, for files that do not tell.
    """

    level_names: Mapping[str, str] = field(default_factory=dict)
    gpu_model: str | None = None
    path_links: tuple[str, ...] = ()
    gpu_buses: tuple[str, ...] = ()

    @classmethod
    def from_words(
        cls,
        *,
        levels: Sequence[str] = (),
        gpu_model: str | None = None,
        path_links: Sequence[str] = (),
        gpu_buses: Sequence[str] = (),
    ) -> MachineOptions:
        """Return options from the words of a command line.

        Parameters
        ----------
        levels : sequence of str
            ``KIND=NAME`` renames a level, ``KIND=`` leaves it out.
        gpu_model : str, optional
            The model of all GPUs.
        path_links : sequence of str
            Such as ``PIX``.
        gpu_buses : sequence of str
            Shell patterns of bus ids.

        Returns
        -------
        MachineOptions
            Checked.

        Raises
        ------
        ConfigError
            An unknown kind of level or class, or two levels of one name.
        """
        names = {kind: kind for kind in KINDS}
        for word in levels:
            kind, equals, name = word.partition("=")
            if not equals or kind not in names:
                raise ConfigError(f"--level {word}: KIND=NAME was expected, KIND one of {', '.join(KINDS)}")
            names[kind] = name
        kept = [name for name in names.values() if name]
        if len(set(kept)) < len(kept):
            raise ConfigError(f"--level: two levels of one name: {', '.join(kept)}")
        for word in path_links:
            if word not in RANK:
                raise ConfigError(f"--link-class {word}: one of {', '.join(RANK)} was expected")
        return cls(names, gpu_model, tuple(path_links), tuple(gpu_buses))

    def name_of(self, kind: str) -> str:
        """Return the name of a kind of level; empty if it is left out."""
        return self.level_names.get(kind, kind)
