"""JSON read piece by piece: an object's keys and a list's items in turn, so that a long list is never held whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from ....models import InstanceError, Problem

_BLANK: Final = re.compile(r"[ \t\n\r]*")


class JsonReader:
    """A position in a JSON text.

    Parameters
    ----------
    text : str
        One JSON value, or several in a row.
    source : str
        The file's name, for messages.

    Attributes
    ----------
    at : int
        How many characters are read.
    """

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.at = 0
        self._decode = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant).raw_decode

    def peek(self) -> str:
        """Return the next character that is not blank, unread; empty at the end."""
        found = _BLANK.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return self.text[self.at : self.at + 1]

    def value(self) -> Any:
        """Read one value whole; nulls in its mappings are left out.

        Raises
        ------
        InstanceError
            It is not well-formed, too deep, or a key stands twice.
        """
        self.peek()
        try:
            value, self.at = self._decode(self.text, self.at)
        except json.JSONDecodeError as error:
            self.refuse(error.msg, at=error.pos)
        except RecursionError:
            self.refuse("fewer levels: the text is too deep")
        except ValueError as error:
            self.refuse(str(error))
        return value

    def fields(self) -> Iterator[str]:
        """Step into an object; between two keys the caller reads the value.

        Yields
        ------
        str
            The key, its colon read.
        """
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        seen: set[str] = set()
        while True:
            if self.peek() != '"':
                self.refuse("a key in double quotes")
            key = self.value()
            if key in seen:
                self.refuse(f"the key {key!r} stands twice")
            seen.add(key)
            self._take(":")
            yield key
            if self._take(",", "}") == "}":
                return

    def items(self) -> Iterator[Any]:
        """Step into a list and read its items one by one.

        Yields
        ------
        Any
            The next item.
        """
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            yield self.value()
            if self._take(",", "]") == "]":
                return

    def _take(self, *marks: str) -> str:
        found = self.peek()
        if found not in marks or not found:
            self.refuse(" or ".join(repr(mark) for mark in marks))
        self.at += 1
        return found

    def refuse(self, expected: str, *, at: int | None = None) -> NoReturn:
        """Refuse the text.

        Parameters
        ----------
        expected : str
            What should stand there.
        at : int, optional
            Where; default: here.

        Raises
        ------
        InstanceError
            Always, with line and column.
        """
        place = self.at if at is None else at
        line = self.text.count("\n", 0, place) + 1
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        where = f"line {line}, column {column}"
        raise InstanceError([Problem(where, "", f"well-formed JSON ({expected})")], source=self.source)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = {key: value for key, value in pairs if value is not None}
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise ValueError(f"the key {twice!r} stands twice")
    return result


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number that JSON has")
