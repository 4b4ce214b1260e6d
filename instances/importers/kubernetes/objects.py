"""What all Kubernetes objects of an import have in common: lenient about fields, strict about types."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError
from pydantic.alias_generators import to_camel

from ....models import InstanceError, Problem
from ....models.base import Seq, problems_of, shown
from .quantities import Quantity
from .times import Time

KubeName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\x00-\x1f\x7f]+$")]
Word = Annotated[str, Field(max_length=512, pattern=r"^[^\x00-\x1f\x7f]*$")]
Labels = dict[KubeName, Word]
Resources = dict[KubeName, Quantity]

DEFAULT_NAMESPACE = "default"


class Part(BaseModel):
    """A part of an object: fields that we do not read are passed over, those that we read have their types."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, alias_generator=to_camel)


class OwnerReference(Part):
    """Who made an object."""

    api_version: str = ""
    kind: KubeName
    name: KubeName
    controller: bool = False


class Meta(Part):
    """Metadata, as far as we read it."""

    name: KubeName
    namespace: KubeName = DEFAULT_NAMESPACE
    labels: Labels = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)
    owner_references: Seq[OwnerReference] = ()
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: Annotated[int, Field(ge=0, le=10**9)] | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages the object; without a marked one, the only owner."""
        marked = [owner for owner in self.owner_references if owner.controller]
        if marked:
            return marked[0]
        return self.owner_references[0] if len(self.owner_references) == 1 else None


class KubeObject(Part):
    """A whole object."""

    metadata: Meta
    namespaced: ClassVar[bool] = True
    _file: str = PrivateAttr("")
    _path: str = PrivateAttr("")

    @classmethod
    def read(cls, data: Any, *, file: str, path: str) -> Self:
        """Return the object that plain data describes.

        Parameters
        ----------
        data : Any
            Its fields.
        file, path : str
            Where it stands, for messages.

        Returns
        -------
        Self
            The validated object.

        Raises
        ------
        InstanceError
            With every problem of the object.
        """
        try:
            found = cls.model_validate(data)
        except ValidationError as error:
            raise InstanceError(
                [
                    Problem(_join(path, problem.path), problem.value, f"{problem.expected}{_called(cls, data)}")
                    for problem in problems_of(error)
                ],
                source=file,
            ) from None
        found._file, found._path = file, path
        return found

    @property
    def key(self) -> str:
        """``namespace/name``; the bare name where the kind knows no namespaces."""
        return f"{self.metadata.namespace}/{self.metadata.name}" if self.namespaced else self.metadata.name

    def mistake(self, field: str, value: Any, expected: str) -> InstanceError:
        """Return the error that a field of this object deserves.

        Parameters
        ----------
        field : str
            Its path within the object.
        value : Any
            What stands there.
        expected : str
            What should.

        Returns
        -------
        InstanceError
            To be raised by the caller.
        """
        expected = f"{expected} ({type(self).__name__} {self.key})"
        return InstanceError([Problem(_join(self._path, field), shown(value), expected)], source=self._file)

    def at(self, file: str, path: str) -> Self:
        """Return the same object with an origin for its messages.

        Parameters
        ----------
        file, path : str
            Where it comes from.

        Returns
        -------
        Self
            This object.
        """
        self._file, self._path = file, path
        return self

    @property
    def origin(self) -> tuple[str, str]:
        """File and path that it was read from."""
        return self._file, self._path


def _join(path: str, field: str) -> str:
    if not path or not field:
        return path or field
    return f"{path}{field}" if field.startswith("[") else f"{path}.{field}"


def _called(cls: type[KubeObject], data: Any) -> str:
    meta = data.get("metadata") if isinstance(data, dict) else None
    name = meta.get("name") if isinstance(meta, dict) else None
    return f" ({cls.__name__} {shown(name).strip(chr(39))})" if name else f" ({cls.__name__})"
