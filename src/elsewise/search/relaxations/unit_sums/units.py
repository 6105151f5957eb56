r"""Sums of univariate functions of linear forms, layer by layer.

.. math:: t_1 = W_1 x + b_1, \quad a_i = \varphi_i(t_i), \quad t_{i+1} = W_{i+1} a_i + b_{i+1}, \quad
          m(x) = C a_L + D x + d

A model decides for an outcome where every :math:`m_r(x) \ge 0`: one row for each rival class, or for each end of a
range. One layer is the sum itself; each unit of a further layer is such a sum, too. Where a least probability of a
softmax is asked for, the soft minimum of the margins decides instead (:mod:`.functions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....arrays import FloatArray
from ....projection.distance import row_product
from ... import Space
from ...constants import SUM_ROUNDING
from .functions import Function, Lines, entropy, shares_of, soft_minimum

# A piece whose bound is within this relative distance of the incumbent cannot improve it noticeably: projections are no
# more accurate.
SETTLED = 1e-7
# Times that all intervals are narrowed at first; intervals narrowed in each piece, those with the largest gaps; and
# projections that each side of an interval costs.
TIMES_AT_FIRST, NARROWED_A_PIECE, ROUNDS_A_SIDE = 3, 60, 1
# Sections of a way to a point that is accepted that are distinguished at once, and how often: it is then known to a
# millionth.
SECTIONS, SECTIONINGS = 32, 4
# Scores of calibrated models that are as good as endless: single precision ends there.
FARTHEST_SCORE = float(np.finfo(np.float32).max)


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

    With log odds of rivals, a row is the margin ahead of a rival, and what must not be negative is one number: the soft
    minimum of the rows and these log odds.

    Attributes
    ----------
    layers : tuple of Layer, at least one
    C : array of shape (n_rows, n_units of the last layer)
    D : array of shape (n_rows, n_features)
    d : array of shape (n_rows,)
    log_odds : float or None
        Largest logarithm of the odds of all rivals together.
    """

    layers: tuple[Layer, ...]
    C: FloatArray
    D: FloatArray
    d: FloatArray
    log_odds: float | None = None

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.D.shape[1])

    @property
    def n_margins(self) -> int:
        """Number of margins."""
        return len(self.d) if self.log_odds is None else 1

    def margins(self, points: FloatArray) -> FloatArray:
        """Margins at points of shape (n_samples, n_features), array of shape (n_samples, n_margins).

        One margin a row, or the only one of soft minima.
        """
        a = points
        for layer in self.layers:
            a = layer.function.value(row_product(a, layer.W.T) + layer.b)
        rows = row_product(a, self.C.T) + row_product(points, self.D.T) + self.d
        return np.asarray(rows if self.log_odds is None else soft_minimum(rows) + self.log_odds)

    def sizes(self, points: FloatArray) -> FloatArray:
        """Sizes of the terms that the margins are summed from, array of shape (n_samples, n_margins)."""
        a, size = points, np.abs(points)
        for layer in self.layers:
            a = row_product(a, layer.W.T) + layer.b
            size = row_product(size, np.abs(layer.W).T) + np.abs(layer.b)
            size = np.abs(layer.function.slope(a)) * size + np.abs(layer.function.value(a))
            a = layer.function.value(a)
        linear = row_product(np.abs(points), np.abs(self.D).T) + np.abs(self.d)
        sizes = np.asarray(row_product(size, np.abs(self.C).T) + linear)
        return sizes if self.log_odds is None else sizes.max(axis=1, keepdims=True) + abs(self.log_odds)

    def forms(self, point: FloatArray) -> list[FloatArray]:
        """Values of the units' linear forms at one point, a list of arrays of shape (n_units,)."""
        forms, a = [], point
        for layer in self.layers:
            forms.append(layer.W @ a + layer.b)
            a = layer.function.value(forms[-1])
        return forms

    def forms_of(self, points: FloatArray) -> list[FloatArray]:
        """Return the same at many points of one row, a list of arrays of shape (n_points, n_units)."""
        return [np.array(of_layer) for of_layer in zip(*map(self.forms, points))]

    def linearised(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Margins at a point, shape (n_margins,), and their gradients, shape (n_margins, n_features)."""
        forms = self.forms(point)
        margins, gradient, D = self.decisive(point, forms)
        for layer, t in zip(reversed(self.layers), reversed(forms)):
            gradient = (gradient * layer.function.slope(t)) @ layer.W
        return margins, gradient + D

    def decisive(self, point: FloatArray, forms: list[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Margins at a point, shape (n_margins,), and weights of units and features that they have there."""
        rows = self.row_values(point, forms)
        if self.log_odds is None:
            return rows, self.C, self.D
        together = self.shared(shares_of(rows))
        return soft_minimum(rows) + self.log_odds, together.C, together.D

    def row_values(self, point: FloatArray, forms: list[FloatArray]) -> FloatArray:
        """Values of the rows at one point, array of shape (n_rows,)."""
        return np.asarray(self.C @ self.layers[-1].function.value(forms[-1]) + self.D @ point + self.d)

    def shared(self, shares: FloatArray) -> Sums:
        """Return the one row that is not below the soft minimum and the log odds, for shares of shape (n_rows,)."""
        assert self.log_odds is not None
        inner = entropy(shares)
        d = float(shares @ self.d) - inner + self.log_odds
        d += SUM_ROUNDING * (float(shares @ np.abs(self.d)) + inner + abs(self.log_odds))
        return Sums(self.layers, (shares @ self.C)[None], (shares @ self.D)[None], np.array([d]))

    def in_plain_coordinates(self, space: Space) -> Sums:
        """Rewrite sums of model space for plain coordinates of features, in norm 1."""
        back, origin = space.coordinates.back, space.coordinates.origin
        at_origin = space.matrix @ origin + space.offset
        first = self.layers[0]
        moved = Layer((first.W @ space.matrix) * back, first.b + first.W @ at_origin, first.function)
        D, d = (self.D @ space.matrix) * back, self.d + self.D @ at_origin
        return replace(self, layers=(moved, *self.layers[1:]), D=D, d=d)

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

    @classmethod
    def stacked(cls, pieces: Sequence[Intervals]) -> Intervals:
        """Intervals of many pieces, arrays of shape (n_pieces, n_units)."""
        low, high = (zip(*(getattr(piece, name) for piece in pieces)) for name in ("low", "high"))
        return cls(tuple(map(np.array, low)), tuple(map(np.array, high)))

    def of_piece(self, k: int) -> Intervals:
        """Return those of one of many pieces."""
        return Intervals(tuple(low[k] for low in self.low), tuple(high[k] for high in self.high))

    def with_layer(self, place: int, low: FloatArray, high: FloatArray) -> Intervals:
        """Change those of one layer; where rounding crossed the ends, they meet."""
        high = np.maximum(high, low)
        return Intervals(
            (*self.low[:place], low, *self.low[place + 1 :]), (*self.high[:place], high, *self.high[place + 1 :])
        )


def above_margins(
    sums: Sums, intervals: Intervals, near: list[FloatArray], x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Over-estimate what must not be negative linearly on the intervals, tight near a point.

    Returns
    -------
    normals : array of shape (n_estimates, n_features)
    offsets : array of shape (n_estimates,)
        Nothing is accepted where ``normals x + offsets`` is negative.
    """
    n = len(sums.layers)
    if sums.log_odds is None:
        return estimate(sums, sums.C, sums.D, sums.d, n, intervals, near)
    # each rival alone, then all of them together, with shares by the margins and by their estimates: where no unit has
    # a gap the former cut the point off, and elsewhere the latter may be tighter
    normals, offsets = estimate(sums, sums.C, sums.D, sums.d, n, intervals, near)
    estimates = normals @ x + offsets
    known = [rows for rows in (sums.row_values(x, near), estimates) if np.isfinite(rows).all()]
    for one in (sums.shared(shares_of(rows)) for rows in known):
        normal, offset = estimate(sums, one.C, one.D, one.d, n, intervals, near)
        normals, offsets = np.vstack([normals, normal]), np.concatenate([offsets, offset])
    offsets[: len(estimates)] += sums.log_odds
    return normals, offsets


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
    features. Rounded up; infinite where there is no such line. Intervals and ``near`` may be of many pieces, with a
    leading axis; so are the estimates then.

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
        slope = helps * above.slope[..., None, :] + hurts * below.slope[..., None, :]
        d = d + _products(helps, above) + _products(hurts, below) + slope @ layer.b
        size = size + np.abs(d) + np.abs(slope) @ np.abs(layer.b)
        C = slope @ layer.W
    return C + D, d + SUM_ROUNDING * size


def _products(weights: FloatArray, lines: Lines) -> FloatArray:
    """Sum of weights times offsets, where a weight of nothing counts nothing even if there is no line."""
    finite = np.isfinite(lines.offset)
    known = (weights @ np.where(finite, lines.offset, 0.0)[..., None])[..., 0]
    if finite.all():
        return np.asarray(known)
    missing = ((weights != 0) & ~finite[..., None, :]).any(axis=-1)
    return np.where(missing, np.inf, known)
