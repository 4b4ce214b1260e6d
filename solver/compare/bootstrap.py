"""The ratio of two sums over the same instances, with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 1000
LEVEL = 0.95


def ratio(
    above: Sequence[float], below: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float, float] | None:
    """Return the ratio of two sums and its percentile interval.

    Parameters
    ----------
    above, below : sequence of float
        One pair an instance.
    seed : int
        Of the resampling of instances.
    resamples : int
        How many.

    Returns
    -------
    tuple of float or None
        Ratio, and the limits of the central 95 %; None where the lower sum is 0. Resamples whose lower sum is 0
        are left out.
    """
    upper, lower = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    if not lower.sum():
        return None
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(lower), size=(resamples, len(lower)))
    sums = lower[drawn].sum(axis=1)
    ratios = upper[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(upper.sum() / lower.sum()), float(low), float(high)
