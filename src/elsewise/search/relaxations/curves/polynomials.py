"""Polynomials in pieces: powers of a column, and splines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray, IntArray
from .base import Curve, CurveCells


@dataclass(frozen=True, slots=True, eq=False)
class PiecewisePolynomial(Curve):
    """Continuous polynomials, ``sum_k coefficients[k, p] (t - anchors[p])^k`` where ``knots[p - 1] < t <= knots[p]``.

    Attributes
    ----------
    knots : array of shape (n_pieces - 1,), ascending
    anchors : array of shape (n_pieces,)
    coefficients : array of shape (degree + 1, n_pieces)
    """

    knots: FloatArray
    anchors: FloatArray
    coefficients: FloatArray

    @classmethod
    def monomial(cls, degree: int) -> PiecewisePolynomial:
        """Make ``t^degree``."""
        return cls(np.empty(0), np.zeros(1), np.eye(degree + 1)[:, -1:])

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Equal for those that can be added piece by piece."""
        return self.knots.tobytes(), self.anchors.tobytes()

    def times(self, weight: float) -> PiecewisePolynomial:
        """Multiply."""
        return PiecewisePolynomial(self.knots, self.anchors, weight * self.coefficients)

    def plus(self, other: PiecewisePolynomial) -> PiecewisePolynomial:
        """Add one of the same pieces."""
        degree = max(len(self.coefficients), len(other.coefficients))
        total = np.zeros((degree, len(self.anchors)))
        for one in (self, other):
            total[: len(one.coefficients)] += one.coefficients
        return PiecewisePolynomial(self.knots, self.anchors, total)

    def value(self, t: FloatArray) -> FloatArray:
        """Give values."""
        return self._derivative(np.asarray(t), np.searchsorted(self.knots, t), 0)

    def slope(self, t: FloatArray) -> FloatArray:
        """Give derivatives."""
        return self._derivative(np.asarray(t), np.searchsorted(self.knots, t), 1)

    def breaks(self) -> FloatArray:
        """List the knots, and where the second or third derivative changes its sign: slopes and bends are monotone."""
        ends = np.concatenate([[-np.inf], self.knots, [np.inf]])
        found = [self.knots]
        for piece, anchor in enumerate(self.anchors):
            polynomial = np.polynomial.Polynomial(self.coefficients[:, piece])
            for order in (2, 3):
                roots = polynomial.deriv(order).roots()
                real = anchor + roots[np.isreal(roots)].real
                found.append(real[(real > ends[piece]) & (real < ends[piece + 1])])
        return np.unique(np.concatenate(found))

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Tell what it is on cells, each on one piece."""
        piece = np.searchsorted(self.knots, a + (b - a) / 2)
        slopes = self._derivative(a, piece, 1), self._derivative(b, piece, 1)
        return CurveCells.between_ends(slopes, (self._derivative(a, piece, 2), self._derivative(b, piece, 2)))

    def _derivative(self, t: FloatArray, piece: IntArray, order: int) -> FloatArray:
        """Evaluate a derivative by Horner's rule."""
        coefficients = self.coefficients
        for _ in range(order):
            coefficients = coefficients[1:] * np.arange(1.0, len(coefficients))[:, None]
        away, total = t - self.anchors[piece], np.zeros(np.shape(t))
        for of_power in coefficients[::-1]:
            total = total * away + of_power[piece]
        return np.asarray(total)
