"""Instances and plans to files, whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from ..models.errors import ConfigError
from ..models.instance import Instance
from ..models.plan import Plan

_SUFFIXES = (".json", ".yaml", ".yml")


def plain_instance(instance: Instance) -> dict[str, Any]:
    """Return an instance as the plain data of a file, without fields that hold their default.

    Parameters
    ----------
    instance : Instance
        Any instance.

    Returns
    -------
    dict
        `Instance.parse` gives an equal instance back.
    """
    return instance.model_dump(mode="json", exclude_defaults=True)


def plain_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as the plain data of a file, with every field.

    Parameters
    ----------
    plan : Plan
        Any plan.

    Returns
    -------
    dict
        `Plan.parse` gives an equal plan back.
    """
    return plan.model_dump(mode="json")


def writable(path: str | Path, suffixes: tuple[str, ...] = _SUFFIXES) -> Path:
    """Return the path of a file that shall be written, once its name and folder are known to be good.

    Parameters
    ----------
    path : str or Path
        The file.
    suffixes : tuple of str
        What its name may end in; default: ``.json``, ``.yaml`` or ``.yml``.

    Returns
    -------
    Path
        The same path.

    Raises
    ------
    ConfigError
        Another suffix, a folder that does not exist, or a name that is a folder's.
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise ConfigError(f"{path}: expected a file name that ends in {known}")
    if not target.parent.is_dir():
        raise ConfigError(f"{path}: the folder {target.parent} does not exist")
    if target.is_dir():
        raise ConfigError(f"{path}: expected a file, this is a folder")
    return target


def write_document(data: Any, path: str | Path) -> None:
    """Write plain data as JSON or YAML, by suffix; a reader sees the old file or the new one, never half of it.

    Parameters
    ----------
    data : Any
        Dicts, lists and scalars.
    path : str or Path
        See `writable`.

    Raises
    ------
    ConfigError
        The file cannot be written.
    """
    target = writable(path)
    write_text(text_of(data, json_only=target.suffix.lower() == ".json"), target)


def write_text(text: str, target: Path) -> None:
    """Write text to a file; a reader sees the old file or the new one, never half of it.

    Parameters
    ----------
    text : str
        All of it.
    target : Path
        See `writable`.

    Raises
    ------
    ConfigError
        The file cannot be written.
    """
    # The name's own target: a link stays a link.
    place = Path(os.path.realpath(target))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written ({error.strerror})") from None
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.chmod(_mode(place))
        draft.replace(place)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written ({error.strerror})") from None
    finally:
        draft.unlink(missing_ok=True)


def text_of(data: Any, *, json_only: bool) -> str:
    """Return plain data as the text of a file.

    Parameters
    ----------
    data : Any
        Dicts, lists and scalars.
    json_only : bool
        JSON; else YAML.

    Returns
    -------
    str
        The text, with a final line end.
    """
    if json_only:
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(data, Dumper=dumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    return text


def _mode(place: Path) -> int:
    if place.exists():
        return place.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
