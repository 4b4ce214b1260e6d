"""Kinds of changes as steps, the smallest first: what a dial and a choice are, and how a setting is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...models.explanation import ChangeCode
from ...models.instance import Instance

Edit = Callable[[Instance], Instance]
Item = str | int


@dataclass(frozen=True)
class Step:
    """One change.

    Attributes
    ----------
    settings : tuple of str
        As ``solve --set`` takes them.
    text : str
        In words.
    edit : callable
        Gives the changed instance.
    """

    settings: tuple[str, ...]
    text: str
    edit: Edit


@dataclass(frozen=True)
class Dial:
    """Changes of one kind that permit ever more: what one step permits, all later ones permit too.

    Attributes
    ----------
    code : ChangeCode
        What is changed.
    size : int
        Number of steps, at least 1.
    step : callable
        The step of a number from 0; the last one permits most.
    between : callable or None
        Where steps leave values out: the number of values between two neighbouring steps and how to get them, so
        that the smallest change can be found among them.
    """

    code: ChangeCode
    size: int
    step: Callable[[int], Step]
    between: Callable[[int, int], Dial] | None = None


@dataclass(frozen=True)
class Choice:
    """Changes of one kind that are alternatives to each other; they can also be made together.

    Attributes
    ----------
    code : ChangeCode
        What is changed.
    items : sequence of str or int
        What can be chosen, the most promising first.
    step : callable
        The step that makes some of the changes.
    together : bool
        Whether several changes at once permit more than each of them; else they are tried one by one.
    """

    code: ChangeCode
    items: Sequence[Item]
    step: Callable[[Sequence[Item]], Step]
    together: bool = True


def setting(path: str, value: object) -> str:
    """Return a setting as ``solve --set`` takes it.

    Parameters
    ----------
    path : str
        Such as ``request.priority``.
    value : object
        Plain data.

    Returns
    -------
    str
        ``path=value``.
    """
    return f"{path}={json.dumps(value, ensure_ascii=False)}"


def key(name: str) -> str:
    """Return a step of a path that leads to the field of a mapping, quoted where its name needs it.

    Parameters
    ----------
    name : str
        Any key.

    Returns
    -------
    str
        Such as ``.cpus`` or ``['nvidia.com/gpu']``.
    """
    plain = name.replace("_", "").replace("-", "").isalnum()
    quote = '"' if "'" in name else "'"
    return f".{name}" if plain else f"[{quote}{name}{quote}]"
