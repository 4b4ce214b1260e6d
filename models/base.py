"""What every field of a file has in common: strict types, frozen objects, no unknown fields, paths in messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError
from pydantic_core import ErrorDetails

from .errors import InstanceError, Problem

T = TypeVar("T")

Seq = Annotated[tuple[T, ...], Strict(False)]
Name = Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[^\x00-\x1f\x7f]+$")]
Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Slot = Annotated[int, Field(ge=0, le=10**6)]
Share = Annotated[float, Field(ge=1e-6, le=1, allow_inf_nan=False)]
Priority = Annotated[int, Field(ge=-(10**12), le=10**12)]


class Model(BaseModel):
    """A frozen, strictly typed part of a document that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @classmethod
    def parse(cls, data: Any, *, source: str = "") -> Self:
        """Return the object that plain data describes.

        Parameters
        ----------
        data : Any
            Dicts, lists and scalars.
        source : str
            The file's name, for messages.

        Returns
        -------
        Self
            The validated object.

        Raises
        ------
        InstanceError
            With every problem that was found, each with its path.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise InstanceError(problems_of(error), source=source) from None

    @classmethod
    def parse_json(cls, raw: bytes, *, source: str = "") -> Self:
        """Return the object that JSON bytes describe, read by pydantic's own JSON core.

        Parameters
        ----------
        raw : bytes
            One JSON document.
        source : str
            The file's name, for messages.

        Returns
        -------
        Self
            The validated object.

        Raises
        ------
        InstanceError
            With every problem that was found, each with its path.
        """
        try:
            return cls.model_validate_json(raw)
        except ValidationError as error:
            raise InstanceError(problems_of(error), source=source) from None


def problems_of(error: ValidationError) -> list[Problem]:
    """Return what a pydantic error says as problems with paths.

    Parameters
    ----------
    error : ValidationError
        As raised by a `Model`.

    Returns
    -------
    list of Problem
        One a detail.
    """
    return [
        Problem(path_of(detail["loc"]), _found(detail), _expected(detail))
        for detail in error.errors(include_url=False, include_context=True)
    ]


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
    """Return a value as a message shows it: its ``repr``, cut at 60 characters.

    Parameters
    ----------
    value : Any
        What was found.

    Returns
    -------
    str
        A short text.
    """
    text = type(value).__name__ if isinstance(value, dict | BaseModel) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _found(detail: ErrorDetails) -> str:
    return "" if detail["type"] == "missing" else shown(detail["input"])


def _expected(detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return "no field of this name is known here"
    if detail["type"] == "missing":
        return "this field is required"
    if detail["type"] == "string_pattern_mismatch":
        return "a name without control characters was expected"
    return detail["msg"].replace("Input should be", "expected")
