"""Special values: numbers of a column that stand for "no number here", found in the training rows.

A value is taken for a code only where nothing else explains it. Codes lie beyond all regular values and are

- *negative*: at most five whole numbers below zero, of a column that is otherwise zero or more;
- *nines*: 99, 999, ..., above everything else by at least a tenth of the range of the regular values;
- *zero*: in a tenth of the rows at least, of a column that is otherwise positive and takes at least 20 other values,
  none of which is a fifth as frequent.

Together they are at least 0.5 % of the rows and five of them, and they stand apart: by at least five of the column's
finest steps from the nearest regular value, or, for negative numbers, by being at least twice as frequent as it. So a
count that begins with 0, 1, 2 has no code, and an account that may be overdrawn has none.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray

# Special values: rows and share of the rows that hold them at least; fewer may be slips.
FEWEST_CODED, LEAST_CODED_SHARE = 5, 0.005
# A zero may be a small number; one that stands for none is common.
LEAST_ZERO_SHARE = 0.1
# Distinct negative values of a column of codes at most; real tables have up to four (-6 to -9).
MOST_NEGATIVE_CODES = 5
# How far codes are from regular values: in finest steps of the column, and for nines as a share of the regular range.
STEPS_APART, NINES_APART = 5, 0.1
# How many times as frequent as the nearest regular value a negative code is where it is not apart; how many times as
# frequent as any other value a zero is; and values the rest takes at least, to be called continuous.
SPIKE_OVER_NEIGHBOUR, ZERO_OVER_REGULAR, FEWEST_REGULAR = 2, 5, 20


def special_values(values: FloatArray) -> tuple[float, ...]:
    """Find the codes of one numeric column, ascending.

    Parameters
    ----------
    values : array of shape (n_samples,)
        Of the training rows; NaN where missing.
    """
    values = values[np.isfinite(values)]
    seen, counts = np.unique(values, return_counts=True)
    least = max(FEWEST_CODED, LEAST_CODED_SHARE * len(values))
    codes = [*_negative(seen, counts, least), *_zero(seen, counts, least), *_nines(seen, counts, least)]
    return tuple(float(code) for code in codes) if len(codes) < len(seen) else ()


def _finest_step(seen: FloatArray) -> float:
    return float(np.diff(seen).min()) if len(seen) > 1 else np.inf


def _negative(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    n = int((seen < 0).sum())
    nothing = seen[:0]
    if not 0 < n <= MOST_NEGATIVE_CODES or n == len(seen):
        return nothing
    codes, regular = seen[:n], seen[n:]
    if (codes != np.floor(codes)).any() or counts[:n].sum() < least:
        return nothing
    apart = regular[0] - codes[-1] >= STEPS_APART * _finest_step(regular)
    frequent = counts[:n].max() >= SPIKE_OVER_NEIGHBOUR * counts[n]
    return codes if apart or frequent else nothing


def _zero(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    regular, nothing = seen[1:], seen[:0]
    if seen[0] != 0 or len(regular) < FEWEST_REGULAR or counts[0] < max(least, LEAST_ZERO_SHARE * counts.sum()):
        return nothing
    apart = regular[0] >= STEPS_APART * _finest_step(regular)
    stands_out = counts[0] >= ZERO_OVER_REGULAR * counts[1:].max()
    return seen[:1] if apart and stands_out else nothing


def _nines(seen: FloatArray, counts: IntArray, least: float) -> FloatArray:
    nothing = seen[:0]
    if len(seen) < 3 or counts[-1] < least or seen[-1] not in [10.0**k - 1 for k in range(2, 10)]:
        return nothing
    regular = seen[:-1]
    regular = regular[regular >= 0] if (regular >= 0).any() else regular
    gap = seen[-1] - regular[-1]
    apart = gap >= STEPS_APART * _finest_step(regular) and gap >= NINES_APART * (regular[-1] - regular[0])
    return seen[-1:] if apart else nothing
