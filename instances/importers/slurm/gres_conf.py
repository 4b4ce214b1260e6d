"""``gres.conf``: which GPUs a node has, the cores near each and the links between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..number_list import numbers
from ..plain_text import plain_lines, refusal
from .hostlist import expand

_BLANK = -2
_WORD = re.compile(r"([A-Za-z]\w*)\s*=\s*(\S+)")


@dataclass(frozen=True)
class ConfiguredGpu:
    """One GPU.

    Attributes
    ----------
    line : int
        Where it stands.
    type : str or None
        Its model.
    file : str or None
        Its device file.
    cores : str or None
        The cores near it, as written.
    links : tuple of int or None
        Its links to each GPU of the node, -1 to itself.
    """

    line: int
    type: str | None
    file: str | None
    cores: str | None
    links: tuple[int, ...] | None


@dataclass(frozen=True)
class GresConf:
    """GPUs by node in Slurm's order; under None those of every node without lines of its own."""

    gpus: dict[str | None, tuple[ConfiguredGpu, ...]]
    notes: tuple[str, ...] = ()

    def of_node(self, name: str) -> tuple[ConfiguredGpu, ...]:
        """Return the GPUs of a node.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        tuple of ConfiguredGpu
            Empty if the file does not speak of it.
        """
        return self.gpus.get(name, self.gpus.get(None, ()))


def read_gres_conf(text: str, *, source: str) -> GresConf:
    """Return what ``gres.conf`` says of GPUs.

    Parameters
    ----------
    text : str
        The file.
    source : str
        Its name, for messages.

    Returns
    -------
    GresConf
        GPUs by node.

    Raises
    ------
    InstanceError
        A line that Slurm would not read so, or links that contradict each other.
    """
    gpus: dict[str | None, list[ConfiguredGpu]] = {}
    left_out: set[str] = set()
    for number, line in _lines(text):
        words = {name.lower(): word for name, word in _WORD.findall(line)}
        rest = _WORD.sub("", line).strip()
        if rest or not words:
            raise refusal(source, f"line {number}", repr((rest or line)[:60]), "settings such as Name=gpu Cores=0-15")
        kind = words.get("name", "")
        if kind.lower() != "gpu":
            left_out.add(f"Name={kind}" if kind else "AutoDetect")
            continue
        where = f"line {number}, NodeName"
        named = expand(words["nodename"], source=source, where=where) if "nodename" in words else (None,)
        for gpu in _gpus(words, number, source):
            for name in named:
                gpus.setdefault(name, []).append(gpu)
    for owned in gpus.values():
        _check_links(owned, source)
    notes = [f"{source}: lines of {word} say nothing of single GPUs and were left out." for word in sorted(left_out)]
    if any(_device_number(gpu.file) not in (None, place) for owned in gpus.values() for place, gpu in enumerate(owned)):
        notes.append(f"{source}: GPUs are numbered in the order of the lines, which is not that of the device files.")
    return GresConf({name: tuple(owned) for name, owned in gpus.items()}, tuple(notes))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    held, first = "", 0
    for number, line in enumerate(plain_lines(text), start=1):
        bare = line.partition("#")[0].rstrip()
        first = first if held else number
        if bare.endswith("\\"):
            held += bare[:-1] + " "
            continue
        if (held + bare).strip():
            yield first, (held + bare).strip()
        held = ""
    if held.strip():
        yield first, held.strip()


def _gpus(words: dict[str, str], line: int, source: str) -> Iterator[ConfiguredGpu]:
    file = words.get("file") or words.get("multiplefiles")
    files: list[str | None] = list(expand(file, source=source, where=f"line {line}, File")) if file else []
    count = words.get("count")
    if count is not None and not re.fullmatch(r"\d{1,4}", count):
        raise refusal(source, f"line {line}, Count", count, "a whole number")
    if count is not None and files and len(files) != int(count) and "multiplefiles" not in words:
        raise refusal(source, f"line {line}, Count", count, f"{len(files)}, the number of files")
    files = files or [None] * int(count or 1)
    cores = words.get("cores", words.get("cpus"))
    if cores is not None:
        numbers(cores, source=source, where=f"line {line}, Cores")
    links = _links(words["links"], line, source) if "links" in words else None
    for name in files:
        yield ConfiguredGpu(line, words.get("type"), name, cores, links)


def _links(text: str, line: int, source: str) -> tuple[int, ...]:
    parts = text.split(",")
    # The number of fields is compared with the number of GPUs later: an empty one must not shift the others.
    if not all(re.fullmatch(r"-1|\d{0,4}", part) for part in parts):
        raise refusal(source, f"line {line}, Links", repr(text[:60]), "numbers with commas, -1 for the GPU itself")
    return tuple(int(part) if part else _BLANK for part in parts)


def _check_links(gpus: list[ConfiguredGpu], source: str) -> None:
    told = [(place, gpu, gpu.links) for place, gpu in enumerate(gpus) if gpu.links is not None]
    for place, gpu, links in told:
        where = f"line {gpu.line}, Links"
        if len(links) != len(gpus):
            raise refusal(source, where, f"{len(links)} fields", f"{len(gpus)} fields, one a GPU")
        for other, count in enumerate(links):
            if count == _BLANK:
                raise refusal(source, where, f"field {other + 1} is empty", "a number")
            if (count == -1) != (other == place):
                raise refusal(source, where, str(count), f"-1 in field {place + 1} and nowhere else")
    for place, gpu, links in told:
        for other, count in enumerate(links):
            back = gpus[other].links
            if back is not None and back[place] != count:
                where = f"line {gpu.line}, Links, field {other + 1}"
                expected = f"{back[place]}, as line {gpus[other].line} has in field {place + 1} for the way back"
                raise refusal(source, where, str(count), expected)


def _device_number(file: str | None) -> int | None:
    match = re.search(r"(\d+)$", file or "")
    return int(match[1]) if match else None


def core_groups(gpus: Iterable[ConfiguredGpu]) -> dict[str, list[int]] | None:
    """Return slots by the cores near them.

    Parameters
    ----------
    gpus : iterable of ConfiguredGpu
        All GPUs of a node.

    Returns
    -------
    dict or None
        None unless the cores of every GPU are told.
    """
    groups: dict[str, list[int]] = {}
    for slot, gpu in enumerate(gpus):
        if gpu.cores is None:
            return None
        groups.setdefault(gpu.cores, []).append(slot)
    return groups or None
