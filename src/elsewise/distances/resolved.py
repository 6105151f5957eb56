"""Resolved distances: definite functions of two rows, with all their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray
from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedManhattan:
    """The distance ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1), all weights positive.

    Attributes
    ----------
    weights : array of shape (n_features,)
        Each indicator of a category has half of its price: a change of category moves two of them.
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


ResolvedDistance = ResolvedManhattan | ResolvedMahalanobis


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
