"""Bootstrap distributions drawn without resampling: exact, and no slower for a million rows than for a hundred.

A resample of n rows with replacement is n draws of a uniform index. The k-th smallest of these is the floor of n times
the k-th order statistic of n uniform numbers, which is a Beta(k, n - k + 1) number; the next one follows from it. So
medians of resamples are drawn two numbers at a time. Means of few distinct values are sums of multinomial counts.
"""

from __future__ import annotations

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
