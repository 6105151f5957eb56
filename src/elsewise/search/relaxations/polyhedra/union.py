"""Unions of polyhedra: regions whose parts are known beforehand.

Polyhedra are given in *model space*, the space the final estimator sees, by half-spaces that may be shared::

    R_i = { z : (N_r - s_i)·z <= o_r - c_i   for the half-spaces r of polyhedron i },        region = R_1 ∪ ... ∪ R_k

``N`` are the normals, ``o`` the offsets, ``s_i`` and ``c_i`` the shift of polyhedron ``i`` (zero for most families).
The shift lets prototype models, whose i-th cell compares prototype ``i`` with all others, share one table. A region is
closed: it is the closure of the set where the model decides for the outcome. Ties on its boundary are the business of
the verification, which asks the model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import BoolArray, FloatArray, IntArray
from ... import Cover, Halfspaces, Reach, Region, Space
from .cover import PolyhedraCover


@dataclass(frozen=True, slots=True)
class PolyhedronUnion(Region):
    """A union of ``k`` polyhedra over a shared table of ``P`` half-spaces (see the module docstring).

    Attributes
    ----------
    normals : array of shape (P, n_features)
    offsets : array of shape (P,)
    spans : int array of shape (k, 2)
        Polyhedron ``i`` uses the half-spaces ``spans[i, 0]:spans[i, 1]``.
    shifts : array of shape (k, n_features)
    shift_offsets : array of shape (k,)
    compares : bool
        The model compares single features with the offsets, to the last bit; else it adds up terms.
    """

    normals: FloatArray
    offsets: FloatArray
    spans: IntArray
    shifts: FloatArray
    shift_offsets: FloatArray
    compares: bool = False

    @property
    def n_polyhedra(self) -> int:
        """Number of polyhedra in the union; 0 means the model never decides for the outcome."""
        return len(self.spans)

    def polyhedron(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Half-spaces ``(A, b)`` of polyhedron ``i`` written out: ``{ z : A z <= b }``."""
        start, stop = self.spans[i]
        return self.normals[start:stop] - self.shifts[i], self.offsets[start:stop] - self.shift_offsets[i]

    def slacks(self, Z: FloatArray) -> FloatArray:
        """Smallest slack ``b - A z`` of every point in every polyhedron, array of shape (n_samples, k).

        A point lies in polyhedron ``i`` when its slack there is not negative. Polyhedra without half-spaces give
        infinity.
        """
        values = self.offsets - Z @ self.normals.T
        shift = self.shift_offsets - Z @ self.shifts.T
        worst = np.full((len(Z), self.n_polyhedra), np.inf)
        spans, owner = np.unique(self.spans, axis=0, return_inverse=True)
        for place, (start, stop) in enumerate(spans):
            if stop > start:
                with_span = owner.ravel() == place
                worst[:, with_span] = values[:, start:stop].min(axis=1)[:, None] - shift[:, with_span]
        return worst

    def parts(self) -> Sequence[int]:
        """List the polyhedra."""
        return range(self.n_polyhedra)

    def halfspaces(self, part: int, near: FloatArray, reach: Reach) -> Halfspaces:
        """Describe a polyhedron, exactly and once and for all."""
        return Halfspaces(*self.polyhedron(part))

    def divide(self, part: int, near: FloatArray, reach: Reach) -> Sequence[int]:
        """Nothing has to be divided: half-spaces are exact."""
        return ()

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether each point lies in the region (boundary included), array of shape (n_samples,)."""
        return np.asarray((self.slacks(points) >= 0).any(axis=1))

    def cover(self, space: Space) -> Cover:
        """Cover the region by its own polyhedra."""
        return PolyhedraCover.of(self, space)


def polyhedron(A: ArrayLike, b: ArrayLike) -> PolyhedronUnion:
    """Make the region ``{ z : A z <= b }``."""
    normals = np.atleast_2d(np.asarray(A, dtype=np.float64))
    offsets = np.asarray(b, dtype=np.float64).reshape(len(normals))
    return union([(normals, offsets)], n_features=normals.shape[1])


def union(polyhedra: list[tuple[FloatArray, FloatArray]], *, n_features: int) -> PolyhedronUnion:
    """Make the union of polyhedra ``{ z : A z <= b }`` given as pairs ``(A, b)``; an empty list is never satisfied."""
    ends = np.cumsum([0] + [len(b) for _, b in polyhedra]).astype(np.int64)
    return PolyhedronUnion(
        normals=np.vstack([np.empty((0, n_features)), *(A for A, _ in polyhedra)]),
        offsets=np.concatenate([np.empty(0), *(b for _, b in polyhedra)]),
        spans=np.column_stack([ends[:-1], ends[1:]]),
        shifts=np.zeros((len(polyhedra), n_features)),
        shift_offsets=np.zeros(len(polyhedra)),
    )
