"""``--set a.b[0].c=value``: change fields of an instance's plain data before it is validated."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from ..models.document import parse_document
from ..models.errors import InstanceError, Problem

_STEP = re.compile(r"""(?:^|\.)(?P<name>[^.\[\]=]+)|\[(?P<index>\d+)\]|\[(?P<quote>['"])(?P<key>.*?)(?P=quote)\]""")


def apply(data: Any, settings: list[str]) -> Any:
    """Return plain data with settings applied in order.

    Parameters
    ----------
    data : Any
        A document's dicts, lists and scalars; changed in place.
    settings : list of str
        Such as ``request.priority=500``, ``jobs[2].pods[0].slots=[1, 2]`` or ``policy.weights.table['10']=3``.
        Values are JSON or YAML; an empty one is null. A mapping that is absent is made, a list entry must exist.

    Returns
    -------
    Any
        The changed data.

    Raises
    ------
    InstanceError
        A setting is not of this form, or leads through something that is no mapping or no list.
    """
    for setting in settings:
        path, equals, text = _split(setting)
        if not equals:
            raise _refused(setting, "", "PATH=VALUE, such as request.priority=500")
        steps = _steps(setting, path)
        value = parse_document(text.encode(), name=f"--set {path}") if text.strip() else None
        target = data
        for step, after in pairwise(steps):
            child = _child(setting, target, step)
            if child is None:
                child = {} if isinstance(after, str) else []
                target[step] = child
            target = child
        _child(setting, target, steps[-1])
        target[steps[-1]] = value
    return data


def _split(setting: str) -> tuple[str, str, str]:
    # A quoted key may hold an equals sign.
    end = 0
    for match in _STEP.finditer(setting):
        if match.start() != end:
            break
        end = match.end()
    head, equals, text = setting[end:].partition("=")
    return setting[:end] + head, equals, text


def _steps(setting: str, path: str) -> list[str | int]:
    steps: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        if match.start() != end:
            break
        end = match.end()
        index = match["index"]
        steps.append(int(index) if index is not None else match["key"] if match["quote"] else match["name"])
    if end != len(path) or not steps:
        raise _refused(setting, repr(path), "a path such as request.priority or jobs[0].pods[1].slots")
    return steps


def _child(setting: str, target: Any, step: str | int) -> Any:
    if isinstance(step, str):
        if not isinstance(target, dict):
            raise _refused(setting, f"{step!r} of a {type(target).__name__}", "a mapping that can have this field")
        return target.get(step)
    if not isinstance(target, list) or step >= len(target):
        has = f"a list of {len(target)}" if isinstance(target, list) else f"a {type(target).__name__}"
        raise _refused(setting, f"[{step}] of {has}", "an entry that exists")
    return target[step]


def _refused(setting: str, value: str, expected: str) -> InstanceError:
    return InstanceError([Problem(f"--set {setting}", value, expected)])
