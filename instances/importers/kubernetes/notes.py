"""The assumptions of an import: what was read out of the data that the data does not say outright."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_NAMES = 5


@dataclass
class Notes:
    """Sentences in the order in which they came up; what concerns many objects is one sentence with examples."""

    _said: dict[str, list[str]] = field(default_factory=dict)

    def say(self, sentence: str) -> None:
        """Keep a sentence, once.

        Parameters
        ----------
        sentence : str
            A whole sentence with its full stop.
        """
        self._said.setdefault(sentence, [])

    def of(self, name: str, sentence: str) -> None:
        """Keep a sentence that holds for one object among many.

        Parameters
        ----------
        name : str
            The object.
        sentence : str
            What was assumed, the same words for every object that it holds for.
        """
        self._said.setdefault(sentence, []).append(name)

    def lines(self) -> tuple[str, ...]:
        """Return all sentences, each with how many objects it holds for and the first few names.

        Returns
        -------
        tuple of str
            In the order of first use.
        """
        return tuple(sentence + _examples(sorted(set(names))) for sentence, names in self._said.items())


def _examples(names: list[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > MOST_NAMES else ""
    return f" ({len(names)}: {', '.join(names[:MOST_NAMES])}{more})"
