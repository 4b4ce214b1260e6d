"""Which GPUs every running pod holds: claims first, then annotations, then listings; else only how many."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from ..notes import Notes
from .claims import PodClaims
from .core_objects import Pod
from .device_settings import DeviceSettings
from .effective import effective_requests
from .hosts import Host
from .listings import Listings
from .names import bus_id, json_of, numa_name
from .objects import Resources
from .quantities import MICRO, count_in, whole
from .settings import Settings, first_of

ONE: Final = Decimal(1)


@dataclass(frozen=True)
class Ask:
    """How many GPUs a pod asks for.

    Attributes
    ----------
    gpus : int
        How many.
    share : Decimal
        The share of each.
    """

    gpus: int
    share: Decimal = ONE


@dataclass(frozen=True)
class Holding:
    """What a running pod holds.

    Attributes
    ----------
    gpus : int
        How many GPUs.
    share : Decimal
        The share of each.
    slots : tuple of int
        Which they are; empty: unknown.
    numa : str or None
        The NUMA node that it is aligned to, if that much is known.
    resources : mapping
        Its effective requests.
    """

    gpus: int
    share: Decimal = ONE
    slots: tuple[int, ...] = ()
    numa: str | None = None
    resources: Resources = field(default_factory=dict)


def gpu_ask(pod: Pod, resources: Resources, pieces: int, settings: DeviceSettings) -> Ask:
    """Return how many GPUs a pod asks for by its resources and annotations.

    Parameters
    ----------
    pod : Pod
        A pod.
    resources : dict
        Its effective requests.
    pieces : int
        Pieces of a GPU resource that share one GPU in time.
    settings : DeviceSettings
        Names of resources and annotations.

    Returns
    -------
    Ask
        Parts add up to whole GPUs where a pod asks for several.

    Raises
    ------
    InstanceError
        An amount that is no whole number, a share that is none.
    """
    amount = sum((resources[name] for name in settings.gpu_resources if name in resources), Decimal(0))
    number = whole(amount)
    if number is None or number > 4096 * pieces:
        raise pod.mistake("spec.containers", str(amount), "a number of GPUs")
    parts = [(resources[name], whole_one) for name, whole_one in settings.shared_resources.items() if name in resources]
    annotated = first_of(settings.share_annotations, pod.metadata.annotations)
    if number and not parts:
        # A piece of a GPU that is shared in time: at worst every piece is of another GPU.
        return Ask(number, _floor(ONE / pieces))
    if parts:
        total = number + sum((piece / whole_one for piece, whole_one in parts), Decimal(0))
        gpus = max(1, int(total.to_integral_value(ROUND_CEILING)))
        if gpus > 4096:
            raise pod.mistake("spec.containers", str(total), "at most 4096 GPUs")
        return Ask(gpus, _floor(total / gpus))
    if annotated is not None:
        return _annotated_share(pod, annotated, settings)
    return Ask(0)


def _annotated_share(pod: Pod, annotated: tuple[str, str], settings: DeviceSettings) -> Ask:
    field_name = f"metadata.annotations[{annotated[0]!r}]"
    try:
        share = Decimal(annotated[1].strip())
    except ArithmeticError:
        share = Decimal(-1)
    if not share.is_finite() or not MICRO <= share <= 1:
        raise pod.mistake(field_name, annotated[1], "a share of a GPU such as 0.5")
    number = first_of(settings.share_count_annotations, pod.metadata.annotations)
    if number is None:
        return Ask(1, _floor(share))
    gpus = count_in(number[1], 1, 4096)
    if gpus is None:
        raise pod.mistake(f"metadata.annotations[{number[0]!r}]", number[1], "a number of GPUs from 1 to 4096")
    return Ask(gpus, _floor(share))


def holdings(
    pods: Mapping[str, Pod],
    hosts: Mapping[str, Host],
    claims: PodClaims,
    listings: Listings,
    settings: Settings,
    notes: Notes,
) -> dict[str, Holding]:
    """Return what every running pod holds.

    Parameters
    ----------
    pods : mapping
        Running pods by key; each names one of the hosts.
    hosts : mapping
        By name.
    claims : PodClaims
        Devices that claims were given.
    listings : Listings
        What ``--devices`` files say.
    settings : Settings
        Names of annotations and resources.
    notes : Notes
        Told where the data says less than it could.

    Returns
    -------
    dict
        By key. Pods that hold the same GPU share it evenly.

    Raises
    ------
    InstanceError
        An annotation that cannot be read or names a GPU or NUMA node that the node lacks.
    """
    found = {
        key: _holding(pod, hosts[pod.spec.node_name or ""], claims, listings, settings, notes)
        for key, pod in pods.items()
    }
    return _shared_evenly(found, pods, notes)


def _holding(pod: Pod, host: Host, claims: PodClaims, listings: Listings, settings: Settings, notes: Notes) -> Holding:
    resources = effective_requests(pod)
    ask = gpu_ask(pod, resources, host.pieces, settings.devices)
    claimed = claims.held(pod)
    if host.pieces > 1 and ask.gpus > host.gpus > 0:
        ask = Ask(host.gpus, _floor(Decimal(ask.gpus) / (host.pieces * host.gpus)))
    gpus = ask.gpus + claimed.gpus
    if claimed.gpus and ask.gpus and ask.share != ONE:
        notes.of(pod.key, "Pods with whole GPUs by claim and parts of others: all count as whole.")
        ask = Ask(ask.gpus)
    holding = Holding(gpus, ask.share if gpus else ONE, resources=resources)
    if not gpus:
        return replace(holding, numa=_annotated_numa(pod, host, 0, settings))
    listed = listings.pods.get(pod.key)
    ids, source = _named(pod, settings.devices), "annotation"
    if ids is None and not ask.gpus and claimed.is_certain:
        ids, source = claimed.ids, "claim"
    if ids is None and listed is not None:
        ids, source = tuple(listed.ids), "listing"
    slots = _slots(pod, host, ids, source, gpus, notes) if ids is not None else ()
    if slots:
        return replace(holding, slots=slots)
    numa = _annotated_numa(pod, host, gpus, settings)
    if numa is None and listed is not None and len(listed.numa) == 1:
        numa = _fitting(host, next(iter(listed.numa)), gpus, settings.levels.numa_level)
    return replace(holding, numa=numa)


def _slots(pod: Pod, host: Host, ids: tuple[str, ...], source: str, gpus: int, notes: Notes) -> tuple[int, ...]:
    if not host.known_slots:
        notes.of(pod.key, f"GPUs named by {source} on nodes whose GPUs are only counted: placement unknown.")
        return ()
    unknown = [name for name in ids if name not in host.slot_of]
    slots = tuple(sorted({host.slot_of[name] for name in ids if name in host.slot_of}))
    if unknown and source == "annotation":
        raise pod.mistake("metadata.annotations", unknown[0], f"a GPU of node {host.name}")
    if unknown:
        notes.of(pod.key, f"GPUs named by {source} that are not among those of the node: placement unknown.")
        return ()
    if len(slots) != gpus:
        notes.of(pod.key, f"GPUs named by {source} that are not as many as the pod asks for: placement unknown.")
        return ()
    return slots


def _named(pod: Pod, settings: DeviceSettings) -> tuple[str, ...] | None:
    """Return the GPUs that an annotation of a pod names."""
    found = first_of(settings.slot_annotations, pod.metadata.annotations)
    if found is not None:
        data = json_of(found[1]) if found[1].strip().startswith("[") else found[1].split(",")
        words = [str(word).strip() for word in data] if isinstance(data, list) else []
        if not words or not all(words) or len(set(words)) < len(words):
            expected = "GPUs, each once: indices or UUIDs between commas, or a JSON list"
            raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], expected)
        return tuple(bus_id(word) for word in words)
    found = first_of(settings.allocation_annotations, pod.metadata.annotations)
    if found is None:
        return None
    data = json_of(found[1])
    entries = data.get("gpu", []) if isinstance(data, dict) else None
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and type(entry.get("minor")) is int for entry in entries
    ):
        expected = 'JSON such as {"gpu": [{"minor": 0}]}'
        raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], expected)
    return tuple(dict.fromkeys(str(entry["minor"]) for entry in entries)) or None


def _annotated_numa(pod: Pod, host: Host, gpus: int, settings: Settings) -> str | None:
    found = first_of(settings.devices.numa_annotations, pod.metadata.annotations)
    if found is None:
        return None
    numa = _fitting(host, numa_name(found[1].strip()), gpus, settings.levels.numa_level)
    if numa is None:
        names = host.domains.get(settings.levels.numa_level, {})
        known = ", ".join(f"{name} with {len(slots)} GPUs" for name, slots in names.items()) or "none known"
        expected = f"a NUMA node of {host.name} with room for {gpus} GPUs: {known}"
        raise pod.mistake(f"metadata.annotations[{found[0]!r}]", found[1], expected)
    return numa


def _fitting(host: Host, numa: str, gpus: int, level: str) -> str | None:
    slots = host.domains.get(level, {}).get(numa)
    return numa if slots is not None and gpus <= len(slots) else None


def _shared_evenly(found: dict[str, Holding], pods: Mapping[str, Pod], notes: Notes) -> dict[str, Holding]:
    holders: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key, holding in found.items():
        for slot in holding.slots:
            holders[pods[key].spec.node_name or "", slot].append(key)
    crowd: Counter[str] = Counter()
    for (_, _), keys in holders.items():
        if len(keys) > 1 and sum(found[key].share for key in keys) > 1:
            for key in keys:
                crowd[key] = max(crowd[key], len(keys))
    for key, number in crowd.items():
        notes.of(key, "Pods that hold the same GPU as others: each is taken to hold an even share of it.")
        found[key] = replace(found[key], share=min(found[key].share, _floor(ONE / number)))
    return found


def _floor(share: Decimal) -> Decimal:
    return max(MICRO, share.quantize(MICRO, rounding=ROUND_FLOOR))
