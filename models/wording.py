"""The errors of the validating library as problems in the words of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .errors import Problem

LONGEST = 60

_EXPECTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "missing": lambda _: "a value: this field is required",
    "extra_forbidden": lambda _: "only fields that are known here; this one is not",
    "model_type": lambda _: "a mapping of fields",
    "dict_type": lambda _: "a mapping",
    "tuple_type": lambda _: "a list",
    "list_type": lambda _: "a list",
    "string_type": lambda _: "a text (in quotes where it looks like a number, a date or a truth value)",
    "int_type": lambda _: "a whole number",
    "int_from_float": lambda _: "a whole number",
    "int_parsing": lambda _: "a whole number",
    "float_type": lambda _: "a number",
    "float_parsing": lambda _: "a number",
    "bool_type": lambda _: "true or false",
    "finite_number": lambda _: "a finite number",
    "too_short": lambda limits: f"a list of at least {limits['min_length']}",
    "too_long": lambda limits: f"a list of at most {limits['max_length']}",
    "string_too_short": lambda limits: f"a text of at least {_characters(limits['min_length'])}",
    "string_too_long": lambda limits: f"a text of at most {_characters(limits['max_length'])}",
    "greater_than_equal": lambda limits: f"at least {_plain(limits['ge'])}",
    "less_than_equal": lambda limits: f"at most {_plain(limits['le'])}",
    "literal_error": lambda limits: str(limits["expected"]),
}


def problems_of(error: ValidationError, data: Any = None) -> list[Problem]:
    """Return what a validation error says as problems with paths.

    Parameters
    ----------
    error : ValidationError
        As raised by a `Model`.
    data : Any, optional
        What was validated. With it paths hold only what stands in the file, without the names of alternatives,
        and several expectations of one place become one problem.

    Returns
    -------
    list of Problem
        One a place, in the order of the document's fields.
    """
    merged: dict[tuple[str, str], list[str]] = {}
    for detail in error.errors(include_url=False, include_context=True):
        if _follows_from_another(detail):
            continue
        missing = detail["type"] == "missing"
        found = "" if missing else shown(detail["input"])
        loc = detail["loc"] if data is None else _real(detail["loc"], data, missing=missing)
        expected = _expected(detail)
        known = merged.setdefault((path_of(loc), found), [])
        if expected not in known:
            known.append(expected)
    return [Problem(path, found, ", or ".join(expected)) for (path, found), expected in merged.items()]


def path_of(parts: Iterable[int | str]) -> str:
    """Return a path such as ``jobs[3].pods[0].slots[1]``.

    Parameters
    ----------
    parts : iterable of int or str
        List positions and field names, outermost first.

    Returns
    -------
    str
        The path; empty for the document itself.
    """
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part.isidentifier() or part.replace("-", "_").isidentifier():
            path += f".{part}" if path else part
        else:
            path += f"[{part!r}]"
    return path


def shown(value: Any) -> str:
    """Return a value as a message shows it, on one line, cut at `LONGEST` characters.

    Parameters
    ----------
    value : Any
        What was found.

    Returns
    -------
    str
        A short text.
    """
    if isinstance(value, dict | BaseModel):
        return "a mapping" if value else "an empty mapping"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _real(loc: tuple[int | str, ...], data: Any, *, missing: bool) -> list[int | str]:
    # Alternatives of a type add their names to a path; they are what does not lead anywhere in the data.
    parts: list[int | str] = []
    for place, part in enumerate(loc):
        if _leads_on(data, part):
            data = data[part]
        elif not (missing and place == len(loc) - 1):
            continue
        parts.append(part)
    return parts


def _leads_on(data: Any, part: int | str) -> bool:
    if isinstance(data, list | tuple):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


def _follows_from_another(detail: ErrorDetails) -> bool:
    # A list whose entries were refused counts as shorter than it is.
    value = detail["input"]
    return (
        detail["type"] == "too_short"
        and isinstance(value, list | tuple | dict)
        and len(value) >= detail["ctx"]["min_length"]
    )


def _expected(detail: ErrorDetails) -> str:
    limits = detail.get("ctx", {})
    if detail["type"] == "string_pattern_mismatch":
        return "a name without control characters" if "x00" in limits["pattern"] else "a whole number as a text"
    if detail["type"] in _EXPECTED:
        return _EXPECTED[detail["type"]](limits)
    return detail["msg"].removeprefix("Value error, ").replace("Input should be ", "")


def _characters(number: int) -> str:
    return "1 character" if number == 1 else f"{number} characters"


def _plain(limit: float) -> str:
    return f"{limit:,.6f}".rstrip("0").rstrip(".").replace(",", "") if isinstance(limit, float) else str(limit)
