"""Bounds of polyhedra that share one table of half-spaces, too many to list all pairs: thousands of prototypes.

Polyhedron ``i`` is ``{ x : (N_k - s_i)·x <= o_k - c_i for all k }``. A row is beyond half-space ``k`` of it by
``v_k - u_i`` with ``v = N x - o`` and ``u = s x - c``, so a point lies in the polyhedron of the largest ``u_i`` or in
none. Only few of the half-spaces matter: those of the largest ``v_k`` at the row, and those nearest to the polyhedron's
own shift. Bounds look at these; they are lower than those of all pairs, and need no table of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray, IntArray
from ....projection.cells import Cells
from ....projection.coordinates import row_product
from .bounds import dual_norms
from .constants import BOUND_ROUNDING, TINY

# Half-spaces of a shared table looked at: the farthest beyond which a row is, and those nearest to a polyhedron.
MOST_AT_ROW, MOST_AT_POLYHEDRON = 16, 8
# Half-spaces among which the one nearest to a point inside is looked for.
MOST_AT_POINT = 64
# Shifts compared with all half-spaces at once: bounds memory.
SHIFTS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class SharedBounds:
    """Bounds for every polyhedron of a shared table.

    Attributes
    ----------
    cells : Cells
    near : int array of shape (n_polyhedra, n_near)
        Half-spaces nearest to each polyhedron's shift.
    near_norms : array of shape (n_polyhedra, n_near)
        Their dual norms.
    """

    cells: Cells
    near: IntArray
    near_norms: FloatArray

    @property
    def n_entries(self) -> int:
        """Numbers that the bounds of one row need at a time."""
        return int(self.cells.n_polyhedra * (self.near.shape[1] + 1) + len(self.cells.offsets))

    def __call__(self, X0: FloatArray) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_polyhedra)."""
        bounds = np.zeros((len(X0), self.cells.n_polyhedra))
        u, v = self._values(X0)
        for row in range(len(X0)):
            apart = v[row][self.near] - u[row][:, None]
            bounds[row] = _largest(apart, self.near_norms)
            beyond = _top(v[row], MOST_AT_ROW)
            for k in beyond.tolist():
                norms = dual_norms(self.cells.normals[k] - self.cells.shifts, self.cells)
                np.maximum(bounds[row], _largest((v[row, k] - u[row])[:, None], norms[:, None]), out=bounds[row])
        bounds *= 1 - BOUND_ROUNDING
        return bounds if self.cells.norm == 1 else bounds**2

    def depth(self, X: FloatArray) -> FloatArray:
        """How far inside of each polyhedron the points lie, in the (unsquared) distance; minus infinity outside.

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        depth = np.full((len(X), self.cells.n_polyhedra), -np.inf)
        u, v = self._values(X)
        for row in range(len(X)):
            i = int(u[row].argmax())
            nearest = _top(v[row], MOST_AT_POINT)
            norms = dual_norms(self.cells.normals[nearest] - self.cells.shifts[i], self.cells)
            room = u[row, i] - v[row, nearest]
            with np.errstate(divide="ignore", invalid="ignore"):
                each = np.where(norms > 0, room / norms, np.where(room >= 0, np.inf, -np.inf))
            depth[row, i] = each.min(initial=np.inf)
        return depth

    def relative_depth(self, X: FloatArray, sizes: FloatArray, shift_sizes: FloatArray) -> FloatArray:
        """How far inside of each polyhedron points lie, as a share of what is compared there; minus infinity outside.

        Parameters
        ----------
        X : array of shape (n_samples, n)
        sizes, shift_sizes : arrays of shape (n_samples, n_halfspaces), (n_samples, n_polyhedra)
            Of the terms of each half-space and shift at each point.

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        depth = np.full((len(X), self.cells.n_polyhedra), -np.inf)
        u, v = self._values(X)
        for row in range(len(X)):
            i = int(u[row].argmax())
            each = (u[row, i] - v[row]) / np.maximum(sizes[row] + shift_sizes[row, i], TINY)
            nearest = _top(-each, MOST_AT_POINT)
            is_flat = dual_norms(self.cells.normals[nearest] - self.cells.shifts[i], self.cells) == 0
            depth[row, i] = np.where(is_flat & (each[nearest] >= 0), np.inf, each[nearest]).min(initial=np.inf)
        return depth

    def _values(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        cells = self.cells
        own = row_product(X, cells.shifts.T) - cells.shift_offsets
        return own, row_product(X, cells.normals.T) - cells.offsets


def shared_bounds(cells: Cells) -> SharedBounds:
    """Prepare the bounds: find the half-spaces nearest to each shift."""
    n_near = min(MOST_AT_POLYHEDRON, len(cells.offsets))
    near = np.zeros((cells.n_polyhedra, n_near), dtype=np.int64)
    norms = np.zeros((cells.n_polyhedra, n_near))
    squares = (cells.normals**2).sum(axis=1)
    for start in range(0, cells.n_polyhedra, SHIFTS_AT_ONCE):
        shifts = cells.shifts[start : start + SHIFTS_AT_ONCE]
        apart = squares - 2.0 * shifts @ cells.normals.T
        near[start : start + len(shifts)] = np.argpartition(apart, n_near - 1, axis=1)[:, :n_near]
    for place in range(n_near):
        norms[:, place] = dual_norms(cells.normals[near[:, place]] - cells.shifts, cells)
    return SharedBounds(cells, near, norms)


def _top(values: FloatArray, count: int) -> IntArray:
    """Places of the largest values."""
    return np.argpartition(-values, count - 1)[:count] if len(values) > count else np.arange(len(values))


def _largest(apart: FloatArray, norms: FloatArray) -> FloatArray:
    """Largest distance beyond half-spaces, along the last axis; zero inside of all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(norms > 0, apart / norms, np.where(apart > 0, np.inf, 0.0))
    return np.asarray(np.maximum(each, 0.0).max(axis=-1, initial=0.0))
