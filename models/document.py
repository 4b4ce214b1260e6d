"""Text of a JSON or YAML file to plain data, with limits on size and depth and one clear message for what is broken."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from .errors import InstanceError, Problem

MAX_BYTES = 1 << 30
MAX_DEPTH = 40

_EXPONENT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$")


def load_document(path: str | Path) -> Any:
    """Read a file (``-``: standard input) and return its plain data.

    Parameters
    ----------
    path : str or Path
        The suffix decides: ``.json`` is JSON, ``.yaml`` and ``.yml`` are YAML; standard input may be either.

    Returns
    -------
    Any
        Dicts, lists and scalars.

    Raises
    ------
    InstanceError
        The file cannot be read, is empty, too large, too deep, wrongly encoded or not well-formed.
    """
    name = str(path)
    raw = read_bytes(path)
    suffix = Path(name).suffix.lower()
    if name != "-" and suffix not in {".json", ".yaml", ".yml"}:
        raise _refused(name, repr(suffix), "a file name that ends in .json, .yaml or .yml")
    return parse_document(raw, name=name, json_only=suffix == ".json")


def read_bytes(path: str | Path) -> bytes:
    """Return what a file holds.

    Parameters
    ----------
    path : str or Path
        The file; ``-`` is standard input.

    Returns
    -------
    bytes
        At most one more than `MAX_BYTES`; `text_of_bytes` refuses what is larger.

    Raises
    ------
    InstanceError
        The file cannot be read.
    """
    name = str(path)
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refused(name, "", f"a readable file ({error.strerror or error})") from None
    except ValueError as error:
        raise _refused(name, "", f"a usable file name ({error})") from None


def parse_document(raw: bytes, *, name: str, json_only: bool = False) -> Any:
    """Return the plain data of a document's bytes.

    Parameters
    ----------
    raw : bytes
        UTF-8 text, with or without a byte order mark.
    name : str
        The file's name, for messages.
    json_only : bool
        Refuse YAML that is not JSON.

    Returns
    -------
    Any
        Dicts, lists and scalars.

    Raises
    ------
    InstanceError
        As for `load_document`.
    """
    text = text_of_bytes(raw, name=name)
    data = _parse(text, name, json_only)
    _check_depth(data, name)
    return data


def text_of_bytes(raw: bytes, *, name: str, kind: str = "a JSON or YAML document") -> str:
    """Return the text of a document's bytes.

    Parameters
    ----------
    raw : bytes
        UTF-8 text, with or without a byte order mark.
    name : str
        The file's name, for messages.
    kind : str
        What was expected where there is nothing, for messages.

    Returns
    -------
    str
        Not blank.

    Raises
    ------
    InstanceError
        It is empty, too large, no UTF-8 or no text.
    """
    if len(raw) > MAX_BYTES:
        raise _refused(name, f"more than {MAX_BYTES} bytes", "a file of at most 1 GiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte 0x{raw[error.start]:02x} at offset {error.start}, line {raw.count(10, 0, error.start) + 1}"
        raise _refused(name, where, "UTF-8 text") from None
    if not text or text.isspace():
        raise _refused(name, "an empty file", kind)
    if "\0" in text:
        raise _refused(name, f"a NUL character at offset {text.index(chr(0))}", "UTF-8 text")
    return text


def parse_yaml_stream(text: str, *, name: str) -> list[Any]:
    """Return the plain data of every document of a YAML stream; blank documents are left out.

    Parameters
    ----------
    text : str
        Documents between ``---`` lines.
    name : str
        The file's name, for messages.

    Returns
    -------
    list
        Dicts, lists and scalars.

    Raises
    ------
    InstanceError
        As for `load_document`.
    """
    documents = [data for data in _yaml_documents(text, name) if data is not None]
    for data in documents:
        _check_depth(data, name)
    return documents


def _parse(text: str, name: str, json_only: bool) -> Any:
    if json_only or text.lstrip()[0] in "{[":
        try:
            return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_pairs)
        except json.JSONDecodeError as error:
            if json_only:
                where = f"line {error.lineno}, column {error.colno}"
                raise _refused(name, "", f"well-formed JSON ({error.msg})", where) from None
        except RecursionError:
            raise _refused(name, "a deeper document", f"at most {MAX_DEPTH} levels") from None
        except ValueError as error:
            raise _refused(name, "", f"well-formed JSON ({_first(error)})") from None
    return _parse_yaml(text, name)


def _parse_yaml(text: str, name: str) -> Any:
    documents = _yaml_documents(text, name)
    if len(documents) > 1:
        raise _refused(name, f"{len(documents)} documents", "a single YAML document")
    return documents[0] if documents else None


def _yaml_documents(text: str, name: str) -> list[Any]:
    import yaml

    try:
        _refuse_aliases(text)
        return list(yaml.load_all(text, Loader=_yaml_loader()))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise _refused(name, "", f"well-formed YAML ({error.problem or error.context})", where) from None
    except yaml.YAMLError as error:
        raise _refused(name, "", f"well-formed YAML ({' '.join(str(error).split())})") from None
    except RecursionError:
        raise _refused(name, "a deeper document", f"at most {MAX_DEPTH} levels") from None
    except (ValueError, OverflowError, TypeError) as error:
        raise _refused(name, "", f"well-formed YAML ({_first(error)})") from None


def _refuse_aliases(text: str) -> None:
    # They can blow a small file up; the C parser offers no place to stop them while it composes.
    import yaml

    if "*" in text:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.AliasEvent):
                mark: Any = event.start_mark
                raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)


def _yaml_loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """A safe loader that refuses repeated keys and keys that are no scalars."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[Any] = set()
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if not isinstance(key, str | int | float | bool | None):
                    raise yaml.MarkedYAMLError(problem="a key that is no scalar", problem_mark=key_node.start_mark)
                if key in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark
                    )
                seen.add(key)
            return super().construct_mapping(node, deep)

    # YAML 1.2 and JSON read 1e3 as a number; YAML 1.1, which PyYAML follows, wants 1.0e+3.
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+.0123456789"))
    return Loader


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, count in times.items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return result


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number that JSON has")


def _check_depth(data: Any, name: str) -> None:
    layer = [data]
    for _ in range(MAX_DEPTH):
        layer = [
            child
            for item in layer
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not layer:
            return
    raise _refused(name, "a deeper document", f"at most {MAX_DEPTH} levels")


def _first(error: Exception) -> str:
    # The rest of such a text is advice to programmers.
    return str(error).split(";")[0]


def _refused(name: str, value: str, expected: str, where: str = "") -> InstanceError:
    return InstanceError([Problem(where, value, expected)], source=name)
