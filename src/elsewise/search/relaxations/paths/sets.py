"""What paths go through: ellipsoids, what holds at every corner, and where they may end; in plain coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoids:
    """The sets ``{ p : ||F_j p - g_j|| <= r_j }`` in plain coordinates.

    Attributes
    ----------
    factors : array of shape (m, q, n)
    grams : array of shape (m, n, n)
        ``F'F``.
    centres : array of shape (m, q)
        The vectors ``g``.
    radii : array of shape (m,)
    """

    factors: FloatArray
    grams: FloatArray
    centres: FloatArray
    radii: FloatArray

    def excess(self, points: FloatArray) -> FloatArray:
        """``||F_j p - g_j|| - r_j`` for points of shape (n_samples, n), array of shape (n_samples, m)."""
        images = np.einsum("jqn,in->ijq", self.factors, points) - self.centres
        return np.asarray(np.sqrt(np.square(images).sum(axis=2)) - self.radii)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What holds at every corner, and between corners.

    Attributes
    ----------
    norm : int
        1 or 2.
    lower, upper : arrays of shape (n,)
        Infinite where there is no bound.
    normals, offsets : arrays of shape (n_rules, n), (n_rules,)
        Linear rules ``normals p <= offsets``.
    direction : array of shape (n,)
        1 where a coordinate never falls, -1 where it never rises, 0 elsewhere.
    """

    norm: int
    lower: FloatArray
    upper: FloatArray
    normals: FloatArray
    offsets: FloatArray
    direction: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Terminal:
    """A set of answers: half-spaces within an ellipsoid, or one point.

    Attributes
    ----------
    component : int
        The ellipsoid it lies in, of those that paths go through.
    factor, gram, centre : arrays of shape (q, n), (n, n), (q,)
    radius : float
    normals, offsets : arrays of shape (k, n), (k,)
    point : array of shape (n,), or None
        The only answer; then nothing else is asked.
    is_within : bool
        The terminal's own ellipsoid lies within that of its component. Else answers have to be in both.
    """

    component: int
    factor: FloatArray
    gram: FloatArray
    centre: FloatArray
    radius: float
    normals: FloatArray
    offsets: FloatArray
    point: FloatArray | None = None
    is_within: bool = True
