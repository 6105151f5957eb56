"""How far each number can move where everything has to be dense and nearer than an answer that is known.

A cone couples columns: where one column has to stay, others that go with it cannot go far. Beyond an end there is
nothing if the nearest dense point there is too far, by its projection. Ends are halved towards the nearest dense point
of all, those of all columns at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray, IntArray
from ... import Inside

# Times the ends of columns are halved towards the nearest dense point: each is a projection a column and end.
HALVINGS = 6


@dataclass(frozen=True, slots=True)
class Cut:
    """Nothing that matters has a feature beyond an end, given all cuts before this one.

    Attributes
    ----------
    feature : int
    side : int
        1 if it is above the end that nothing is, -1 if below.
    end : float
    """

    feature: int
    side: int
    end: float


def cuts_of(
    inside: Inside, numbers: IntArray, lower: FloatArray, upper: FloatArray, near: FloatArray, limit: float
) -> tuple[FloatArray, FloatArray, list[Cut]]:
    """Narrow limits to what is dense and nearer than a limit.

    Parameters
    ----------
    inside : Inside
    numbers : int array of shape (n_numbers,)
        Features to narrow.
    lower, upper : arrays of shape (n_features,)
    near : array of shape (2, n_numbers)
        Ends beyond which a number alone costs the limit.
    limit : float

    Returns
    -------
    lower, upper : arrays of shape (n_features,)
    cuts : list of Cut
        What was cut off, in order.
    """
    nearest, cuts = inside.whole.point, []
    lower, upper = lower.copy(), upper.copy()
    if nearest is None:
        return lower, upper, []
    n = len(numbers)
    for ends, side, at in (
        (lower, -1, np.maximum(lower[numbers], near[0])),
        (upper, 1, np.minimum(upper[numbers], near[1])),
    ):
        cuts += [Cut(int(numbers[i]), side, float(at[i])) for i in np.flatnonzero(at != ends[numbers])]
        ends[numbers] = at
    left = [np.clip(nearest[numbers], lower[numbers], upper[numbers]) for _ in range(2)]  # something may be within
    places = np.arange(n)
    for _ in range(HALVINGS):
        middle = [(left[0] + lower[numbers]) / 2, (left[1] + upper[numbers]) / 2]
        lows, highs = np.repeat(lower[None], 2 * n, axis=0), np.repeat(upper[None], 2 * n, axis=0)
        highs[places, numbers], lows[n + places, numbers] = middle
        is_out = (inside.bounds(lows, highs, limit) >= limit).reshape(2, n)
        for which, (ends, side) in enumerate(((lower, -1), (upper, 1))):
            gone, at = is_out[which], middle[which]
            ends[numbers] = np.where(gone, at, ends[numbers])
            left[which] = np.where(gone, left[which], at)
            cuts += [Cut(int(numbers[i]), side, float(at[i])) for i in np.flatnonzero(gone)]
    return lower, upper, cuts
