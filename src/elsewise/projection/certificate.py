r"""Certificates: what a point and multipliers prove about a projection, computed without the kernel.

The problem is that of :func:`elsewise.projection.project`: with :math:`v = x - x_0`,

.. math:: \min_x \theta(x, x_0) \quad\text{s.t.}\quad A x \le b,\quad l \le x \le u,\quad
          \lVert F x - g\rVert \le h_0 + h_1^\top x

with multipliers :math:`\lambda \ge 0` of the half-spaces, :math:`\zeta` of the bounds (positive for ``upper``,
negative for ``lower``) and :math:`y = (y_0, y_1)`, :math:`\lVert y_1\rVert \le y_0`, of the cone. They enter the
Lagrangian by

.. math:: \rho = A^\top\lambda + \zeta - h_1 y_0 - F^\top y_1, \qquad
          \beta = \lambda^\top(A x_0 - b) + \zeta_+^\top(x_0 - u) + \zeta_-^\top(l - x_0)
                  - y_0 (h_0 + h_1^\top x_0) - y_1^\top(F x_0 - g)

as :math:`\theta + \rho^\top v + \beta`. Its minimum over :math:`v` is a lower bound of the optimum: :math:`\beta` for
the Manhattan distance if :math:`|\rho_i| \le \alpha_i` for every feature, and
:math:`\beta - \tfrac14 \rho^\top\Omega^{-1}\rho` for the Mahalanobis distance. Where :math:`\rho = 0` and
:math:`\beta > 0`, no point satisfies the constraints (Farkas).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, solve_triangular

from ..arrays import FloatArray
from .distance import Distance, ResolvedManhattan

# Relative spacing of doubles; sums of n terms are off by no more than n and a few of it.
EPS, EXTRA_TERMS = 2.0**-52, 4
# Share of the largest multiplier by which one may have the wrong sign: rounding of the conversion between coordinates.
WRONG_SIGN = 1e-12


@dataclass(frozen=True, slots=True)
class ConvexSet:
    """The set ``{ x : A x <= b, lower <= x <= upper, ||F x - g|| <= h0 + h1·x }``; see :func:`convex_set`.

    Attributes
    ----------
    A, b : arrays of shape (n_halfspaces, n_features), (n_halfspaces,)
    lower, upper : arrays of shape (n_features,)
    F, g, h0, h1 : arrays of shape (q, n_features), (q,), float, (n_features,)
        Meaningless unless ``has_cone``.
    has_cone : bool
    """

    A: FloatArray
    b: FloatArray
    lower: FloatArray
    upper: FloatArray
    F: FloatArray
    g: FloatArray
    h0: float
    h1: FloatArray
    has_cone: bool


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Multipliers of one instance.

    Attributes
    ----------
    rows : array of shape (n_halfspaces,), >= 0
        Of the half-spaces, one for each row of ``A``.
    bounds : array of shape (n_features,)
        Positive for ``upper``, negative for ``lower``.
    cone : array of shape (q + 1,)
        ``(y0, y1)`` with ``||y1|| <= y0``.
    """

    rows: FloatArray
    bounds: FloatArray
    cone: FloatArray


@dataclass(frozen=True, slots=True)
class KKTResiduals:
    """How far a point and multipliers are from proving each other optimal; all zero at an exact optimum.

    Primal residuals are lengths in the unit of the distance (of its root for Mahalanobis): the least way to go before
    the constraint can hold. They count what exceeds the rounding of their own evaluation.

    Attributes
    ----------
    rows, bounds, cone : float
        Largest violation of each kind.
    signs : float
        Largest multiplier of the wrong sign (or outside the cone, or of an infinite bound), relative to the largest.
    dual : float
        Manhattan: excess of the largest ``|rho_i| / alpha_i`` over 1. Mahalanobis: ``||2 omega v + rho||`` relative to
        ``||2 omega v||``, in the norm of ``omega^-1``.
    complementarity : float
        Sum of multiplier times slack over all constraints, relative to the distance.
    distance : float
        Value of the distance at the point.
    dual_value : float
        Lower bound of the optimum proven by the multipliers.
    """

    rows: float
    bounds: float
    cone: float
    signs: float
    dual: float
    complementarity: float
    distance: float
    dual_value: float

    @property
    def primal(self) -> float:
        """Largest primal residual."""
        return max(self.rows, self.bounds, self.cone)

    @property
    def gap(self) -> float:
        """Relative gap ``(distance - dual_value) / distance``; negative only as far as the point is infeasible."""
        return (self.distance - self.dual_value) / self.distance if self.distance > 0 else -self.dual_value


