"""Which GPUs a node has, one by one, where the data names them: resource slices, Koordinator devices, GPU listings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Gpu:
    """A GPU of a node.

    Attributes
    ----------
    ids : tuple of str
        All that it may be called by: UUID, PCI address, ``driver/pool/device``, index.
    number : int or None
        The number in its name or its index, if it has one.
    model : str or None
        Its model.
    domains : mapping
        Level to domain, as far as the data says.
    is_healthy : bool
        Whether it may serve anyone.
    """

    ids: tuple[str, ...]
    number: int | None
    model: str | None = None
    domains: Mapping[str, str] = field(default_factory=dict)
    is_healthy: bool = True


@dataclass(frozen=True)
class Inventory:
    """The GPUs of a node in slot order.

    Attributes
    ----------
    source : str
        What it was read from, for messages.
    gpus : tuple of Gpu
        Slot i is the i-th.
    blocks : tuple of tuple of int
        Aligned blocks of slots.
    is_claimable : bool
        Whether claims can be given these GPUs.
    """

    source: str
    gpus: tuple[Gpu, ...]
    blocks: tuple[tuple[int, ...], ...] = ()
    is_claimable: bool = False

    def slot_of(self) -> dict[str, int]:
        """Return the slot of every name that a GPU has; a name of several GPUs is left out.

        Returns
        -------
        dict
            Name to slot.
        """
        slots: dict[str, int] = {}
        twice: set[str] = set()
        for slot, gpu in enumerate(self.gpus):
            for name in gpu.ids:
                if name in slots:
                    twice.add(name)
                slots[name] = slot
        return {name: slot for name, slot in slots.items() if name not in twice}
