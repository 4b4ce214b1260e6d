"""What an import assumed or left out; the same sentence about many nodes or jobs is said once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MOST_NAMES: Final = 5


@dataclass
class Notes:
    """Sentences in the order in which they were first said."""

    _said: dict[str, dict[str, None]] = field(default_factory=dict)

    def say(self, *sentences: str) -> None:
        """Keep sentences, each once.

        Parameters
        ----------
        *sentences : str
            Whole sentences with their full stops.
        """
        for sentence in sentences:
            self._said.setdefault(sentence, {})

    def of(self, name: object, sentence: str) -> None:
        """Keep a sentence that holds for one of many.

        Parameters
        ----------
        name : object
            Which one.
        sentence : str
            The same words for every one for which it holds.
        """
        self._said.setdefault(sentence, {})[str(name)] = None

    def lines(self) -> tuple[str, ...]:
        """Return all sentences, each with how many it holds for and the first few names.

        Returns
        -------
        tuple of str
            In the order of first use; names in their order.
        """
        return tuple(sentence + _examples(sorted(names)) for sentence, names in self._said.items())


def _examples(names: list[str]) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > MOST_NAMES else ""
    return f" ({len(names)}: {', '.join(names[:MOST_NAMES])}{more})"
