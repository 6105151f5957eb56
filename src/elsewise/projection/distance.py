"""The two distances of the projector, with all their numbers: arrays in, values out.

:mod:`elsewise.distances` makes them from what the user says and from training rows.

Coordinates in which a distance is plain: unit weights, nothing else.

The kernel only knows ``sum |v|`` and ``v'v``. A weighted Manhattan distance becomes the first by stretching each
feature by its weight; a Mahalanobis distance becomes the second by the Cholesky factor of omega. The constraints of a
Mahalanobis problem usually see only a few directions of the data; the optimum then moves in their span alone (any part
of ``v`` orthogonal to it costs and changes nothing), so the coordinates are restricted to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, qr, solve_triangular

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
        """Return what differs, from differences of shape (n_samples, n_features); shape (n_samples, n_units)."""
        moved = np.asarray(difference != 0)
        if self.unit is None:
            return moved
        units = np.zeros((len(moved), int(self.unit.max(initial=-1)) + 1), dtype=np.bool_)
        for feature, unit in enumerate(self.unit.tolist()):
            units[:, unit] |= moved[:, feature]
        return units

    def shares(self, difference: FloatArray) -> FloatArray:
        """Return what each feature adds, shape (n_samples, n_features); a price is shared by what moved for it."""
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


# Features that are seen within this factor of each other keep enough digits in a common basis.
EVEN = 1e6
# Features seen by less than this share are not seen at all: rounding of a map that leaves them out.
UNSEEN = 1e-18


@dataclass(frozen=True, slots=True)
class Coordinates:
    """An invertible pair: ``xi = stretch (x - origin)`` going in, ``v = back xi`` for differences coming out.

    Attributes
    ----------
    norm : int
        1 if the distance is ``sum |xi - xi0|``, 2 if it is ``||xi - xi0||^2``.
    origin : array of shape (n_features,)
    stretch : array of shape (n_features,) for norm 1 (a diagonal), (n_plain, n_features) for norm 2
    back : array of shape (n_features,) for norm 1, (n_features, n_plain) for norm 2
    """

    norm: int
    origin: FloatArray
    stretch: FloatArray
    back: FloatArray

    @property
    def n_plain(self) -> int:
        """Number of plain coordinates."""
        return len(self.stretch)

    def points(self, X: FloatArray) -> FloatArray:
        """Plain coordinates of the rows of ``X``, array of shape (n_samples, n_plain)."""
        centred = X - self.origin
        return np.ascontiguousarray(centred * self.stretch if self.norm == 1 else row_product(centred, self.stretch.T))

    def distances(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Distances between the rows of ``X`` and those of ``Y``, array of shape (n_samples,)."""
        apart = self.points(Y) - self.points(X)
        return np.asarray(np.abs(apart).sum(axis=1) if self.norm == 1 else (apart**2).sum(axis=1))

    def differences(self, V: FloatArray) -> FloatArray:
        """Differences in the user's features from plain ones; zeros stay zero for norm 1."""
        return V * self.back if self.norm == 1 else row_product(V, self.back.T)

    def pull_back(self, normals: FloatArray, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Write ``normals·x <= offsets`` (or ``normals x - offsets``) in plain coordinates."""
        plain = normals * self.back if self.norm == 1 else normals @ self.back
        return np.ascontiguousarray(plain), np.ascontiguousarray(offsets - normals @ self.origin)


def manhattan_coordinates(weights: FloatArray, origin: FloatArray) -> Coordinates:
    """Coordinates of ``sum_i weights_i |v_i|``."""
    return Coordinates(1, origin, weights, 1.0 / weights)


def mahalanobis_coordinates(omega: FloatArray, origin: FloatArray, seen: FloatArray | None = None) -> Coordinates:
    """Coordinates of ``v' omega v``, restricted to what the directions ``seen`` (one a row) can tell apart.

    A basis of these has errors of one size in all entries. Where the directions see some features far more than others
    (units decades apart), that would cost the others their digits, and there is no restriction.
    """
    upper = cholesky(omega)  # omega = U'U, plain coordinates U v
    back = solve_triangular(upper, np.eye(len(omega)))
    if seen is None or len(seen) >= len(omega):
        return Coordinates(2, origin, upper, back)
    directions = seen @ back
    size = np.abs(directions).max(axis=0)
    if size.max() > EVEN * size[size > UNSEEN * size.max()].min(initial=np.inf):
        return Coordinates(2, origin, upper, back)
    basis = qr(directions.T, mode="economic")[0]
    return Coordinates(2, origin, basis.T @ upper, back @ basis)


def row_product(X: FloatArray, M: FloatArray) -> FloatArray:
    """``X @ M`` as one vector-matrix product a row: a row's result has the same bits in any batch."""
    product: FloatArray = np.matmul(X[:, None, :], M)[:, 0, :]
    return product
