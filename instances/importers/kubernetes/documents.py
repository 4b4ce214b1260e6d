"""Files of Kubernetes objects to raw objects one by one: lists opened, JSON streams and YAML documents alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from ....models import InstanceError, Problem
from ....models.base import shown
from ....models.document import parse_yaml_stream, read_bytes, text_of_bytes
from .json_stream import JsonReader

Advance = Callable[[float], None]

# Flow-style YAML begins with a bracket too; what follows it tells the two apart.
_JSON: Final = re.compile(r'\s*[{\[]\s*(?:["{\[\]}]|\Z)')


class Raw(NamedTuple):
    """An object as a file has it.

    Attributes
    ----------
    path : str
        Where it stands in the file, such as ``items[3]``.
    data : dict
        Its fields; nulls are left out, as the API reads them.
    """

    path: str
    data: dict[str, Any]


def raw_objects(path: str | Path, advance: Advance | None = None) -> Iterator[Raw]:
    """Read a file's objects.

    Parameters
    ----------
    path : str or Path
        JSON or YAML, whatever its suffix; ``-`` is standard input. One object or list, or several in a row.
    advance : callable, optional
        Told after each object which part of the file is done, from 0 to 1.

    Yields
    ------
    Raw
        In the order of the file. An object of a typed list (``PodList``) gets the list's kind and version.

    Raises
    ------
    InstanceError
        The file cannot be read or is not well-formed, or something in it is no object.
    """
    source = str(path)
    text = text_of_bytes(read_bytes(path), name=source)
    if _JSON.match(text):
        reader = JsonReader(text, source)
        number = 0
        while reader.peek():
            for raw in _of_json(reader, f"document[{number}]" if number else "", source):
                yield raw
                if advance is not None:
                    advance(reader.at / len(text))
            number += 1
        return
    documents = parse_yaml_stream(text, name=source)
    for number, document in enumerate(documents):
        place = f"document[{number}]" if len(documents) > 1 else ""
        yield from _opened(_without_nulls(document), place, source)
        if advance is not None:
            advance((number + 1) / len(documents))


def _of_json(reader: JsonReader, path: str, source: str) -> Iterator[Raw]:
    if reader.peek() != "{":
        yield from _opened(reader.value(), path, source)
        return
    head: dict[str, Any] = {}
    listed = False
    for key in reader.fields():
        if key == "items" and reader.peek() == "[" and str(head.get("kind", "List")).endswith("List"):
            listed = True
            kind = _item_type(head)
            for index, item in enumerate(reader.items()):
                yield from _opened(item, _join(path, f"items[{index}]"), source, kind)
        else:
            value = reader.value()
            if value is not None:
                head[key] = value
    if not listed:
        yield from _opened(head, path, source)
    elif not str(head.get("kind", "")).endswith("List"):
        _refuse(source, _join(path, "kind"), shown(head.get("kind")), "List, for what has items")


def _opened(data: Any, path: str, source: str, kind: tuple[str, str] = ("", "")) -> Iterator[Raw]:
    if not isinstance(data, dict):
        _refuse(source, path, shown(data), "a Kubernetes object: a mapping with apiVersion and kind")
    data = {"kind": kind[0], "apiVersion": kind[1], **data}
    for field in ("apiVersion", "kind"):
        if not isinstance(data[field], str) or not data[field]:
            found = shown(data[field]) if data[field] else ""
            _refuse(source, _join(path, field), found, "a Kubernetes object, with apiVersion and kind")
    if not data["kind"].endswith("List"):
        yield Raw(path, data)
        return
    items = data.get("items", [])
    if not isinstance(items, list):
        _refuse(source, _join(path, "items"), shown(items), "a list of objects")
    for index, item in enumerate(items):
        yield from _opened(item, _join(path, f"items[{index}]"), source, _item_type(data))


def _item_type(head: dict[str, Any]) -> tuple[str, str]:
    kind = str(head.get("kind", "List"))
    return (kind.removesuffix("List"), str(head.get("apiVersion", ""))) if kind != "List" else ("", "")


def _without_nulls(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_nulls(value) for key, value in data.items() if value is not None}
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data


def _join(path: str, step: str) -> str:
    return f"{path}.{step}" if path else step


def _refuse(source: str, path: str, value: str, expected: str) -> NoReturn:
    raise InstanceError([Problem(path, value, expected)], source=source)
