"""Functions of NumPy and SciPy with two derivatives in closed form, and the powers of Box, Cox, Yeo and Johnson.

Between the breaks of each, its first and its second derivative rise or fall throughout, so that their ranges are those
of the ends.

Polynomials in pieces: powers of a column, and splines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ....arrays import FloatArray, IntArray, UserValue
from .base import AffineCurve, Curve, CurveCells

_LN2, _LN10 = float(np.log(2.0)), float(np.log(10.0))
_ROOT_PI, _ROOT_2PI = float(np.sqrt(np.pi)), float(np.sqrt(2.0 * np.pi))


def _bell(t: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-t * t / 2.0) / _ROOT_2PI)


def _share(t: FloatArray) -> FloatArray:
    return np.asarray(special.expit(t) * special.expit(-t))


class _Derivatives(NamedTuple):
    """A function, its derivatives, and between which numbers these are monotone."""

    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]
    bend: Callable[[FloatArray], FloatArray]
    breaks: tuple[float, ...] = ()


def _around_zero(at: float) -> tuple[float, float, float]:
    return (-at, 0.0, at)


_FORMULAS: dict[str, _Derivatives] = {
    "log": _Derivatives(np.log, lambda t: 1 / t, lambda t: -1 / t**2),
    "log2": _Derivatives(np.log2, lambda t: 1 / (_LN2 * t), lambda t: -1 / (_LN2 * t**2)),
    "log10": _Derivatives(np.log10, lambda t: 1 / (_LN10 * t), lambda t: -1 / (_LN10 * t**2)),
    "log1p": _Derivatives(np.log1p, lambda t: 1 / (1 + t), lambda t: -1 / (1 + t) ** 2),
    "sqrt": _Derivatives(np.sqrt, lambda t: 0.5 / np.sqrt(t), lambda t: -0.25 / (t * np.sqrt(t))),
    "cbrt": _Derivatives(np.cbrt, lambda t: 1 / (3 * np.cbrt(t) ** 2), lambda t: -2 / (9 * np.cbrt(t) ** 5), (0.0,)),
    "exp": _Derivatives(np.exp, np.exp, np.exp),
    "exp2": _Derivatives(np.exp2, lambda t: _LN2 * np.exp2(t), lambda t: _LN2**2 * np.exp2(t)),
    "exp10": _Derivatives(special.exp10, lambda t: _LN10 * special.exp10(t), lambda t: _LN10**2 * special.exp10(t)),
    "expm1": _Derivatives(np.expm1, np.exp, np.exp),
    "sinh": _Derivatives(np.sinh, np.cosh, np.sinh, (0.0,)),
    "tanh": _Derivatives(
        np.tanh,
        lambda t: 1 - np.tanh(t) ** 2,
        lambda t: -2 * np.tanh(t) * (1 - np.tanh(t) ** 2),
        _around_zero(float(np.arctanh(1 / np.sqrt(3.0)))),
    ),
    "arctan": _Derivatives(
        np.arctan,
        lambda t: 1 / (1 + t * t),
        lambda t: -2 * t / (1 + t * t) ** 2,
        _around_zero(float(1 / np.sqrt(3.0))),
    ),
    "arcsinh": _Derivatives(
        np.arcsinh,
        lambda t: 1 / np.sqrt(1 + t * t),
        lambda t: -t / (1 + t * t) ** 1.5,
        _around_zero(float(np.sqrt(0.5))),
    ),
    "arccosh": _Derivatives(np.arccosh, lambda t: (t * t - 1) ** -0.5, lambda t: -t * (t * t - 1) ** -1.5),
    "arcsin": _Derivatives(np.arcsin, lambda t: (1 - t * t) ** -0.5, lambda t: t * (1 - t * t) ** -1.5, (0.0,)),
    "arccos": _Derivatives(np.arccos, lambda t: -((1 - t * t) ** -0.5), lambda t: -t * (1 - t * t) ** -1.5, (0.0,)),
    "arctanh": _Derivatives(np.arctanh, lambda t: 1 / (1 - t * t), lambda t: 2 * t / (1 - t * t) ** 2, (0.0,)),
    "erf": _Derivatives(
        special.erf,
        lambda t: 2 / _ROOT_PI * np.exp(-t * t),
        lambda t: -4 * t / _ROOT_PI * np.exp(-t * t),
        _around_zero(float(np.sqrt(0.5))),
    ),
    "erfinv": _Derivatives(
        special.erfinv,
        lambda t: _ROOT_PI / 2 * np.exp(special.erfinv(t) ** 2),
        lambda t: np.pi / 2 * special.erfinv(t) * np.exp(2 * special.erfinv(t) ** 2),
        (0.0,),
    ),
    "expit": _Derivatives(
        special.expit,
        _share,
        lambda t: _share(t) * (1 - 2 * special.expit(t)),
        _around_zero(float(np.log(2 + np.sqrt(3.0)))),
    ),
    "log_expit": _Derivatives(special.log_expit, lambda t: special.expit(-t), lambda t: -_share(t), (0.0,)),
    "logit": _Derivatives(
        special.logit, lambda t: 1 / (t * (1 - t)), lambda t: (2 * t - 1) / (t * (1 - t)) ** 2, (0.5,)
    ),
    "ndtr": _Derivatives(special.ndtr, _bell, lambda t: -t * _bell(t), _around_zero(1.0)),
    "ndtri": _Derivatives(
        special.ndtri,
        lambda t: 1 / _bell(special.ndtri(t)),
        lambda t: special.ndtri(t) / _bell(special.ndtri(t)) ** 2,
        (0.5,),
    ),
    "square": _Derivatives(lambda t: t * t, lambda t: 2 * t, lambda t: np.full(np.shape(t), 2.0)),
}
# Functions that are affine.
_SCALES: dict[UserValue, float] = {
    np.positive: 1.0,
    np.negative: -1.0,
    **dict.fromkeys([np.deg2rad, np.radians], float(np.pi / 180)),
    **dict.fromkeys([np.rad2deg, np.degrees], float(180 / np.pi)),
}
_NAMES: dict[UserValue, str] = {
    formula.value: name for name, formula in _FORMULAS.items() if isinstance(formula.value, np.ufunc)
} | {special.cbrt: "cbrt", special.exp2: "exp2", special.expm1: "expm1", special.log1p: "log1p"}


@dataclass(frozen=True, slots=True)
class NamedCurve(Curve):
    """A function that is known by name; see :meth:`of`."""

    name: str

    @staticmethod
    def of(function: Any) -> Curve | None:
        """Return the curve of a function of NumPy or SciPy; None if it is not known."""
        if function in _SCALES:
            return AffineCurve(_SCALES[function], 0.0)
        return NamedCurve(_NAMES[function]) if function in _NAMES else None

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        with np.errstate(all="ignore"):
            return np.asarray(_FORMULAS[self.name].value(t))

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        with np.errstate(all="ignore"):
            return np.asarray(_FORMULAS[self.name].slope(np.asarray(t)))

    def breaks(self) -> FloatArray:
        """List the breaks."""
        return np.array(_FORMULAS[self.name].breaks)

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return what it is on cells: derivatives at the doubles next to the ends, where they may be infinite."""
        formula, ends = _FORMULAS[self.name], inner_ends(a, b)
        with np.errstate(all="ignore"):
            slopes = formula.slope(ends[0]), formula.slope(ends[1])
            bends = formula.bend(ends[0]), formula.bend(ends[1])
        return CurveCells.between_ends(slopes, bends)


