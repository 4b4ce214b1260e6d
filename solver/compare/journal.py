"""A comparison on disk: what it is, and the outcomes so far, so that an interrupted run loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...models.errors import ConfigError, InstanceError
from .outcome import Outcome

DEFINITION = "comparison.json"
OUTCOMES = "outcomes.jsonl"


class Journal:
    """The folder of one comparison.

    Parameters
    ----------
    folder : Path
        The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._done: dict[int, list[Outcome]] = {}

    @classmethod
    def begin(cls, folder: Path, definition: Mapping[str, Any]) -> Journal:
        """Start a comparison in a folder that holds none.

        Parameters
        ----------
        folder : Path
            Made if absent.
        definition : mapping
            All that is needed to make its instances again and to know what is done with them.

        Returns
        -------
        Journal
            Empty.

        Raises
        ------
        ConfigError
            The folder holds a comparison already, or cannot be written.
        """
        if (folder / DEFINITION).exists():
            raise ConfigError(f"--out: {folder} holds a comparison already; go on with --resume {folder}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draft = folder / (DEFINITION + ".part")
            draft.write_text(json.dumps(definition, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            (folder / OUTCOMES).write_bytes(b"")
            draft.replace(folder / DEFINITION)
        except OSError as error:
            raise ConfigError(f"--out: found {folder}, expected a folder that can be written ({error})") from None
        return cls(folder)

    @classmethod
    def resume(cls, folder: Path) -> tuple[Journal, dict[str, Any]]:
        """Go on with the comparison of a folder.

        Parameters
        ----------
        folder : Path
            As `begin` left it.

        Returns
        -------
        tuple of Journal and dict
            With the outcomes so far, and the definition. A last line that an interruption cut short is dropped.

        Raises
        ------
        ConfigError
            The folder holds no comparison, or one that was changed.
        """
        try:
            definition = json.loads((folder / DEFINITION).read_text(encoding="utf-8"))
            raw = (folder / OUTCOMES).read_bytes()
        except (OSError, ValueError) as error:
            raise ConfigError(f"--resume: found {folder}, expected the folder of a comparison ({error})") from None
        journal = cls(folder)
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                outcomes = [Outcome.parse(each, source=OUTCOMES) for each in json.loads(line)]
            except (ValueError, TypeError, InstanceError) as error:
                text = f"--resume: {folder / OUTCOMES}, line {number}: expected the outcomes of one instance"
                raise ConfigError(f"{text} ({error})") from None
            journal._remember(outcomes)
        if len(whole) < len(raw):
            os.truncate(folder / OUTCOMES, len(whole))
        return journal, definition

    @property
    def done(self) -> frozenset[int]:
        """Numbers of the cases that are done."""
        return frozenset(self._done)

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes so far, in the order of the cases."""
        return [outcome for number in sorted(self._done) for outcome in self._done[number]]

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Write the outcomes of one case down; they are on disk when this returns.

        Parameters
        ----------
        outcomes : sequence of Outcome
            One a policy.
        """
        line = json.dumps([outcome.model_dump(mode="json") for outcome in outcomes], separators=(",", ":"))
        with (self.folder / OUTCOMES).open("ab") as file:
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._remember(outcomes)

    def _remember(self, outcomes: Sequence[Outcome]) -> None:
        if outcomes:
            self._done[outcomes[0].case] = list(outcomes)
