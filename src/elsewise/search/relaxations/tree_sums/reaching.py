"""How far each number can move where everything has to be dense and nearer than an answer that is known.

A cone couples columns: where one column has to stay, others that go with it cannot go far. Beyond an end there is
nothing if the nearest dense point there is too far, by its projection. Ends are halved towards the nearest dense point
of all, those of all columns at once.
"""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray, IntArray
from ... import Inside

# Times the ends of columns are halved towards the nearest dense point: each is a projection a column and end.
HALVINGS = 6


def tightened(
    inside: Inside, numbers: IntArray, lower: FloatArray, upper: FloatArray, near: FloatArray, limit: float
) -> tuple[FloatArray, FloatArray]:
    """Tighten limits to what is dense and nearer than a limit.

    Parameters
    ----------
    inside : Inside
    numbers : int array of shape (n_numbers,)
        Features to tighten.
    lower, upper : arrays of shape (n_features,)
    near : array of shape (2, n_numbers)
        Ends beyond which a number alone costs the limit.
    limit : float

    Returns
    -------
    lower, upper : arrays of shape (n_features,)
    """
    nearest = inside.whole.point
    lower, upper = lower.copy(), upper.copy()
    if nearest is None:
        return lower, upper
    n = len(numbers)
    lower[numbers], upper[numbers] = np.maximum(lower[numbers], near[0]), np.minimum(upper[numbers], near[1])
    left = [np.clip(nearest[numbers], lower[numbers], upper[numbers]) for _ in range(2)]  # something may be within
    places = np.arange(n)
    for _ in range(HALVINGS):
        middle = [(left[0] + lower[numbers]) / 2, (left[1] + upper[numbers]) / 2]
        lows, highs = np.repeat(lower[None], 2 * n, axis=0), np.repeat(upper[None], 2 * n, axis=0)
        highs[places, numbers], lows[n + places, numbers] = middle
        is_out = (inside.bounds(lows, highs, limit) >= limit).reshape(2, n)
        for which, ends in enumerate((lower, upper)):
            gone, at = is_out[which], middle[which]
            ends[numbers] = np.where(gone, at, ends[numbers])
            left[which] = np.where(gone, left[which], at)
    return lower, upper
