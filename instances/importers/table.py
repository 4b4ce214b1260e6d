"""CSV files to validated rows: every mistake with its file, line and column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...models.base import problems_of, shown
from ...models.document import read_bytes, text_of_bytes
from ...models.errors import InstanceError, Problem

MOST_PROBLEMS = 100


class Row(BaseModel):
    """A row of a table: fields are columns; numbers are read from text, other columns are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, str_strip_whitespace=True)

    line: int = Field(0, description="Where it stands in the file, from 1.")


R = TypeVar("R", bound=Row)


def read_rows(path: str | Path, row: type[R]) -> list[R]:
    """Read a CSV file whose first line names its columns.

    Parameters
    ----------
    path : str or Path
        UTF-8, comma-separated; columns may stand in any order.
    row : type
        What a line is.

    Returns
    -------
    list of Row
        In the file's order; at least one.

    Raises
    ------
    InstanceError
        The file cannot be read, lacks a column, or a cell is not what its column holds.
    """
    source = str(path)
    lines = _lines(path, source)
    columns = [name.strip() for name in next(lines)[1]]
    _check_columns(columns, row, source)
    rows: list[R] = []
    problems: list[Problem] = []
    for number, cells in lines:
        if not cells:
            continue
        if len(cells) != len(columns):
            problems.append(Problem(f"line {number}", f"{len(cells)} cells", f"{len(columns)}, as the first line has"))
        else:
            try:
                rows.append(row.model_validate({**dict(zip(columns, cells, strict=True)), "line": number}))
            except ValidationError as error:
                problems += [
                    Problem(f"line {number}, column {problem.path}", problem.value, problem.expected)
                    for problem in problems_of(error)
                ]
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems:
        raise InstanceError(problems, source)
    if not rows:
        raise InstanceError([Problem("", "only a first line", "at least one line of data")], source)
    return rows


def _lines(path: str | Path, source: str) -> Iterator[tuple[int, list[str]]]:
    text = text_of_bytes(read_bytes(path), name=source, kind="a CSV file")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        problem = Problem(f"line {reader.line_num}", "", f"comma-separated cells ({error})")
        raise InstanceError([problem], source) from None


def _check_columns(columns: list[str], row: type[Row], source: str) -> None:
    problems = []
    for name, field in row.model_fields.items():
        if field.is_required() and name not in columns:
            problems.append(Problem("line 1", shown(",".join(columns)), f"a column named {name}"))
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    problems += [Problem("line 1", name, "each column once") for name in twice]
    if problems:
        raise InstanceError(problems, source)
