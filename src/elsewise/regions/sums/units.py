r"""Sums of univariate functions of linear forms, layer by layer.

.. math:: t_1 = W_1 x + b_1, \quad a_i = \varphi_i(t_i), \quad t_{i+1} = W_{i+1} a_i + b_{i+1}, \quad
          m(x) = C a_L + D x + d

A model decides for an outcome where every :math:`m_r(x) \ge 0`: one row for each rival class, or for each end of a
range. One layer is the sum itself; each unit of a further layer is such a sum, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import FloatArray
from ...projection.coordinates import row_product
from ...search import Space
from .constants import SUM_ROUNDING
from .functions import Function, Lines


@dataclass(frozen=True, slots=True)
class Layer:
    """Units ``function(W x + b)``.

    Attributes
    ----------
    W : array of shape (n_units, n_inputs)
    b : array of shape (n_units,)
    function : Function
    """

    W: FloatArray
    b: FloatArray
    function: Function


@dataclass(frozen=True, slots=True)
class Sums:
    """The rows ``C a + D x + d`` of the module's docstring, all of which must not be negative.

    Attributes
    ----------
    layers : tuple of Layer, at least one
    C : array of shape (n_rows, n_units of the last layer)
    D : array of shape (n_rows, n_features)
    d : array of shape (n_rows,)
    """

    layers: tuple[Layer, ...]
    C: FloatArray
    D: FloatArray
    d: FloatArray

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.D.shape[1])

    def margins(self, points: FloatArray) -> FloatArray:
        """Values of the rows at points of shape (n_samples, n_features), array of shape (n_samples, n_rows)."""
        a = points
        for layer in self.layers:
            a = layer.function.value(row_product(a, layer.W.T) + layer.b)
        return np.asarray(row_product(a, self.C.T) + row_product(points, self.D.T) + self.d)

    def sizes(self, points: FloatArray) -> FloatArray:
        """Sizes of the terms that the margins are summed from, array of shape (n_samples, n_rows)."""
        a, size = points, np.abs(points)
        for layer in self.layers:
            a = row_product(a, layer.W.T) + layer.b
            size = row_product(size, np.abs(layer.W).T) + np.abs(layer.b)
            size = np.abs(layer.function.slope(a)) * size + np.abs(layer.function.value(a))
            a = layer.function.value(a)
        linear = row_product(np.abs(points), np.abs(self.D).T) + np.abs(self.d)
        return np.asarray(row_product(size, np.abs(self.C).T) + linear)

    def forms(self, point: FloatArray) -> list[FloatArray]:
        """Values of the units' linear forms at one point, a list of arrays of shape (n_units,)."""
        forms, a = [], point
        for layer in self.layers:
            forms.append(layer.W @ a + layer.b)
            a = layer.function.value(forms[-1])
        return forms

    def linearised(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Margins at a point, shape (n_rows,), and their gradients, shape (n_rows, n_features)."""
        forms, gradient = self.forms(point), self.C
        margins = self.C @ self.layers[-1].function.value(forms[-1]) + self.D @ point + self.d
        for layer, t in zip(reversed(self.layers), reversed(forms)):
            gradient = (gradient * layer.function.slope(t)) @ layer.W
        return margins, gradient + self.D

    def in_plain_coordinates(self, space: Space) -> Sums:
        """Rewrite sums of model space for plain coordinates of features, in norm 1."""
        back, origin = space.coordinates.back, space.coordinates.origin
        at_origin = space.matrix @ origin + space.offset
        first = self.layers[0]
        moved = Layer((first.W @ space.matrix) * back, first.b + first.W @ at_origin, first.function)
        return Sums((moved, *self.layers[1:]), self.C, (self.D @ space.matrix) * back, self.d + self.D @ at_origin)

    def rows(self, chosen: Sequence[int] | FloatArray) -> Sums:
        """Take some of the rows."""
        return replace(self, C=self.C[chosen], D=self.D[chosen], d=self.d[chosen])


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of the units' linear forms: tuples of arrays of shape (n_units,), one a layer."""

    low: tuple[FloatArray, ...]
    high: tuple[FloatArray, ...]

    @classmethod
    def endless(cls, sums: Sums) -> Intervals:
        """Nothing is known."""
        return cls(
            tuple(np.full(len(layer.b), -np.inf) for layer in sums.layers),
            tuple(np.full(len(layer.b), np.inf) for layer in sums.layers),
        )

    def with_layer(self, place: int, low: FloatArray, high: FloatArray) -> Intervals:
        """Change those of one layer; where rounding crossed the ends, they meet."""
        high = np.maximum(high, low)
        return Intervals(
            (*self.low[:place], low, *self.low[place + 1 :]), (*self.high[:place], high, *self.high[place + 1 :])
        )


def estimate(
    sums: Sums,
    C: FloatArray,
    D: FloatArray,
    d: FloatArray,
    n_layers: int,
    intervals: Intervals,
    near: list[FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Over-estimate ``C a + D x + d`` linearly on the intervals, ``a`` being the units of layer ``n_layers``.

    Chords where a unit helps and tangents where it hurts, backwards from layer to layer: what is left is linear in the
    features. Rounded up; infinite where there is no such line.

    Parameters
    ----------
    sums : Sums
    C, D, d : arrays of shape (n_rows, n_units), (n_rows, n_features), (n_rows,)
    n_layers : int
        The rows are about the units of this many layers.
    intervals : Intervals
    near : list of arrays of shape (n_units,)
        Where the lines are to be tight.

    Returns
    -------
    normals : array of shape (n_rows, n_features)
    offsets : array of shape (n_rows,)
        ``C a(x) + D x + d <= normals x + offsets`` for every ``x`` whose forms are within the intervals.
    """
    size = np.abs(d)
    for place in range(n_layers - 1, -1, -1):
        layer = sums.layers[place]
        low, high = intervals.low[place], intervals.high[place]
        above, below = layer.function.above(low, high, near[place]), layer.function.below(low, high, near[place])
        helps, hurts = np.maximum(C, 0.0), np.minimum(C, 0.0)
        slope = helps * above.slope + hurts * below.slope
        d = d + _products(helps, above) + _products(hurts, below) + slope @ layer.b
        size = size + np.abs(d) + np.abs(slope) @ np.abs(layer.b)
        C = slope @ layer.W
    return C + D, d + SUM_ROUNDING * size


def _products(weights: FloatArray, lines: Lines) -> FloatArray:
    """Sum of weights times offsets, where a weight of nothing counts nothing even if there is no line."""
    finite = np.isfinite(lines.offset)
    known = weights[:, finite] @ lines.offset[finite]
    missing = (weights[:, ~finite] != 0).any(axis=1)
    return np.where(missing, np.inf, known)
