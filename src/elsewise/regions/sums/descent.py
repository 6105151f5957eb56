"""Points early: a way down to answers by linear models of the margins, before anything is proven."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import FloatArray
from ...search import Surroundings
from .constants import DESCENT_GAIN, DESCENT_STEPS, WAY_BACK
from .units import Sums

# Whether a point, in features, is in the region.
Accepts = Callable[[FloatArray], bool]


def descend(sums: Sums, surroundings: Surroundings, accepts: Accepts, start: FloatArray, limit: float) -> float:
    """Offer points that are accepted, better and better; give the distance of the best answer so far.

    Margins are linear near a point. The nearest point where these linear margins hold is the next one; where it is not
    accepted, the way back to the last one that was leads to one that is.

    Parameters
    ----------
    sums : Sums
        In plain coordinates.
    surroundings : Surroundings
    accepts : function
    start : array of shape (n,)
        In plain coordinates.
    limit : float
        Distance of the incumbent.
    """
    x, last, before = start, None, np.inf
    for _ in range(DESCENT_STEPS):
        margins, gradient = sums.linearised(x)
        size = np.abs(gradient).max(axis=1, initial=0.0)
        moves = size > 0
        if not moves.any():
            return limit
        A, b = -gradient[moves] / size[moves, None], (margins - gradient @ x)[moves] / size[moves]
        found = surroundings.nearest(A, b, np.inf)
        if found.v is None:
            return limit
        point, value = surroundings.as_points(found.v), float(np.abs(found.v).sum())
        if not accepts(point):
            if last is None:
                x = surroundings.plain(point)
                continue
            point = _way_back(point, last, accepts)
        last = point
        limit = min(limit, surroundings.offer(point[None]))
        x = surroundings.plain(point)
        if value >= before * (1 - DESCENT_GAIN):
            return limit
        before = value
    return limit


def _way_back(point: FloatArray, accepted: FloatArray, accepts: Accepts) -> FloatArray:
    """Find the first point on a way to an accepted one that is accepted, by halving."""
    low, high = 0.0, 1.0
    for _ in range(WAY_BACK):
        middle = (low + high) / 2
        if accepts(point + middle * (accepted - point)):
            high = middle
        else:
            low = middle
    return point + high * (accepted - point)


def first_points(sums: Sums, surroundings: Surroundings, accepts: Accepts, x: FloatArray, limit: float) -> float:
    """Descend from a point and, through the middle of the cone, from the way to it."""
    limit = descend(sums, surroundings, accepts, x, limit)
    middle = surroundings.centre()
    if middle is None:
        return limit
    centre = surroundings.as_points(middle)
    if not accepts(centre):
        return descend(sums, surroundings, accepts, surroundings.plain(centre), limit)
    nearest = surroundings.nearest(np.empty((0, len(x))), np.empty(0), np.inf)
    if nearest.v is None:
        return limit
    start = _way_back(surroundings.as_points(nearest.v), centre, accepts)
    limit = min(limit, surroundings.offer(start[None]))
    return descend(sums, surroundings, accepts, surroundings.plain(start), limit)
