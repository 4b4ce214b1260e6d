"""PCIe trees: how far apart two devices are, and which switch a GPU shares with others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from .reading import Pair

Path = tuple[str, ...]


def path_class(first: Path, second: Path, *, same_numa: bool) -> str:
    """Return the class of the path between two devices, in nvidia-smi's words.

    Parameters
    ----------
    first, second : tuple of str
        The bridges above each device, broadest first; below different host bridges they share none.
    same_numa : bool
        Whether both hang below the same NUMA node.

    Returns
    -------
    str
        PIX: one bridge on the way; PXB: several; NODE: through the host inside one NUMA node; SYS: across.
    """
    if first and second and first[0] == second[0]:
        return "PIX" if first == second else "PXB"
    return "NODE" if same_numa else "SYS"


def path_classes(paths: Sequence[Path], numa: Sequence[int | None]) -> dict[Pair, str]:
    """Return the class of every pair of GPUs.

    Parameters
    ----------
    paths : sequence of tuple of str
        For each GPU the bridges above it, broadest first.
    numa : sequence of (int or None)
        For each GPU its NUMA node; None: not known.

    Returns
    -------
    dict
        Pairs through the host are left out where the NUMA node of one is not known.
    """
    found: dict[Pair, str] = {}
    for i, j in combinations(range(len(paths)), 2):
        known = numa[i] is not None and numa[j] is not None
        word = path_class(paths[i], paths[j], same_numa=numa[i] == numa[j])
        if known or word in ("PIX", "PXB"):
            found[i, j] = word
    return found


def shared_switches(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return for each GPU the nearest bridge above it that another GPU is below too, else its own.

    Parameters
    ----------
    paths : sequence of tuple of str
        For each GPU the bridges above it, broadest first.

    Returns
    -------
    tuple of str
        Equal for two GPUs exactly if they share their nearest shared switch.
    """
    below = Counter(bridge for path in paths for bridge in path)
    return tuple(
        next((bridge for bridge in reversed(path) if below[bridge] > 1), f"own {slot}")
        for slot, path in enumerate(paths)
    )


def roots_of(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return for each GPU the broadest bridge above it, else one of its own.

    Parameters
    ----------
    paths : sequence of tuple of str
        For each GPU the bridges above it, broadest first.

    Returns
    -------
    tuple of str
        Equal for two GPUs exactly if their path crosses no host bridge.
    """
    return tuple(path[0] if path else f"own {slot}" for slot, path in enumerate(paths))


def near_by_class(words: Mapping[int, str]) -> dict[str, tuple[int, ...]]:
    """Return the slots that are near a device, by class.

    Parameters
    ----------
    words : mapping
        The class of the path of each slot.

    Returns
    -------
    dict
        Without those across NUMA nodes; nearest class first.
    """
    return {
        word: slots
        for word in ("PIX", "PXB", "NODE")
        if (slots := tuple(slot for slot in sorted(words) if words[slot] == word))
    }
