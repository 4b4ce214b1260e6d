"""The rows of a comparison as a picture: how often the island is hit, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..models.errors import ConfigError
from ..solver.compare import Row

SUFFIXES = (".png", ".svg")


def checked(path: str) -> None:
    """Refuse a picture that cannot be drawn, before anything is computed.

    Parameters
    ----------
    path : str
        The file's name.

    Raises
    ------
    ConfigError
        The suffix, the folder or the extra is missing.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--plot: found {path!r}, expected a file name that ends in .png or .svg")
    if not Path(path).absolute().parent.is_dir():
        raise ConfigError(f"--plot: found {path!r}, expected a folder that exists")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ConfigError("--plot needs the extra plot: pip install 'topreempt[plot]'") from None


def draw(tables: Sequence[tuple[str, list[Row]]], path: str) -> None:
    """Draw bars a policy: hits of 100 plans, and weighted work lost over that of the exact engine.

    Parameters
    ----------
    tables : sequence of tuple
        Title and rows of each group.
    path : str
        Where the picture goes.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    tallest = max(len(rows) for _, rows in tables)
    figure, axes = pyplot.subplots(
        len(tables), 2, figsize=(10, 1.2 + len(tables) * (0.8 + 0.28 * tallest)), squeeze=False
    )
    for (title, rows), (left, right) in zip(tables, axes, strict=True):
        names = [row.policy for row in rows]
        left.barh(names, [100 * row.hits / row.plans if row.plans else 0 for row in rows], color="#4477aa")
        left.set(xlabel="asked island hit, % of plans", xlim=(0, 100), title=title)
        ratios = [row.ratio or 0 for row in rows]
        spans = [
            [max(0.0, (row.ratio or 0) - (row.ratio_low or 0)) for row in rows],
            [max(0.0, (row.ratio_high or 0) - (row.ratio or 0)) for row in rows],
        ]
        right.barh(names, ratios, xerr=spans, color="#ee6677", error_kw={"linewidth": 1})
        right.axvline(1, color="black", linewidth=0.8)
        right.set(xlabel="weighted work lost / exact, 95 % interval", xscale="symlog", xlim=(0, None))
        right.tick_params(labelleft=False)
        for axis in (left, right):
            axis.margins(y=0.01)
            axis.invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.lower().endswith(".svg") else None)
    pyplot.close(figure)