def convex_set(
    n_features: int,
    *,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    F: ArrayLike | None = None,
    g: ArrayLike | None = None,
    h0: float = 0.0,
    h1: ArrayLike | None = None,
) -> ConvexSet:
    """Collect the constraints of :func:`elsewise.projection.project`, with the same defaults for what is left out."""
    n = n_features
    factor = np.empty((0, n)) if F is None else np.array(F, dtype=np.float64, ndmin=2)
    return ConvexSet(
        A=np.empty((0, n)) if A is None else np.array(A, dtype=np.float64, ndmin=2),
        b=np.empty(0) if b is None else np.array(b, dtype=np.float64),
        lower=np.full(n, -np.inf) if lower is None else np.array(lower, dtype=np.float64),
        upper=np.full(n, np.inf) if upper is None else np.array(upper, dtype=np.float64),
        F=factor,
        g=np.zeros(len(factor)) if g is None else np.array(g, dtype=np.float64),
        h0=float(h0),
        h1=np.zeros(n) if h1 is None else np.array(h1, dtype=np.float64),
        has_cone=F is not None,
    )


def kkt_residuals(
    x0: FloatArray,
    x: FloatArray,
    multipliers: Multipliers,
    target: ConvexSet,
    distance: Distance,
) -> KKTResiduals:
    """Judge a projection ``x`` of ``x0`` onto ``target``, both arrays of shape (n_features,)."""
    rho, _, _ = _lagrangian(x0, multipliers, target)
    v = x - x0
    value = _metric(distance, x0)
    theta = value.of(v)
    row_slacks, cone_slack, cone_vector = target.b - target.A @ x, 0.0, np.zeros(len(target.g))
    n_noise = (len(x) + EXTRA_TERMS) * EPS
    row_noise = n_noise * (np.abs(target.A) @ (np.abs(x) + np.abs(x0)) + np.abs(target.b))
    low, high = target.lower - x, x - target.upper
    cone = 0.0
    if target.has_cone:
        cone_slack, cone_vector = target.h0 + float(target.h1 @ x), target.F @ x - target.g
        size = np.abs(x) + np.abs(x0)
        noise = n_noise * float(
            np.linalg.norm(np.abs(target.F) @ size + np.abs(target.g)) + np.abs(target.h1) @ size + abs(target.h0)
        )
        excess = float(np.linalg.norm(cone_vector)) - cone_slack - noise
        # ||F x - g|| - h1·x changes by no more than this a unit of distance.
        cone = _length(excess, value.slope(target.F) + value.dual_norm(target.h1))
    z, y = multipliers.bounds, multipliers.cone
    with np.errstate(invalid="ignore"):
        at_bounds = np.where(z > 0, -z * high, np.where(z < 0, z * low, 0.0))
    products = [np.abs(multipliers.rows * row_slacks).sum(), np.abs(at_bounds).sum()]
    if target.has_cone:
        products.append(abs(y[0] * cone_slack + y[1:] @ cone_vector))
    return KKTResiduals(
        rows=max(
            (_length(-s - e, value.dual_norm(a)) for s, e, a in zip(row_slacks, row_noise, target.A, strict=True)),
            default=0.0,
        ),
        bounds=max(0.0, float(np.max(low)), float(np.max(high))),
        cone=cone,
        signs=_wrong_signs(multipliers, target),
        dual=value.dual_residual(v, rho),
        complementarity=float(sum(products)) / (theta if theta > 0 else 1.0),
        distance=theta,
        dual_value=dual_value(x0, multipliers, target, distance),
    )


def dual_value(x0: FloatArray, multipliers: Multipliers, target: ConvexSet, distance: Distance) -> float:
    """Lower bound of the distance from ``x0`` to ``target`` that the multipliers prove.

    Multipliers that are not dual feasible for the Manhattan distance are first scaled back until they are. The bound is
    ``-inf`` if a multiplier has the wrong sign by more than rounding.
    """
    if _wrong_signs(multipliers, target) > WRONG_SIGN:
        return -np.inf
    rho, beta, _ = _lagrangian(x0, multipliers, target)
    metric = _metric(distance, x0)
    if isinstance(metric, _ManhattanMetric):
        return beta / max(1.0, metric.dual_norm(rho))
    return beta - 0.25 * metric.dual_norm(rho) ** 2


