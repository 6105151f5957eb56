"""Intervals of units: what their linear forms can be within reach.

Over balls, of many pieces at once; over a cone and half-spaces as well, by the projector's second entry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....arrays import FloatArray, IntArray
from ....projection.balls import Balls
from .units import Intervals, Sums, estimate


def in_balls(sums: Sums, balls: Balls, intervals: Intervals, near: list[FloatArray]) -> Intervals:
    """Bound all forms over balls, layer by layer.

    Parameters
    ----------
    sums : Sums
    balls : Balls
    intervals : Intervals
        What is known of them before; arrays of shape (n_balls, n_units).
    near : list of arrays of shape (n_balls, n_units)
        Values of the forms where estimates of endless ones are to be tight.
    """
    if not np.isfinite(balls.radius).all():
        return intervals
    for place, layer in enumerate(sums.layers):
        n, W, offsets = len(layer.b), np.vstack([layer.W, -layer.W]), np.concatenate([layer.b, -layer.b])
        if place:  # lines that are tight in the middle of intervals are best for all of them
            ends = zip(intervals.low, intervals.high, near)
            with np.errstate(invalid="ignore"):
                middle = [np.where(np.isfinite(high - low), (low + high) / 2, forms) for low, high, forms in ends]
            W, offsets = estimate(sums, W, np.zeros((2 * n, sums.n_features)), offsets, place, intervals, middle)
        known = np.concatenate([intervals.high[place], -intervals.low[place]], axis=1)
        with np.errstate(invalid="ignore"):
            best = balls.largest(W) + offsets
        best = np.where(np.isnan(best), known, np.minimum(known, best))
        intervals = intervals.with_layer(place, -best[:, n:], best[:, :n])
    return intervals


def narrowed(
    sums: Sums, intervals: Intervals, units: list[IntArray], x: FloatArray, largest: Callable[..., FloatArray]
) -> Intervals:
    """Narrow the intervals of some units of each layer around a point ``x``.

    ``largest`` is a function of forms and of what they are known to be at most: bounds of them over what is left.
    """
    for place, some in enumerate(units):
        if len(some):
            intervals = _narrowed(sums, intervals, place, some, x, largest)
    return intervals


def _narrowed(
    sums: Sums,
    intervals: Intervals,
    place: int,
    units: IntArray,
    x: FloatArray,
    largest: Callable[..., FloatArray],
) -> Intervals:
    """Bound forms from both sides; those of further layers by their linear over-estimates."""
    layer, n = sums.layers[place], len(units)
    W, offsets = np.vstack([layer.W[units], -layer.W[units]]), np.concatenate([layer.b[units], -layer.b[units]])
    if place:
        nothing = np.zeros((2 * n, sums.n_features))
        W, offsets = estimate(sums, W, nothing, offsets, place, intervals, sums.forms(x))
    known = np.concatenate([intervals.high[place][units], -intervals.low[place][units]])
    with np.errstate(invalid="ignore"):
        high = np.where(np.isfinite(offsets), known - offsets, np.inf)
    with np.errstate(invalid="ignore"):
        found = largest(W, high)
    found = np.where(np.isnan(found), np.inf, found)  # nothing is known
    with np.errstate(invalid="ignore"):
        best = np.where(np.isfinite(offsets), np.minimum(known, found + offsets), known)
    low, up = intervals.low[place].copy(), intervals.high[place].copy()
    up[units], low[units] = best[:n], -best[n:]
    return intervals.with_layer(place, low, up)
