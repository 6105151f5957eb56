"""Warm starts: where a path of the kernel ended, by the numbers of half-spaces; a trail in ``projection.h``.

A path that starts from a trail is shorter, and leads to the same point: what a trail says is checked before it is
followed. So one that is out of date costs time and nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray

# Half-spaces with a smaller share of the largest multiplier than this do not hold an optimum in its place.
ACTIVE_SHARE = 1e-7

# The trail of a projection of n features, array of shape (2 + 2 n,).
Trail = NDArray[np.int32]


def trail_of(v: FloatArray, multipliers: FloatArray, low: FloatArray, high: FloatArray) -> Trail | None:
    """Guess the trail of an optimum that no path led to; None where nothing moves freely.

    Parameters
    ----------
    v : array of shape (n,)
    multipliers : array of shape (n_halfspaces,)
    low, high : arrays of shape (n,)
        Bounds of ``v``.
    """
    n, is_held = len(v), ((v == low) | (v == high)) & (v != 0)
    moving = np.flatnonzero((v != 0) & ~is_held)
    active = np.flatnonzero(multipliers > ACTIVE_SHARE * multipliers.max(initial=0.0))
    held = np.flatnonzero(is_held)
    if len(moving) == 0 or len(active) + len(held) > n:
        return None
    trail = np.zeros(2 + 2 * n, dtype=np.int32)
    trail[:2] = len(moving), len(active) + len(held)
    trail[2 : 2 + len(moving)] = np.where(v[moving] > 0, 1, -1) * (moving + 1)
    trail[2 + n : 2 + n + len(active)] = active
    trail[2 + n + len(active) : 2 + n + trail[1]] = -1 - 2 * held - (v[held] == high[held])
    return trail


def renumbered(trail: Trail, numbers: IntArray) -> Trail:
    """Return a trail of the same half-spaces in other places.

    Parameters
    ----------
    trail : int array of shape (2 + 2 n,)
    numbers : int array of shape (n_halfspaces,)
        New number of each half-space, negative if it is there no more.
    """
    changed, first = trail.copy(), 1 + len(trail) // 2
    active = trail[first : first + trail[1]]
    is_halfspace = active >= 0
    known = np.where(is_halfspace, numbers[np.where(is_halfspace, active, 0)] if len(numbers) else -1, active)
    kept = known[~is_halfspace | (known >= 0)]
    changed[1] = len(kept)
    changed[first : first + len(kept)] = kept
    return changed


# Half-spaces that a path of the kernel is followed through (its ALL_HALFSPACES), all but one that is about a form.
MOST_ON_PATH = 23
