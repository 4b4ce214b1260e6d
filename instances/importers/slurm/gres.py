"""Generic resources as Slurm writes them: ``gpu:h100:4(IDX:0-1,4-5)``, ``gpu:4(S:0-1)``, ``gpu:(null):0(IDX:N/A)``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..number_list import numbers
from ..plain_text import refusal

_NOTHING = frozenset({"", "(null)", "N/A", "None", "none", "0"})
_ENTRY = re.compile(
    r"(?:gres[/:])?(?P<name>[A-Za-z]\w*)"
    r"(?:[:=](?P<type>\(null\)|[^:=(),]*[^:=(),\d][^:=(),]*))?(?::no_consume)?(?:[:=](?P<count>\d{1,9}))?"
    r"(?P<places>(?:\([^()]*\))*)"
)
_TRES = re.compile(r"([^=,]+)=([^,]*)")
_UNITS = {"K": 2**-10, "M": 1.0, "G": 2.0**10, "T": 2.0**20, "P": 2.0**30}


@dataclass(frozen=True)
class Gres:
    """One entry of a list of generic resources.

    Attributes
    ----------
    name : str
        Such as ``gpu``.
    type : str or None
        The model; None where Slurm has none.
    count : int
        How many.
    indices : tuple of int or None
        Which ones are meant; None: not told.
    sockets : tuple of int or None
        The sockets near them, all together; None: not told.
    """

    name: str
    type: str | None
    count: int
    indices: tuple[int, ...] | None = None
    sockets: tuple[int, ...] | None = None


def parse_gres(text: str, *, source: str, where: str) -> tuple[Gres, ...]:
    """Return the entries of a list of generic resources.

    Parameters
    ----------
    text : str
        As in ``Gres=``, ``GresUsed=``, ``GRES=`` or ``TresPerNode=``.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    tuple of Gres
        Empty for ``(null)`` and the like.

    Raises
    ------
    InstanceError
        No such list, or a count that its indices contradict.
    """
    if text.strip() in _NOTHING:
        return ()
    return tuple(_entry(part.strip(), source, where) for part in _parts(text) if part.strip() not in _NOTHING)


def _parts(text: str) -> list[str]:
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _entry(text: str, source: str, where: str) -> Gres:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise refusal(source, where, repr(text[:60]), "a generic resource such as gpu:h100:4(IDX:0-3)")
    word, kind = match["count"], match["type"]
    places = dict(place.partition(":")[::2] for place in re.findall(r"\(([^()]*)\)", match["places"]))
    indices = _indices(places.get("IDX"), source, where)
    sockets = _indices(places.get("S"), source, where)
    count = int(word) if word is not None else 1
    if indices is not None and match["name"] == "gpu" and count != len(indices):
        raise refusal(source, where, repr(text[:60]), f"as many indices as the count, {count}")
    return Gres(match["name"], None if kind in (None, "", "(null)") else kind, count, indices, sockets)


def _indices(text: str | None, source: str, where: str) -> tuple[int, ...] | None:
    if text is None:
        return None
    return () if text in ("N/A", "") else numbers(text, source=source, where=where)


def parse_tres(text: str, *, source: str, where: str) -> dict[str, float]:
    """Return trackable resources by name.

    Parameters
    ----------
    text : str
        Such as ``cpu=64,mem=512G,node=1,gres/gpu:h100=4``.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    dict
        Amounts; memory in MiB.

    Raises
    ------
    InstanceError
        An amount that is no number.
    """
    if text.strip() in _NOTHING:
        return {}
    found: dict[str, float] = {}
    for part in text.split(","):
        match = _TRES.fullmatch(part.strip())
        if match is None:
            raise refusal(source, where, repr(part[:60]), "resources such as cpu=64,mem=512G,gres/gpu=4")
        name, amount = match[1].strip(), match[2].strip()
        found[name] = (
            memory_mib(amount, source=source, where=where) if name == "mem" else _amount(amount, source, where)
        )
    return found


def _amount(text: str, source: str, where: str) -> float:
    if not re.fullmatch(r"\d{1,15}(\.\d{1,6})?[KMGT]?", text):
        raise refusal(source, where, repr(text[:40]), "an amount")
    factor = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1], 1)
    return float(text.rstrip("KMGT")) * factor


def memory_mib(text: str, *, source: str, where: str) -> float:
    """Return memory in MiB.

    Parameters
    ----------
    text : str
        Such as ``512G`` or, in MiB, ``262144``; the ``n`` or ``c`` of old versions may follow.
    source, where : str
        The file's name and the place in it, for messages.

    Returns
    -------
    float
        MiB.

    Raises
    ------
    InstanceError
        No amount of memory.
    """
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTP]?)[Bnc]?", text.strip())
    if match is None:
        raise refusal(source, where, repr(text[:40]), "an amount of memory such as 512G")
    return float(match[1]) * _UNITS[match[2] or "M"]


def gpus_of(tres: Mapping[str, float]) -> tuple[Gres, ...] | None:
    """Return the GPUs that trackable resources count, without their indices.

    Parameters
    ----------
    tres : mapping
        As `parse_tres` gives it.

    Returns
    -------
    tuple of Gres or None
        None if no GPUs are counted.
    """
    count = gpu_count(tres)
    return (Gres("gpu", None, int(count)),) if count else None


def gpu_count(tres: Mapping[str, float]) -> float:
    """Return the number of GPUs among trackable resources, with or without their types.

    Parameters
    ----------
    tres : mapping
        As `parse_tres` gives it.

    Returns
    -------
    float
        0 if there are none.
    """
    total = tres.get("gres/gpu")
    return sum(amount for name, amount in tres.items() if name.startswith("gres/gpu:")) if total is None else total