@dataclass(frozen=True, slots=True)
class PowerCurve(Curve):
    """``((1 + t)^p - 1) / p`` for positive numbers, ``(1 - (1 - t)^(2 - p)) / (2 - p)`` for others: Yeo and Johnson.

    Attributes
    ----------
    power : float
    is_box_cox : bool
        ``(t^p - 1) / p`` instead, of positive numbers.
    """

    power: float
    is_box_cox: bool = False

    def value(self, t: FloatArray) -> FloatArray:
        """Return values."""
        with np.errstate(all="ignore"):
            if self.is_box_cox:
                return np.asarray(special.boxcox(t, self.power))
            above, below = np.maximum(t, 0.0), np.minimum(t, 0.0)
            return np.asarray(special.boxcox1p(above, self.power) - special.boxcox1p(-below, 2.0 - self.power))

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
        p = self.power
        with np.errstate(all="ignore"):
            if self.is_box_cox:
                return np.asarray(np.power(t, p - 1))
            return np.asarray(np.power(1 + np.abs(t), np.where(t >= 0, p - 1, 1 - p)))

    def breaks(self) -> FloatArray:
        """List zero, where one power ends and another begins."""
        return np.empty(0) if self.is_box_cox else np.zeros(1)

    def on_cells(self, a: FloatArray, b: FloatArray) -> CurveCells:
        """Return what it is on cells."""
        ends = inner_ends(a, b)
        return CurveCells.between_ends(
            (self.slope(ends[0]), self.slope(ends[1])), (self._bend(ends[0]), self._bend(ends[1]))
        )

    def _bend(self, t: FloatArray) -> FloatArray:
        p = self.power
        with np.errstate(all="ignore"):
            if self.is_box_cox:
                return np.asarray((p - 1) * np.power(t, p - 2))
            return np.asarray((p - 1) * np.power(1 + np.abs(t), np.where(t >= 0, p - 2, -p)))


def inner_ends(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the doubles next to the ends of intervals, inside of them."""
    return np.minimum(np.nextafter(a, np.inf), b), np.maximum(np.nextafter(b, -np.inf), a)


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
        """Return values."""
        return self._derivative(np.asarray(t), np.searchsorted(self.knots, t), 0)

    def slope(self, t: FloatArray) -> FloatArray:
        """Return derivatives."""
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
        """Return what it is on cells, each on one piece."""
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
