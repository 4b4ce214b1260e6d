"""What `compare` runs on: files, or seeded instances of a scenario, as recipes that any process can follow."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any

from ..instances.generators import SCENARIOS
from ..models.errors import ConfigError
from ..models.instance import Instance
from ..solver.compare import Case
from ..solver.greedy.registry import policies
from .policies import EXACT

PAPER = "paper"
COUNT = 20


@dataclass(frozen=True)
class Study:
    """What is compared on a scenario where nothing else is said.

    Attributes
    ----------
    count : int
        Instances a cluster.
    policies : tuple of str
        The policies; empty: all.
    clusters : tuple of dict
        Sizes of each cluster; a table is made for each.
    """

    count: int = COUNT
    policies: tuple[str, ...] = ()
    clusters: tuple[dict[str, Any], ...] = field(default_factory=lambda: ({},))


STUDIES = {
    PAPER: Study(
        count=5000,
        policies=("godel-standard", "flextopo-exhaustive", "flextopo-early-stop", EXACT),
        clusters=({"nodes": 100}, {"nodes": 41}),
    )
}
"""arXiv 2411.11560: 5,000 preemptions on 100 simulated servers, and on as many as the authors had."""


def study_of(scenario: str) -> Study:
    """Return what is compared on a scenario by default.

    Parameters
    ----------
    scenario : str
        Its name.

    Returns
    -------
    Study
        Number of instances, policies, clusters.

    Raises
    ------
    ConfigError
        There is no such scenario.
    """
    if scenario not in SCENARIOS:
        raise ConfigError(f"--scenario: found {scenario!r}, expected one of {', '.join(SCENARIOS)}")
    return STUDIES.get(scenario, Study())


def checked_policies(names: Sequence[str]) -> tuple[str, ...]:
    """Return the policies of a comparison.

    Parameters
    ----------
    names : sequence of str
        As asked for; none: all.

    Returns
    -------
    tuple of str
        Each once, the exact engine last.

    Raises
    ------
    ConfigError
        No policy has one of these names.
    """
    known = (*policies(), EXACT)
    for name in names:
        if name not in known:
            raise ConfigError(f"--policy: found {name!r}, expected one of {', '.join(known)}")
    return tuple(name for name in known if not names or name in names)


def cases_of_files(files: Sequence[str]) -> list[dict[str, Any]]:
    """Return the recipes of instance files.

    Parameters
    ----------
    files : sequence of str
        Their names.

    Returns
    -------
    list of dict
        With a digest, so that a resumed run notices a changed file.

    Raises
    ------
    ConfigError
        A file cannot be read, or is standard input, which cannot be read twice.
    """
    recipes = []
    for name in files:
        if name == "-":
            raise ConfigError("compare: found -, expected names of files, which are read more than once")
        try:
            raw = Path(name).read_bytes()
        except OSError as error:
            raise ConfigError(f"{name}: expected a readable file ({error.strerror or error})") from None
        recipes.append({"file": str(Path(name).resolve()), "sha256": hashlib.sha256(raw).hexdigest()})
    return recipes


def cases_of_scenario(scenario: str, seed: int, count: int, sizes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the recipes of seeded instances.

    Parameters
    ----------
    scenario : str
        The family.
    seed : int
        Of the series.
    count : int
        How many.
    sizes : mapping
        Options of the family.

    Returns
    -------
    list of dict
        One an instance.

    Raises
    ------
    ConfigError
        The family has no such option.
    """
    known = signature(SCENARIOS[scenario]).parameters
    for name in sizes:
        if name not in known:
            raise ConfigError(f"--{name.replace('_', '-')}: scenario {scenario} has no such option")
    return [{"scenario": scenario, "seed": seed, "index": index, "sizes": dict(sizes)} for index in range(count)]


def numbered(recipes: Sequence[Mapping[str, Any]]) -> list[Case]:
    """Return recipes as the cases of a comparison.

    Parameters
    ----------
    recipes : sequence of mapping
        As above.

    Returns
    -------
    list of Case
        With names that say what they are.
    """
    return [
        Case(
            number,
            recipe["file"] if "file" in recipe else f"{recipe['scenario']}/{recipe['seed']}/{recipe['index']}",
            recipe,
        )
        for number, recipe in enumerate(recipes)
    ]


def load(recipe: Mapping[str, Any]) -> Instance:
    """Make the instance of a recipe.

    Parameters
    ----------
    recipe : mapping
        Of a file or of a scenario.

    Returns
    -------
    Instance
        The same wherever it is made.

    Raises
    ------
    InstanceError
        A file is no instance.
    ConfigError
        A file is not the one that the comparison began with.
    """
    if "file" not in recipe:
        return SCENARIOS[recipe["scenario"]](recipe["seed"], recipe["index"], **recipe["sizes"])
    raw = Path(recipe["file"]).read_bytes()
    if hashlib.sha256(raw).hexdigest() != recipe["sha256"]:
        raise ConfigError(f"{recipe['file']}: expected the file that the comparison began with, it has changed")
    return Instance.load(recipe["file"])
