"""Coordinates in which a distance is plain: unit weights, nothing else.

The kernel only knows ``sum |v|`` and ``v'v``. A weighted Manhattan distance becomes the first by stretching each
feature by its weight; a Mahalanobis distance becomes the second by the Cholesky factor of omega. The constraints of a
Mahalanobis problem usually see only a few directions of the data; the optimum then moves in their span alone (any part
of ``v`` orthogonal to it costs and changes nothing), so the coordinates are restricted to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, qr, solve_triangular

from ..arrays import FloatArray

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
