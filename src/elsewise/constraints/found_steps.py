"""Steps of columns, found in the training rows: what nearly all values of a column are multiples of.

A step is a whole number of the last decimal place that the column is written to. The largest one is taken of which 99 %
of the values are multiples. It has to mean something: the column takes many different values, and the step is no
smaller than a change would be that nobody would call one. A column of whole numbers has the step 1 by itself.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..arrays import FloatArray, IntArray
from .constants import (
    FEWEST_MULTIPLES,
    LEAST_STEP_SHARE,
    MOST_DECIMALS,
    SHARE_OF_MULTIPLES,
    STEP_SAMPLE,
    STEP_SAMPLES,
)

# Whole numbers up to here are exact as doubles, and their products as 64-bit integers are not asked for.
_EXACT = 2.0**53


def step_of(values: FloatArray, scale: float, *, is_whole: bool, is_short: bool = False) -> float | None:
    """Find the step of one numeric column; None if it has none worth speaking of.

    Parameters
    ----------
    values : array of shape (n_samples,)
        Of the training rows, codes left out.
    scale : float
        Of the column.
    is_whole : bool
        The column holds whole numbers: its step is a larger one than 1, or none.
    is_short : bool
        Its numbers are written with 32 bits.
    """
    values = values[np.isfinite(values)]
    seen, counts = np.unique(values, return_counts=True)
    if len(seen) < FEWEST_MULTIPLES:
        return None
    if is_short:
        seen = np.array([float(str(np.float32(value))) for value in seen.tolist()])
    for decimals in range(MOST_DECIMALS + 1):
        whole = np.round(seen * 10.0**decimals)
        if (np.abs(whole) >= _EXACT).any():
            return None
        is_written = whole / 10.0**decimals == seen
        if counts[is_written].sum() >= SHARE_OF_MULTIPLES * counts.sum():
            size = _largest(whole[is_written].astype(np.int64), counts[is_written], counts.sum())
            step = Fraction(size, 10**decimals)
            means_something = step > 1 if is_whole else float(step) >= LEAST_STEP_SHARE * scale
            return float(step) if size and means_something else None
    return None


def _largest(seen: IntArray, counts: IntArray, total: int) -> int:
    """Find the largest number of which enough values are multiples; 0 if these are too few different ones.

    The greatest common divisor of some values is a multiple of it unless one of them is an exception, and the same as
    soon as there are several of them.
    """
    random, others = np.random.default_rng(0), np.flatnonzero(seen != 0)
    candidates = {1}
    for _ in range(STEP_SAMPLES if len(others) else 0):
        candidates.add(int(np.gcd.reduce(random.choice(seen[others], STEP_SAMPLE))))
    for size in sorted(candidates, reverse=True):
        is_multiple = seen % size == 0
        if counts[is_multiple].sum() >= SHARE_OF_MULTIPLES * total and is_multiple.sum() >= FEWEST_MULTIPLES:
            return size
    return 0
