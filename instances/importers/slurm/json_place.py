"""One object of Slurm's JSON with its path: fields in the shapes of old and new data parsers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....models import InstanceError
from ..plain_text import refusal
from .gres import Gres, parse_gres, parse_tres
from .words import NULL, state_words


@dataclass(frozen=True)
class Place:
    """One object.

    Attributes
    ----------
    source : str
        The file's name.
    path : str
        Where it stands in the file.
    data : dict
        Its fields.
    """

    source: str
    path: str
    data: dict[str, Any]

    def refused(self, name: str, value: Any, expected: str) -> InstanceError:
        """Return the error for one of its fields."""
        return refusal(self.source, f"{self.path}.{name}", repr(value)[:60], expected)

    def number(self, *names: str) -> int | None:
        """Return the first number that is told: plain, or as ``{set, infinite, number}``."""
        for name in names:
            value = self.data.get(name)
            if isinstance(value, dict):
                if not {"set", "number"} <= value.keys():
                    raise self.refused(name, value, "a number with set and infinite")
                value = value["number"] if value["set"] and not value.get("infinite") else None
            if value is None or (isinstance(value, str) and value in NULL):
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**53:
                raise self.refused(name, value, "a number")
            return int(value)
        return None

    def text(self, *names: str) -> str:
        """Return the first text that is told; empty if none is."""
        for name in names:
            value = self.data.get(name)
            if value is None:
                continue
            if not isinstance(value, str):
                raise self.refused(name, value, "a text")
            if value not in NULL:
                return value
        return ""

    def words(self, name: str) -> frozenset[str] | None:
        """Return a state: a text up to data parser 0.0.39, a list of texts since."""
        value = self.data.get(name)
        if value is None:
            return None
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in parts):
            raise self.refused(name, value, "a text or a list of texts")
        return frozenset(word for part in parts for word in state_words(part))

    def names(self, *names: str) -> tuple[str, ...] | None:
        """Return a list of texts, which old versions print as one text with commas."""
        for name in names:
            value = self.data.get(name)
            if value is None:
                continue
            parts = value.split(",") if isinstance(value, str) else value
            if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
                raise self.refused(name, value, "a list of texts")
            return tuple(part for part in parts if part not in NULL)
        return None

    def gres(self, name: str) -> tuple[Gres, ...] | None:
        """Return generic resources; None if they are not told."""
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.refused(name, value, "generic resources as a text")
        return parse_gres(value, source=self.source, where=f"{self.path}.{name}")

    def tres(self, *names: str) -> dict[str, float]:
        """Return the first trackable resources that are told."""
        name = next((name for name in names if self.text(name)), names[0])
        return parse_tres(self.text(name), source=self.source, where=f"{self.path}.{name}")

    def part(self, name: str) -> Place:
        """Return an object inside, empty if it is absent."""
        value = self.data.get(name) or {}
        if not isinstance(value, dict):
            raise self.refused(name, value, "an object")
        return Place(self.source, f"{self.path}.{name}", value)


def places(document: dict[str, Any], key: str, *, source: str) -> Iterator[Place]:
    """Yield the objects of a list of a document, each with its path."""
    entries = document[key]
    if not isinstance(entries, list):
        raise refusal(source, key, repr(entries)[:60], "a list")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise refusal(source, f"{key}[{index}]", repr(entry)[:60], "an object")
        yield Place(source, f"{key}[{index}]", entry)
