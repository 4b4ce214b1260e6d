"""``topreempt schema``: the JSON Schema of the files."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..models.instance import Instance
from ..models.plan import Plan
from .terminal import emit_json

EXAMPLE = "topreempt schema instance"


class Kind(StrEnum):
    """The files that have a schema."""

    INSTANCE = "instance"
    PLAN = "plan"


def run(kind: Annotated[Kind, typer.Argument(help="Which file.")]) -> None:
    """Print the JSON Schema of an instance or a plan, for editors and other tools."""
    model = Instance if kind is Kind.INSTANCE else Plan
    schema = model.model_json_schema()
    emit_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
