"""Intervals of units: what their linear forms can be within reach, by the projector's second entry."""

from __future__ import annotations

import numpy as np

from ....arrays import FloatArray, IntArray
from ....projection.warm_starts import Trail
from ... import Surroundings
from .units import ROUNDS_A_SIDE, Intervals, Sums, estimate


def first_intervals(
    sums: Sums, surroundings: Surroundings, limit: float, x: FloatArray, intervals: Intervals
) -> Intervals:
    """Bound all forms over the ball of the limit and the limits of features alone, layer by layer.

    ``intervals`` are what is known of them before.
    """
    no_halfspaces = np.empty((0, sums.n_features)), np.empty(0)
    for place, layer in enumerate(sums.layers):
        units = np.arange(len(layer.b))
        intervals = _narrowed(sums, intervals, place, units, surroundings, limit, *no_halfspaces, x, 0)
    return intervals


def narrowed(
    sums: Sums,
    intervals: Intervals,
    units: list[IntArray],
    surroundings: Surroundings,
    limit: float,
    A: FloatArray,
    b: FloatArray,
    x: FloatArray,
    trail: Trail | None,
) -> Intervals:
    """Narrow the intervals of some units of each layer, over points near enough with ``A x <= b``."""
    for place, some in enumerate(units):
        if len(some):
            intervals = _narrowed(sums, intervals, place, some, surroundings, limit, A, b, x, ROUNDS_A_SIDE, trail)
    return intervals


def _narrowed(
    sums: Sums,
    intervals: Intervals,
    place: int,
    units: IntArray,
    surroundings: Surroundings,
    limit: float,
    A: FloatArray,
    b: FloatArray,
    x: FloatArray,
    rounds: int,
    trail: Trail | None = None,
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
        found = surroundings.largest(W, high, A, b, limit=limit, near=x, rounds=rounds, start=trail)
    found = np.where(np.isnan(found), np.inf, found)  # nothing is known
    with np.errstate(invalid="ignore"):
        best = np.where(np.isfinite(offsets), np.minimum(known, found + offsets), known)
    low, up = intervals.low[place].copy(), intervals.high[place].copy()
    up[units], low[units] = best[:n], -best[n:]
    return intervals.with_layer(place, low, up)
