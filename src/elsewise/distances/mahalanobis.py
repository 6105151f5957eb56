"""The Mahalanobis distance, a quadratic form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray, check_rows, feature_scales
from ..errors import InvalidInputError
from ..projection.distance import ResolvedMahalanobis
from .manhattan import as_numbers

# Ridge of the default omega, as a share of each feature's own variance: collinear features have an inverse, and the
# distance along all others changes by less than 1e-6 of itself.
RIDGE = 1e-6
# A matrix is symmetric if its two halves agree so closely, relative to the largest entry: inverses are not exactly so.
ASYMMETRY_TOLERANCE = 1e-8
# A matrix with unit diagonal is positive definite beyond rounding if its smallest eigenvalue is over so many d eps.
EIGENVALUE_ROUNDING = 4.0


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
        possible but expensive.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Mahalanobis
    >>> distance = Mahalanobis(omega=np.eye(2)).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([10.])
    """

    omega: ArrayLike | None = None

    def resolve(self, X: ArrayLike) -> ResolvedMahalanobis:
        """Check omega against the training rows ``X``, of shape (n_samples, n_features), or compute it from them."""
        rows = check_rows(X)
        if self.omega is None:
            return ResolvedMahalanobis(_inverse_covariance(rows))
        d = rows.shape[1]
        omega = as_numbers("omega", self.omega)
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
        if asymmetry.max() > ASYMMETRY_TOLERANCE * np.abs(omega).max():
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


def _is_positive_definite(omega: FloatArray) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding, whatever the units of the features."""
    diagonal = np.diagonal(omega)
    if not (diagonal > 0.0).all():
        return False
    root = np.sqrt(diagonal)
    # With a unit diagonal, rounding is of the order of d eps, however different the features' units are.
    smallest = np.linalg.eigvalsh(omega / root / root[:, None])[0]
    return bool(smallest > EIGENVALUE_ROUNDING * len(omega) * np.finfo(np.float64).eps)


def _inverse_covariance(X: FloatArray) -> FloatArray:
    """Inverse covariance of the rows with a ridge (see `Mahalanobis`), array of shape (n_features, n_features)."""
    if len(X) < 2:
        raise InvalidInputError(
            f"Mahalanobis(omega=None) needs at least 2 training rows for a covariance, received {len(X)}. Give omega."
        )
    scales = feature_scales(X)
    # In standardised units the ridge is relative and the inverse well conditioned.
    standard = (X - X.mean(axis=0)) / scales
    correlation = standard.T @ standard / len(X) + RIDGE * np.eye(X.shape[1])
    inverse = np.linalg.inv(correlation)
    omega: FloatArray = 0.5 * (inverse + inverse.T) / np.outer(scales, scales)
    return omega
