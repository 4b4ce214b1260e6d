"""What stands in a slot before and after the plan, in words: one part a pod, a reservation, or the room itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .model import Arrival, Fate, Hold, Occupant, Slot
from .wish import many

PartKind = Literal["pod", "victim", "going", "request", "reserved", "displaced", "free", "freed", "offline", "more"]

MOST_PARTS = 6
_FIRST = ("request", "victim", "going", "pod", "displaced", "reserved", "offline", "freed", "free")


@dataclass(frozen=True)
class Part:
    """One thing to draw in a slot.

    Attributes
    ----------
    kind : str
        What it is; decides pattern and style.
    name : str
        The first line.
    detail : str
        The second line; may be empty.
    tone : int or None
        Shade of the priority, for pods.
    hover : str
        The whole story in a line.
    """

    kind: PartKind
    name: str
    detail: str
    tone: int | None
    hover: str


_KIND: dict[Fate, PartKind] = {"stays": "pod", "evicted": "victim", "terminating": "going"}
_FREE = Part("free", "free", "", None, "free")
_FREED = Part("freed", "free", "", None, "freed by the plan, and not used by it")


def before(slot: Slot) -> tuple[Part, ...]:
    """Return what stands in a slot as the cluster is.

    Parameters
    ----------
    slot : Slot
        The slot.

    Returns
    -------
    tuple of Part
        At least one.
    """
    parts = [resident(occupant) for occupant in slot.occupants]
    return _with_room(slot, parts, list(slot.holds), freed=False)


def after(slot: Slot) -> tuple[Part, ...]:
    """Return what stands in a slot once the plan is carried out.

    Parameters
    ----------
    slot : Slot
        The slot.

    Returns
    -------
    tuple of Part
        At least one. Terminating pods are left out where the request comes: it waits for them.
    """
    parts = [newcomer(arrival) for arrival in slot.arrivals]
    parts += [
        resident(occupant)
        for occupant in slot.occupants
        if occupant.fate == "stays" or (occupant.fate == "terminating" and not slot.arrivals)
    ]
    holds = [hold for hold in slot.holds if not slot.arrivals or hold.promise not in ("displaced", "own")]
    return _with_room(slot, parts, holds, freed=slot.loses)


def resident(occupant: Occupant) -> Part:
    """Return a running pod as a part.

    Parameters
    ----------
    occupant : Occupant
        The pod.

    Returns
    -------
    Part
        With its priority, and its fate where it does not stay.
    """
    said = [f"priority {occupant.priority}"]
    if occupant.fate != "stays":
        said.insert(0, occupant.fate)
    if occupant.share != 1.0:
        said.append(f"share {occupant.share:g}")
    story = f"{occupant.pod} of job {occupant.job}, priority {occupant.priority}, {_where(occupant)}"
    if occupant.lost_gpu_seconds is not None:
        story += f"; evicted: {_number(occupant.lost_gpu_seconds)} GPU-seconds of work lost"
    elif occupant.fate == "terminating":
        story += "; terminating already"
    return Part(_KIND[occupant.fate], occupant.pod, ", ".join(said), occupant.tone, story)


def newcomer(arrival: Arrival) -> Part:
    """Return a pod of the request as a part.

    Parameters
    ----------
    arrival : Arrival
        The pod.

    Returns
    -------
    Part
        With the kind of its island, and its share if it takes no whole slots.
    """
    share = f", share {arrival.share:g}" if arrival.share != 1.0 else ""
    island = arrival.island or f"one {arrival.level} of the node"
    story = f"{arrival.name} comes: {many(arrival.gpus, 'GPU')} in {arrival.level} {island}"
    return Part("request", arrival.name, f"in one {arrival.level}{share}", None, story)


def promised(hold: Hold) -> Part:
    """Return a reservation as a part.

    Parameters
    ----------
    hold : Hold
        The reservation.

    Returns
    -------
    Part
        With its owner and priority.
    """
    said = {
        "binds": "reserved",
        "yields": "reserved",
        "displaced": "reservation displaced",
        "own": "reserved for this request",
    }[hold.promise]
    story = f"{many(hold.gpus, 'GPU')} reserved for {hold.owner}, priority {hold.priority}"
    kind: PartKind = "displaced" if hold.promise == "displaced" else "reserved"
    return Part(kind, hold.owner, f"{said}, priority {hold.priority}", None, story)


def shortened(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return at most `MOST_PARTS` parts, those first that the plan is about.

    Parameters
    ----------
    parts : sequence of Part
        All of them.

    Returns
    -------
    tuple of Part
        The rest is one part that counts them.
    """
    if len(parts) <= MOST_PARTS:
        return tuple(parts)
    ranked = sorted(parts, key=lambda part: _FIRST.index(part.kind))
    kept, rest = ranked[: MOST_PARTS - 1], ranked[MOST_PARTS - 1 :]
    gone = sum(part.kind == "victim" for part in rest)
    detail = f"{gone} of them evicted" if gone else ""
    return (*kept, Part("more", f"and {len(rest)} more", detail, None, ", ".join(part.name for part in rest)))


def _with_room(slot: Slot, parts: list[Part], holds: list[Hold], *, freed: bool) -> tuple[Part, ...]:
    taken = bool(parts)
    parts = parts + [promised(hold) for hold in holds]
    if slot.offline:
        parts.append(Part("offline", "offline", "", None, "offline: serves nobody"))
    elif not parts:
        parts.append(_FREED if freed else _FREE)
    elif taken and (rest := _rest(slot, parts)) is not None:
        parts.append(rest)
    return shortened(parts)


def _rest(slot: Slot, parts: list[Part]) -> Part | None:
    here = {part.name for part in parts if part.kind in ("pod", "victim", "going", "request")}
    shares = [entry.share for entry in slot.occupants if entry.pod in here]
    shares += [entry.share for entry in slot.arrivals if entry.name in here]
    left = round(1 - sum(shares), 6)
    if left <= 0:
        return None
    return Part("free", f"{left:g} free", "", None, f"{left:g} of each slot is free")


def _where(occupant: Occupant) -> str:
    if not occupant.gpus:
        return "no GPU"
    part = "" if occupant.share == 1.0 else f"{occupant.share:g} of "
    return f"{part}{many(occupant.gpus, 'GPU')}"


def _number(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")
