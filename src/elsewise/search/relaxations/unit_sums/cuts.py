"""Cuts: half-spaces outside of which nothing of a piece is accepted, and how much each feature matters to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....arrays import FloatArray
from ....projection.balls import Balls
from .parts import Side
from .units import Intervals, Sums, above_margins, estimate


def cuts_near(
    sums: Sums, X: FloatArray, intervals: Intervals, sides: Sequence[tuple[Side, ...]]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return cuts ``A x <= b`` of pieces that are tight near a point each, scaled to the unit of the distance.

    Parameters
    ----------
    sums : Sums
    X : array of shape (n_pieces, n)
    intervals : Intervals
        Arrays of shape (n_pieces, n_units).
    sides : sequence of tuples of Side, one a piece
    """
    near = sums.forms_of(X)
    if sums.log_odds is None:
        margins = list(zip(*estimate(sums, sums.C, sums.D, sums.d, len(sums.layers), intervals, near)))
    else:
        margins = [
            above_margins(sums, intervals.of_piece(k), [of_layer[k] for of_layer in near], x) for k, x in enumerate(X)
        ]
    cuts = []
    for k, (normals, offsets) in enumerate(margins):
        for place in range(1, len(sums.layers)):  # sides of the first layer are half-spaces by themselves
            some = [side for side in sides[k] if side.layer == place]
            if some:
                layer, units = sums.layers[place], np.array([side.unit for side in some])
                sign, at = np.array([side.sign for side in some]), np.array([side.at for side in some])
                nothing = np.zeros((len(some), sums.n_features))
                W, b = sign[:, None] * layer.W[units], sign * (layer.b[units] - at)
                of_piece, forms = intervals.of_piece(k), [of_layer[k] for of_layer in near]
                of_sides = estimate(sums, W, nothing, b, place, of_piece, forms)
                normals, offsets = np.vstack([normals, of_sides[0]]), np.concatenate([offsets, of_sides[1]])
        size = np.abs(normals).max(axis=1, initial=0.0)
        size = np.where(size > 0, size, 1.0)
        exist = np.isfinite(offsets)
        cuts.append((-normals[exist] / size[exist, None], offsets[exist] / size[exist]))
    return cuts


def sides_of_first_layer(sums: Sums, sides: tuple[Side, ...]) -> tuple[FloatArray, FloatArray]:
    """Half-spaces ``A x <= b`` of the sides that are about the features themselves."""
    some = [side for side in sides if side.layer == 0]
    if not some:
        return np.empty((0, sums.n_features)), np.empty(0)
    layer, units = sums.layers[0], np.array([side.unit for side in some])
    sign, at = np.array([side.sign for side in some]), np.array([side.at for side in some])
    normals, offsets = -sign[:, None] * layer.W[units], sign * (layer.b[units] - at)
    size = np.abs(normals).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    return normals / size[:, None], offsets / size


def effects_on_gaps(sums: Sums, balls: Balls, intervals: Intervals) -> FloatArray:
    """Add up what the room of each feature adds to the gaps of units, array of shape (n_pieces, n).

    A unit's gap is taken in the middle of its interval, which is as wide as what enters it varies. Units weigh as the
    margins do, at their largest.
    """
    weight, through = np.abs(sums.C).max(axis=0), np.zeros(())
    for place in range(len(sums.layers) - 1, -1, -1):
        layer, low, high = sums.layers[place], intervals.low[place], intervals.high[place]
        with np.errstate(invalid="ignore"):
            is_wide = np.isfinite(high - low) & (high > low)
            width = np.where(is_wide, high - low, 1.0)
            middle = np.where(is_wide, (low + high) / 2, 0.0)
            above, below = layer.function.above(low, high, middle), layer.function.below(low, high, middle)
            gap = above.offset - below.offset + (above.slope - below.slope) * middle
        gap = np.where(is_wide & np.isfinite(gap), gap, 0.0)
        steepest = np.maximum(np.abs(above.slope), np.abs(below.slope))
        rate = weight * gap / width + through * steepest
        weight, through = (weight * steepest) @ np.abs(layer.W), rate @ np.abs(layer.W)
    return balls.effects(sums.layers[0].W, rate)
