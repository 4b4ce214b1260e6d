"""The options that ask for explanations, shared by ``solve`` and ``explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..models.errors import ConfigError

if TYPE_CHECKING:
    from ..models.instance import Instance
    from ..solver.explain import Ask

Alternatives = Annotated[
    int | None,
    typer.Option("--alternatives", min=0, max=1000, metavar="K", help="List the K cheapest plans in other places."),
]
TradeOff = Annotated[bool, typer.Option("--tradeoff", help="What every combination of rungs costs.")]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--explain-limit",
        min=0,
        max=1e6,
        metavar="SECONDS",
        help="For explanations; default five times what the decision took, at least 1.",
    ),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Why each victim goes, where else it would fit, what blocks it and what would help."
    ),
]
Forbidden = Annotated[
    list[str] | None,
    typer.Option("--forbid-victim", metavar="JOB", help="What if this job must not be evicted; may be repeated."),
]
OnlyNodes = Annotated[
    list[str] | None,
    typer.Option("--only-node", metavar="PATTERN", help="What if only these nodes may be used, such as n1 or gpu-*."),
]

LISTED = 3
"""Alternatives where no other number is asked for."""


def ask_of(everything: bool, alternatives: int | None, tradeoff: bool, seconds: float | None) -> Ask | None:
    """Return what the options ask for.

    Parameters
    ----------
    everything : bool
        ``--explain``.
    alternatives : int or None
        ``--alternatives``.
    tradeoff : bool
        ``--tradeoff``.
    seconds : float or None
        ``--explain-limit``.

    Returns
    -------
    Ask or None
        None if nothing is asked for.
    """
    if not (everything or alternatives is not None or tradeoff):
        return None
    from ..solver.explain import Ask

    listed = alternatives if alternatives is not None else LISTED if everything else 0
    return Ask(alternatives=listed, victims=everything, causes=everything, tradeoff=tradeoff, time_limit=seconds)


def what_if(instance: Instance, forbidden: list[str] | None, only: list[str] | None) -> Instance:
    """Return the instance that the what-if options describe.

    Parameters
    ----------
    instance : Instance
        As the file and ``--set`` give it.
    forbidden : list of str or None
        ``--forbid-victim``.
    only : list of str or None
        ``--only-node``.

    Returns
    -------
    Instance
        The same one if neither is given.

    Raises
    ------
    ConfigError
        A job or node that does not exist.
    """
    if not forbidden and not only:
        return instance
    from ..solver.explain import only_nodes, sparing

    for option, change, values in (("--forbid-victim", sparing, forbidden), ("--only-node", only_nodes, only)):
        try:
            instance = change(instance, values or [])
        except ConfigError as error:
            raise ConfigError(f"{option}: {error}") from None
    return instance
