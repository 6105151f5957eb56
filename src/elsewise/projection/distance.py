"""The two distances of the projector, with all their numbers: arrays in, values out.

:mod:`elsewise.distances` makes them from what the user says and from training rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedManhattan:
    """The distance ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1), all weights positive; and a price per change.

    Attributes
    ----------
    weights : array of shape (n_features,)
        Each indicator of a category has half of its price: a change of category moves two of them.
    per_change : float
        What every change costs besides.
    unit : int array of shape (n_features,), or None
        Features of one unit are one change; None for each by itself.
    """

    weights: FloatArray
    per_change: float = 0.0
    unit: IntArray | None = None

    def __call__(self, X: ArrayLike, Y: ArrayLike) -> FloatArray:
        """Value for each pair of rows of ``X`` and ``Y``, (n_samples, n_features) or one row; shape (n_samples,)."""
        difference = _difference(X, Y, len(self.weights))
        value: FloatArray = (np.abs(difference) * self.weights).sum(axis=1)
        return value + self.per_change * self.changes(difference).sum(axis=1) if self.per_change else value

    def changes(self, difference: FloatArray) -> BoolArray:
        """Tell what differs, from differences of shape (n_samples, n_features); array of shape (n_samples, n_units)."""
        moved = np.asarray(difference != 0)
        if self.unit is None:
            return moved
        units = np.zeros((len(moved), int(self.unit.max(initial=-1)) + 1), dtype=np.bool_)
        for feature, unit in enumerate(self.unit.tolist()):
            units[:, unit] |= moved[:, feature]
        return units

    def shares(self, difference: FloatArray) -> FloatArray:
        """Give what each feature adds, shape (n_samples, n_features); a price is shared by what moved for it."""
        each = np.abs(difference) * self.weights
        if not self.per_change:
            return np.asarray(each)
        moved = np.asarray(difference != 0)
        unit = np.arange(moved.shape[1]) if self.unit is None else self.unit
        together = unit[:, None] == unit
        return np.asarray(
            each + np.where(moved, self.per_change / np.maximum(moved.astype(float) @ together, 1.0), 0.0)
        )


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


class Distance(Protocol):
    """A description of a distance, as :class:`elsewise.distances.Manhattan`, that becomes definite by ``resolve``."""

    def resolve(self, X: ArrayLike, /) -> ResolvedDistance:
        """Return the distance for rows ``X`` of shape (n_samples, n_features)."""
        ...


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
