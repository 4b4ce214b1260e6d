"""What every field of a file has in common: strict types, frozen objects, no unknown fields, paths in messages."""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from .errors import InstanceError
from .wording import path_of, problems_of, shown

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
            raise InstanceError(problems_of(error, data), source=source) from None


__all__ = ["Amount", "Count", "Model", "Name", "Priority", "Seq", "Share", "Slot", "path_of", "problems_of", "shown"]
