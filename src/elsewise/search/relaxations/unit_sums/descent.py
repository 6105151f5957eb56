"""Points early: a way down to answers by linear models of the margins, before anything is proven."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....arrays import BoolArray, FloatArray
from ... import Surroundings
from .units import SECTIONINGS, SECTIONS, Sums

# Steps of a descent.
DESCENT_STEPS = 12
# Margins that a step missed are asked for so many times over in the next one, until a point is accepted; of that so
# much is left in every further one.
SURPLUS, SURPLUS_LEFT = 2.0, 0.1
# Short steps over the boundary, each so many times as far as a linear margin says.
PUSHES, PUSHED = 6, 1.5
# A descent is over where a step gains less than this share.
DESCENT_GAIN = 1e-6

# Whether points, in features, are in the region: from shape (n, n_features) to (n,).
Accepts = Callable[[FloatArray], BoolArray]


def descend(sums: Sums, surroundings: Surroundings, accepts: Accepts, start: FloatArray, limit: float) -> float:
    """Offer points that are accepted, better and better; give the distance of the best answer so far.

    Margins are linear near a point. The nearest point where these linear margins hold is the next one; where it is not
    accepted, the way back to the last one that was leads to one that is. Concave margins are smaller than linear ones:
    what they miss is asked for beforehand in the next step.

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
    x, last, before, surplus = start, None, np.inf, np.zeros(sums.n_margins)
    for _ in range(DESCENT_STEPS):
        if surroundings.is_late(limit):
            return limit
        margins, gradient = sums.linearised(x)
        size = np.abs(gradient).max(axis=1, initial=0.0)
        moves = size > 0
        if not moves.any():
            return limit
        A, b = -gradient[moves] / size[moves, None], (margins - surplus - gradient @ x)[moves] / size[moves]
        found = surroundings.nearest(A, b, np.inf)
        if found.v is None and surplus.any():  # ends of a range may be nearer to each other than that
            surplus[:] = 0.0
            continue
        if found.v is None:
            return limit
        point, value = surroundings.as_points(found.v), float(np.abs(found.v).sum())
        if not accepts(point[None])[0]:
            missing = np.maximum(-sums.margins(surroundings.plain(point)[None])[0], 0.0)
            surplus = SURPLUS * missing
            if last is None:
                x = surroundings.plain(point)
                continue
            point = _way_back(point, last, accepts)
        surplus = SURPLUS_LEFT * surplus
        last = point
        limit = min(limit, surroundings.offer(point[None]))
        x = surroundings.plain(point)
        if value >= before * (1 - DESCENT_GAIN):
            return limit
        before = value
    return limit


def _way_back(point: FloatArray, accepted: FloatArray, accepts: Accepts) -> FloatArray:
    """Find the first point on a way to an accepted one that is accepted, as far as sections of it tell."""
    low, high = 0.0, 1.0
    for _ in range(SECTIONINGS):
        shares = low + (high - low) * np.arange(1, SECTIONS) / SECTIONS
        holds = accepts(point + shares[:, None] * (accepted - point))
        first = int(holds.argmax()) if holds.any() else SECTIONS - 1
        low, high = float(shares[first - 1]) if first else low, float(shares[first]) if first < SECTIONS - 1 else high
    return point + high * (accepted - point) if high < 1 else accepted


def push(sums: Sums, surroundings: Surroundings, accepts: Accepts, start: FloatArray, limit: float) -> float:
    """Offer what a few short steps up the worst margin lead to, if it is accepted; give the best distance so far.

    Where cuts have come near the boundary from outside, a little is missing, and the nearest point of a linear margin
    may be far away: several points are equally near to it.
    """
    x, reachable = start, surroundings.reachable
    for _ in range(PUSHES):
        margins, gradient = sums.linearised(x)
        worst = int(margins.argmin())
        way, missing = gradient[worst], -float(margins[worst])
        length = float(way @ way)
        if missing > 0 and not (0 < length < np.inf):
            return limit
        if missing > 0:
            x = x + PUSHED * missing / length * way
        v = np.clip(x - reachable.x0, reachable.low, reachable.high)
        point = surroundings.as_points(v)
        if accepts(point[None])[0]:
            return min(limit, surroundings.offer(point[None]))
        x = reachable.x0 + v
    return limit


def from_starts(sums: Sums, surroundings: Surroundings, accepts: Accepts, starts: FloatArray, limit: float) -> float:
    """Descend from where ways from points, in plain coordinates, to the row leave what is accepted.

    Where margins bend away from the row their linear models lead nowhere; the middle of a class is a way out.
    """
    reachable = surroundings.reachable
    for start in starts:
        if surroundings.is_late(limit):
            return limit
        point = surroundings.as_points(np.clip(start - reachable.x0, reachable.low, reachable.high))
        if accepts(point[None])[0]:
            point = _way_back(surroundings.as_points(np.zeros(len(start))), point, accepts)
            limit = min(limit, surroundings.offer(point[None]))
        limit = descend(sums, surroundings, accepts, surroundings.plain(point), limit)
    return limit


def first_points(sums: Sums, surroundings: Surroundings, accepts: Accepts, x: FloatArray, limit: float) -> float:
    """Descend from a point and, through the middle of the cone, from the way to it."""
    limit = descend(sums, surroundings, accepts, x, limit)
    middle = None if surroundings.is_late(limit) else surroundings.centre()
    if middle is None:
        return limit
    centre = surroundings.as_points(middle)
    if not accepts(centre[None])[0]:
        return descend(sums, surroundings, accepts, surroundings.plain(centre), limit)
    nearest = surroundings.nearest(np.empty((0, len(x))), np.empty(0), np.inf)
    if nearest.v is None:
        return limit
    start = _way_back(surroundings.as_points(nearest.v), centre, accepts)
    limit = min(limit, surroundings.offer(start[None]))
    return descend(sums, surroundings, accepts, surroundings.plain(start), limit)