def farkas_violation(x0: FloatArray, multipliers: Multipliers, target: ConvexSet, distance: Distance) -> float:
    """How far the multipliers are from proving that ``target`` is empty: the inverse of a distance, 0 for a proof.

    Every point of ``target`` is at least ``beta / ||rho||_*`` from ``x0``, with the norm dual to the distance (to its
    root for Mahalanobis). The inverse of this length is returned, so that ``rho = 0`` gives 0; it is infinite where
    ``beta`` is not positive beyond rounding or a multiplier has the wrong sign.
    """
    rho, beta, size = _lagrangian(x0, multipliers, target)
    if _wrong_signs(multipliers, target) > WRONG_SIGN or beta <= (len(x0) + EXTRA_TERMS) * EPS * size:
        return np.inf
    return _metric(distance, x0).dual_norm(rho) / beta


def _lagrangian(x0: FloatArray, multipliers: Multipliers, target: ConvexSet) -> tuple[FloatArray, float, float]:
    """``rho``, ``beta`` (see the module docstring) and the size of the terms ``beta`` was summed from."""
    z, y = multipliers.bounds, multipliers.cone
    rho = target.A.T @ multipliers.rows + z
    with np.errstate(invalid="ignore"):
        at_bounds = np.where(z > 0, z * (x0 - target.upper), np.where(z < 0, z * (x0 - target.lower), 0.0))
    terms = [multipliers.rows * (target.A @ x0 - target.b), at_bounds]
    sizes = [multipliers.rows * (np.abs(target.A) @ np.abs(x0) + np.abs(target.b)), np.abs(at_bounds)]
    if target.has_cone:
        rho = rho - target.h1 * y[0] - target.F.T @ y[1:]
        y0 = max(y[0], float(np.linalg.norm(y[1:])))  # in the cone to the last bit
        terms += [-y[1:] * (target.F @ x0 - target.g), np.array([-y0 * (target.h0 + target.h1 @ x0)])]
        sizes += [
            np.abs(y[1:]) * (np.abs(target.F) @ np.abs(x0) + np.abs(target.g)),
            np.array([y0 * (abs(target.h0) + np.abs(target.h1) @ np.abs(x0))]),
        ]
    return rho, float(np.concatenate(terms).sum()), float(np.concatenate(sizes).sum())


def _wrong_signs(multipliers: Multipliers, target: ConvexSet) -> float:
    z, y = multipliers.bounds, multipliers.cone
    wrong = [0.0, *(-multipliers.rows), *z[np.isinf(target.upper)], *(-z[np.isinf(target.lower)])]
    if target.has_cone:
        wrong.append(float(np.linalg.norm(y[1:])) - y[0])
    largest = max((float(np.abs(part).max()) for part in (multipliers.rows, z, y) if len(part)), default=0.0)
    return float(max(wrong)) / (largest if largest > 0 else 1.0)


def _length(excess: float, slope: float) -> float:
    """Least way to go before an excess vanishes that falls by at most ``slope`` a unit of distance."""
    if excess <= 0:
        return 0.0
    return float(excess / slope) if slope > 0 else np.inf


@dataclass(frozen=True, slots=True)
class _ManhattanMetric:
    weights: FloatArray

    def of(self, v: FloatArray) -> float:
        return float(self.weights @ np.abs(v))

    def dual_norm(self, rho: FloatArray) -> float:
        return float(np.max(np.abs(rho) / self.weights))

    def slope(self, F: FloatArray) -> float:
        """Largest change of ``F x`` in the Euclidean norm a unit of distance."""
        return float(np.max(np.linalg.norm(F, axis=0) / self.weights))

    def dual_residual(self, v: FloatArray, rho: FloatArray) -> float:
        return max(0.0, self.dual_norm(rho) - 1.0)


@dataclass(frozen=True, slots=True)
class _MahalanobisMetric:
    root: FloatArray  # U with omega = U'U: the distance is ||U v||^2

    def of(self, v: FloatArray) -> float:
        return float(np.sum((self.root @ v) ** 2))

    def dual_norm(self, rho: FloatArray) -> float:
        return float(np.linalg.norm(solve_triangular(self.root, rho, trans="T")))

    def slope(self, F: FloatArray) -> float:
        return float(np.linalg.norm(solve_triangular(self.root, F.T, trans="T"), 2))

    def dual_residual(self, v: FloatArray, rho: FloatArray) -> float:
        moved = 2.0 * (self.root @ v)
        rest = moved + solve_triangular(self.root, rho, trans="T")
        size = float(np.linalg.norm(moved))
        return float(np.linalg.norm(rest)) / (size if size > 0 else 1.0)


def _metric(distance: Distance, x0: FloatArray) -> _ManhattanMetric | _MahalanobisMetric:
    resolved = distance.resolve(x0[None])
    if isinstance(resolved, ResolvedManhattan):
        return _ManhattanMetric(resolved.weights)
    return _MahalanobisMetric(cholesky(resolved.omega))
