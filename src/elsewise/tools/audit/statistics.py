"""Bootstrap distributions drawn without resampling: exact, and no slower for a million rows than for a hundred.

A resample of n rows with replacement is n draws of a uniform index. The k-th smallest of these is the floor of n times
the k-th order statistic of n uniform numbers, which is a Beta(k, n - k + 1) number; the next one follows from it. So
medians of resamples are drawn two numbers at a time. Means of few distinct values are sums of multinomial counts.

Wilson's interval of a share: never of zero width, also where nothing or everything was seen.

P-values corrected for their number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from ...arrays import FloatArray

# Probability with which an interval is meant to hold its measure.
CONFIDENCE = 0.95
# Resamples of a bootstrap interval: its ends are stable to about a twentieth of its width.
N_RESAMPLES = 2_000


def median_interval(values: FloatArray, rng: np.random.Generator) -> tuple[float, float]:
    """Percentile interval of the bootstrap of a median.

    Parameters
    ----------
    values : array of shape (n,)
    rng : Generator
    """
    return _ends(bootstrap_medians(values, rng))


def mean_interval(values: FloatArray, rng: np.random.Generator) -> tuple[float, float]:
    """Percentile interval of the bootstrap of a mean of values that are few: counts, or zeros and ones.

    Parameters
    ----------
    values : array of shape (n,)
    rng : Generator
    """
    return _ends(bootstrap_means(values, rng))


def bootstrap_medians(values: FloatArray, rng: np.random.Generator, size: int = N_RESAMPLES) -> FloatArray:
    """Medians of resamples, array of shape (size,)."""
    ordered, n = np.sort(values), len(values)
    lower = (n + 1) // 2  # rank of the median, or of the lower one of two
    first = rng.beta(lower, n - lower + 1, size)
    low = ordered[np.minimum((n * first).astype(np.int64), n - 1)]
    if n % 2:
        return low
    # given one order statistic, the next is the smallest of the n - lower that are above it
    second = 1.0 - (1.0 - first) * rng.random(size) ** (1.0 / (n - lower))
    return 0.5 * (low + ordered[np.minimum((n * second).astype(np.int64), n - 1)])


def bootstrap_means(values: FloatArray, rng: np.random.Generator, size: int = N_RESAMPLES) -> FloatArray:
    """Means of resamples, array of shape (size,)."""
    distinct, counts = np.unique(values, return_counts=True)
    return np.asarray(rng.multinomial(len(values), counts / len(values), size) @ distinct / len(values))


def _ends(drawn: FloatArray) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def share_interval(n_true: int, n: int) -> tuple[float, float]:
    """Return the ends of Wilson's score interval for the share ``n_true / n``.

    The interval holds every share p with ``|n_true / n - p| <= z * sqrt(p * (1 - p) / n)``, where z is the quantile of
    the normal distribution that belongs to the confidence.

    Parameters
    ----------
    n_true : int
    n : int
        At least one.

    Returns
    -------
    tuple of float
        Lower and upper end, within [0, 1].
    """
    z2 = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2
    share = n_true / n
    middle = share + z2 / (2 * n)
    width = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    low, high = ((middle + sign * width) / (1 + z2 / n) for sign in (-1, 1))
    return (0.0 if n_true == 0 else low), (1.0 if n_true == n else high)


def corrected(p_values: Sequence[float]) -> list[float]:
    """Correct by Holm's steps: the smallest times m, the next times m - 1, ..., none below those before it.

    Parameters
    ----------
    p_values : sequence of floats of length m

    Returns
    -------
    list of floats, in the same order
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        largest = max(largest, min(1.0, p_values[place] * (len(order) - step)))
        adjusted[place] = largest
    return adjusted
