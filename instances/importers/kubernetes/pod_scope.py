"""What the GPUs of one pod of the request must share: by option, annotation or claim."""

from __future__ import annotations

from ....models.topology import BLOCK, GPU, LINK_ISLANDS, NODE
from ..notes import Notes
from .closeness import pod_island
from .quantities import count_in
from .request import Asked
from .settings import Settings, first_of


def scope_of_pod(
    asked: Asked, levels: list[str], island: str | None, settings: Settings, notes: Notes
) -> dict[str, str] | None:
    """Return the affinity of one pod.

    Parameters
    ----------
    asked : Asked
        The request.
    levels : list of str
        All levels of the cluster, broadest first.
    island : str or None
        What the user says: ``ISLAND`` or ``ISLAND:MODE``.
    settings : Settings
        Names of annotations and attributes.
    notes : Notes
        Told what a request cannot say.

    Returns
    -------
    dict or None
        A scope of an instance file, as the user says, else an annotation, else a claim; None if nothing is asked.

    Raises
    ------
    ConfigError
        An island that the cluster does not have.
    """
    islands = (*levels[levels.index(NODE) :], GPU, *LINK_ISLANDS, BLOCK)
    if island is not None:
        return pod_island(island, islands, "--island")
    keys = settings.request.island_keys
    annotated = first_of(keys, asked.pod.metadata.annotations) if asked.pod is not None else None
    if annotated is not None:
        return pod_island(annotated[1], islands, f"annotation {annotated[0]}")
    found: dict[str, str] | None = None
    for attribute in asked.attributes:
        shared = _island_of(attribute, settings)
        if shared is None:
            notes.say(f"GPUs that must share {attribute}: no island of an instance, passed over.")
        elif found is not None:
            notes.say(f"GPUs that must share {attribute} besides: only {found['island']} counts.")
        else:
            found = pod_island(shared, islands, f"constraint on {attribute}")
    return found


def _island_of(attribute: str, settings: Settings) -> str | None:
    devices = settings.devices
    name = attribute.rpartition("/")[2]
    if attribute in devices.numa_attributes or name in devices.numa_attributes:
        return settings.levels.numa_level
    if attribute in devices.pcie_attributes or name in devices.pcie_attributes:
        return settings.levels.pcie_level
    is_partition = any(
        name.startswith(start) and count_in(name.removeprefix(start), 1, 4096) is not None
        for start in devices.partition_attributes
    )
    return BLOCK if is_partition else None
