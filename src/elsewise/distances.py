"""Distances: how large a change is, in the space of the user's features.

A distance is described by `Manhattan` or `Mahalanobis` and becomes definite by ``resolve(X)``, which checks it against
the training rows and fills in what was left open. `theta(x', x)`, the paper's regularizer, is the value of the resolved
object; for Mahalanobis this is the quadratic form itself, not its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .density.base import check_rows, feature_scales
from .errors import InvalidInputError

FloatArray = NDArray[np.float64]

# Ridge of the default omega, as a share of each feature's own variance.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedManhattan:
    """The distance ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1), all weights positive.

    Attributes
    ----------
    weights : array of shape (n_features,)
    """

    weights: FloatArray

    def __call__(self, X: ArrayLike, Y: ArrayLike) -> FloatArray:
        """Value for each pair of rows of ``X`` and ``Y``, (n_samples, n_features) or one row; shape (n_samples,)."""
        value: FloatArray = (np.abs(_difference(X, Y, len(self.weights))) * self.weights).sum(axis=1)
        return value


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedMahalanobis:
    """The distance ``(x - y)' omega (x - y)`` (Eq. general_l2), omega symmetric and positive definite.

    Attributes
    ----------
    omega : array of shape (n_features, n_features)
    """

    omega: FloatArray

    def __call__(self, X: ArrayLike, Y: ArrayLike) -> FloatArray:
        """Value for each pair of rows of ``X`` and ``Y``, (n_samples, n_features) or one row; shape (n_samples,)."""
        difference = _difference(X, Y, len(self.omega))
        # One vector-matrix product per row: a row has the same bits alone and in any batch.
        image = np.matmul(difference[:, None, :], self.omega)[:, 0, :]
        value: FloatArray = (image * difference).sum(axis=1)
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Manhattan:
    """Weighted Manhattan distance, ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1). Prefers few changed features.

    Parameters
    ----------
    weights : array-like of shape (n_features,) or None, default=None
        Positive price of a unit of change of each feature; None is 1 for all.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Manhattan
    >>> distance = Manhattan(weights=[1.0, 10.0]).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([13.])
    """

    weights: Any = None

    def resolve(self, X: ArrayLike) -> ResolvedManhattan:
        """Check the weights against the training rows ``X``, of shape (n_samples, n_features)."""
        d = check_rows(X).shape[1]
        if self.weights is None:
            return ResolvedManhattan(np.ones(d))
        weights = _numbers("weights", self.weights)
        if weights.shape != (d,):
            raise InvalidInputError(
                f"Manhattan weights: expected one for each of the {d} features, shape ({d},), received shape "
                f"{weights.shape}."
            )
        wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0.0)))
        if len(wrong):
            raise InvalidInputError(
                f"Manhattan weights must be finite and positive, received {weights[wrong[0]]} at index {wrong[0]}"
                f"{f' ({len(wrong)} wrong in all)' if len(wrong) > 1 else ''}. "
                "Make a feature cheap with a small weight; forbid changes by a constraint, not by an infinite weight."
            )
        return ResolvedManhattan(weights)


@dataclass(frozen=True, slots=True, eq=False)
class Mahalanobis:
    """Mahalanobis distance, ``(x - y)' omega (x - y)`` (Eq. general_l2). Follows how features vary together.

    Parameters
    ----------
    omega : array-like of shape (n_features, n_features) or None, default=None
        Symmetric positive definite matrix; the identity gives the squared Euclidean distance. None is the inverse
        covariance of the training rows (divisor n), where each variance is first raised by 1e-6 of itself so that the
        inverse exists for collinear features; a feature that is constant in training gets the variance ``1e-6 s**2``,
        with ``s`` its absolute value (or, for zeros, the smallest deviation of the others), so that changing it is
        possible but dear.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Mahalanobis
    >>> distance = Mahalanobis(omega=np.eye(2)).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([10.])
    """

    omega: Any = None

    def resolve(self, X: ArrayLike) -> ResolvedMahalanobis:
        """Check omega against the training rows ``X``, of shape (n_samples, n_features), or compute it from them."""
        rows = check_rows(X)
        if self.omega is None:
            return ResolvedMahalanobis(_inverse_covariance(rows))
        d = rows.shape[1]
        omega = _numbers("omega", self.omega)
        if omega.shape != (d, d):
            raise InvalidInputError(
                f"Mahalanobis omega: expected a square matrix of shape ({d}, {d}) for {d} features, received shape "
                f"{omega.shape}."
            )
        if not np.isfinite(omega).all():
            row, column = np.argwhere(~np.isfinite(omega))[0]
            raise InvalidInputError(
                f"Mahalanobis omega must be finite, received {omega[row, column]} at ({row}, {column})."
            )
        asymmetry = np.abs(omega - omega.T)
        if asymmetry.max() > 1e-8 * np.abs(omega).max():
            row, column = np.unravel_index(asymmetry.argmax(), omega.shape)
            raise InvalidInputError(
                f"Mahalanobis omega must be symmetric, received {omega[row, column]} at ({row}, {column}) and "
                f"{omega[column, row]} at ({column}, {row}). Use (omega + omega.T) / 2, which gives the same distance."
            )
        omega = 0.5 * (omega + omega.T)
        if not _is_positive_definite(omega):
            raise InvalidInputError(
                "Mahalanobis omega must be positive definite, its smallest eigenvalue is "
                f"{np.linalg.eigvalsh(omega)[0]:.3g}. Add a small multiple of the identity."
            )
        return ResolvedMahalanobis(omega)


Distance = Manhattan | Mahalanobis
ResolvedDistance = ResolvedManhattan | ResolvedMahalanobis

_named: dict[str, type[Manhattan] | type[Mahalanobis]] = {"manhattan": Manhattan, "mahalanobis": Mahalanobis}


def resolve_distance(distance: str | Distance, X: ArrayLike) -> ResolvedDistance:
    """Resolve a distance, or the default one of a name, against the training rows.

    Parameters
    ----------
    distance : {"manhattan", "mahalanobis"}, Manhattan or Mahalanobis
    X : array of shape (n_samples, n_features)
    """
    if isinstance(distance, str) and distance in _named:
        return _named[distance]().resolve(X)
    if isinstance(distance, (Manhattan, Mahalanobis)):
        return distance.resolve(X)
    raise InvalidInputError(
        f"Unknown distance {distance!r}: expected 'manhattan', 'mahalanobis', Manhattan(weights) or Mahalanobis(omega)."
    )


def _difference(X: ArrayLike, Y: ArrayLike, d: int) -> FloatArray:
    """Rows of ``X - Y``, array of shape (n_samples, d); a single row is set against all rows of the other."""
    left = np.atleast_2d(np.asarray(X, dtype=np.float64))
    right = np.atleast_2d(np.asarray(Y, dtype=np.float64))
    fits = left.ndim == right.ndim == 2 and left.shape[1] == right.shape[1] == d
    if not fits or (len(left) != len(right) and 1 not in (len(left), len(right))):
        raise InvalidInputError(
            f"Expected rows with {d} features, as many in both arrays or a single one, received shapes {np.shape(X)} "
            f"and {np.shape(Y)}."
        )
    return np.ascontiguousarray(left - right)


def _numbers(name: str, values: Any) -> FloatArray:
    """Copy of ``values`` as float64; the result shares no memory with the user's array."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be an array of numbers, received {values!r}: {error}.") from error


def _is_positive_definite(omega: FloatArray) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding, whatever the units of the features."""
    diagonal = np.diagonal(omega)
    if not (diagonal > 0.0).all():
        return False
    root = np.sqrt(diagonal)
    # With a unit diagonal, rounding is of the order of d eps, however different the features' units are.
    smallest = np.linalg.eigvalsh(omega / root / root[:, None])[0]
    return bool(smallest > 4.0 * len(omega) * np.finfo(np.float64).eps)


def _inverse_covariance(X: FloatArray) -> FloatArray:
    """Inverse covariance of the rows with a ridge (see `Mahalanobis`), array of shape (n_features, n_features)."""
    if len(X) < 2:
        raise InvalidInputError(
            f"Mahalanobis(omega=None) needs at least 2 training rows for a covariance, received {len(X)}. Give omega."
        )
    scales = feature_scales(X)
    # In standardised units the ridge is relative and the inverse well conditioned.
    standard = (X - X.mean(axis=0)) / scales
    correlation = standard.T @ standard / len(X) + _RIDGE * np.eye(X.shape[1])
    inverse = np.linalg.inv(correlation)
    omega: FloatArray = 0.5 * (inverse + inverse.T) / np.outer(scales, scales)
    return omega
