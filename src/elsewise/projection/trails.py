"""Trails: where a path of the kernel ended, told by the numbers of half-spaces; see ``projection.h``.

A path that starts from a trail is shorter, and leads to the same point: what a trail says is checked before it is
followed. So one that is out of date costs time and nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import IntArray

# The trail of a projection of n features, array of shape (2 + 2 n,).
Trail = NDArray[np.int32]


def renumbered(trail: Trail, numbers: IntArray) -> Trail:
    """Give a trail of the same half-spaces in other places.

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
