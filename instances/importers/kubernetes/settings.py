"""Every name that an import looks for: labels, annotations, resources and kinds; a site overrides what it renamed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from ....models.base import Model, Name, Seq
from ....models.document import load_document
from .device_settings import DeviceSettings
from .job_settings import JobSettings
from .level_settings import LevelSettings


class Tolerated(Model):
    """A taint that a request given in our own format stands."""

    key: str = Field("", description="Its key; empty: every key.")
    value: str | None = Field(None, description="Its value; none: every value.")
    effect: Literal["NoSchedule", "NoExecute", ""] = Field("", description="Its effect; empty: every effect.")


class RequestSettings(Model):
    """What a waiting workload says about how close its pods must be."""

    required_keys: Seq[Name] = Field(
        (
            "kueue.x-k8s.io/podset-required-topology",
            "kai.scheduler/topology-required-placement",
            "leaderworkerset.sigs.k8s.io/exclusive-topology",
            "alpha.jobset.sigs.k8s.io/exclusive-topology",
        ),
        description="Annotations with the label whose value all pods must share.",
    )
    preferred_keys: Seq[Name] = Field(
        ("kueue.x-k8s.io/podset-preferred-topology", "kai.scheduler/topology-preferred-placement"),
        description="Annotations with the label whose value all pods should share.",
    )
    slice_size_keys: Seq[Name] = Field(
        ("kueue.x-k8s.io/podset-slice-size", "kai.scheduler/segment-size"),
        description="Annotations with the number of pods of a slice.",
    )
    slice_required_keys: Seq[Name] = Field(
        (
            "kueue.x-k8s.io/podset-slice-required-topology",
            "kai.scheduler/segment-topology-required-placement",
        ),
        description="Annotations with the label whose value the pods of a slice must share.",
    )
    slice_preferred_keys: Seq[Name] = Field(
        ("kai.scheduler/segment-topology-preferred-placement",),
        description="Annotations with the label whose value the pods of a slice should share.",
    )
    hierarchy_keys: Seq[Name] = Field(
        ("kai.scheduler/topology",), description="Annotations with the Topology object that counts."
    )
    island_keys: Seq[Name] = Field(
        ("topreempt/island",), description="Annotations with the island of one pod, such as numa or numa:best-effort."
    )
    tolerated: Seq[Tolerated] = Field(
        (), description="Taints that a request in our own format stands, besides those named like a GPU resource."
    )


class Settings(Model):
    """All names of an import in four parts."""

    levels: LevelSettings = Field(default_factory=LevelSettings, description="Where nodes stand.")
    devices: DeviceSettings = Field(default_factory=DeviceSettings, description="What a GPU is called.")
    jobs: JobSettings = Field(default_factory=JobSettings, description="What makes pods a job.")
    request: RequestSettings = Field(default_factory=RequestSettings, description="How close a request's pods must be.")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read settings from a JSON or YAML file; what it does not name keeps its default.

        Parameters
        ----------
        path : str or Path
            The file; ``-`` is standard input.

        Returns
        -------
        Settings
            The validated settings.

        Raises
        ------
        InstanceError
            The file cannot be read or names what is no setting.
        """
        return cls.parse(load_document(path), source=str(path))

    def with_options(self, **parts: dict[str, Any]) -> Self:
        """Return settings with some names replaced.

        Parameters
        ----------
        **parts : dict
            For each part (``levels``, ``devices``, ``jobs``, ``request``) the fields to replace.

        Returns
        -------
        Settings
            Validated anew.

        Raises
        ------
        InstanceError
            A value that the field does not take.
        """
        plain = self.model_dump()
        for part, fields in parts.items():
            plain[part] |= fields
        return self.parse(plain, source="options")


def first_of(keys: tuple[str, ...], *maps: dict[str, str]) -> tuple[str, str] | None:
    """Return the first of several keys that one of several mappings has.

    Parameters
    ----------
    keys : tuple of str
        Labels or annotations, the most trusted first.
    *maps : dict
        Labels and annotations.

    Returns
    -------
    tuple of (str, str) or None
        Key and value; an empty value counts as absent.
    """
    for key in keys:
        for names in maps:
            if names.get(key):
                return key, names[key]
    return None
