"""Steps of columns, found in the training rows: what nearly all values of a column are multiples of.

A step is a whole number of the last decimal place that the column is written to. The largest one is taken of which 99 %
of the values are multiples. It has to mean something: the column takes many different values, and the step is no
smaller than a change would be that nobody would call one. A column of whole numbers has the step 1 by itself, and a
column of floats that are all whole has it, too.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import FloatArray, IntArray

# Steps: share of a column's values that are multiples of it, different ones at least, and the probability at most that
# so many different values are multiples by chance: 15 of two, 5 of ten.
SHARE_OF_MULTIPLES, FEWEST_MULTIPLES, CHANCE_OF_MULTIPLES = 0.99, 5, 1 / 30_000
# Values from which on a column of floats that are all whole holds whole numbers.
FEWEST_WHOLE = 20
# Smallest step of a number that was found, as a share of the column's scale: below it every number will do for a
# person, and the search would be for nothing. The same share as that of the least change.
LEAST_STEP_SHARE = 0.02
# Decimals that people write at most; and samples, of so many values each, whose common divisors are tried.
MOST_DECIMALS, STEP_SAMPLES, STEP_SAMPLE = 6, 12, 20
# Whole numbers up to here are exact as doubles, and their products as 64-bit integers are not asked for.
EXACT = 2.0**53


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
    is_all_whole = len(seen) >= 2 and len(values) >= FEWEST_WHOLE and bool((seen == np.floor(seen)).all())
    least = 1.0 if is_all_whole and not is_whole and np.abs(seen).max() < EXACT else None
    if len(seen) < FEWEST_MULTIPLES:
        return least
    if is_short:
        seen = np.array([float(str(np.float32(value))) for value in seen.tolist()])
    for decimals in range(MOST_DECIMALS + 1):
        whole = np.round(seen * 10.0**decimals)
        if (np.abs(whole) >= EXACT).any():
            return least
        is_written = whole / 10.0**decimals == seen
        if counts[is_written].sum() >= SHARE_OF_MULTIPLES * counts.sum():
            finer = 1 if is_whole else 10  # the values could have had one more decimal
            size = _largest(whole[is_written].astype(np.int64), counts[is_written], counts.sum(), finer)
            step = Fraction(size, 10**decimals)
            means_something = step > 1 if is_whole else float(step) >= LEAST_STEP_SHARE * scale
            return float(step) if size and means_something else least
    return least


def _largest(seen: IntArray, counts: IntArray, total: int, finer: int) -> int:
    """Find the largest number of which enough values are multiples; 0 if these may be so by chance.

    By chance a value that could be any multiple of ``1 / finer`` is one of ``size`` with probability ``1 / (finer
    size)``. The greatest common divisor of some values is a multiple of it unless one of them is an exception, and the
    same as soon as there are several of them.
    """
    random, others = np.random.default_rng(0), np.flatnonzero(seen != 0)
    candidates = {1}
    for _ in range(STEP_SAMPLES if len(others) else 0):
        candidates.add(int(np.gcd.reduce(random.choice(seen[others], STEP_SAMPLE))))
    for size in sorted(candidates, reverse=True):
        is_multiple = seen % size == 0
        n_different, chance = int(is_multiple.sum()), 1.0 / (finer * size)
        is_meant = n_different >= FEWEST_MULTIPLES and chance**n_different <= CHANCE_OF_MULTIPLES
        if is_meant and counts[is_multiple].sum() >= SHARE_OF_MULTIPLES * total:
            return size
    return 0
