"""Closed-form lower bounds of the distance from a row to a polyhedron or to a cone.

One half-space ``a·x <= b`` alone is ``(a·x0 - b) / ||a||_*`` away, in the dual norm of the distance. Rows that touch
one feature each (the box of a leaf, where features are not mixed) add up under the Manhattan distance. A cone alone is
at least ``(||F x0 - g|| - h0) / ||F'e||_*`` away, with ``e`` the unit vector along ``F x0 - g``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..projection.cells import Cells
from ..projection.coordinates import row_product


@dataclass(frozen=True, slots=True)
class PolyhedronBounds:
    """Bounds for every polyhedron; ``(polyhedron, row)`` pairs are listed polyhedron by polyhedron.

    Attributes
    ----------
    owner, row : int arrays of shape (n_pairs,)
    dual_norm : array of shape (n_pairs,)
    first : int array
        Where each polyhedron that has rows starts in the list.
    with_rows : int array
        Which polyhedra these are.
    rows_add_up, is_shifted, has_flat_rows : bool
    """

    cells: Cells
    owner: IntArray
    row: IntArray
    dual_norm: FloatArray
    first: IntArray
    with_rows: IntArray
    rows_add_up: bool
    is_shifted: bool
    has_flat_rows: bool

    def __call__(self, X0: FloatArray) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_polyhedra)."""
        cells = self.cells
        bounds = np.zeros((len(X0), cells.n_polyhedra))
        if len(self.owner) == 0:
            return bounds
        pairs = np.maximum(self._excess(X0), 0.0)
        combine = np.add if self.rows_add_up else np.maximum
        bounds[:, self.with_rows] = combine.reduceat(pairs, self.first, axis=1)
        # Rounding of a·x0 - b must not lift a bound above the truth.
        bounds *= 1 - 1e-12
        return bounds if cells.norm == 1 else bounds**2

    def depth(self, X: FloatArray) -> FloatArray:
        """How far inside of each polyhedron the points lie, in the (unsquared) distance; negative outside.

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        depth = np.full((len(X), self.cells.n_polyhedra), np.inf)
        if len(self.owner):
            depth[:, self.with_rows] = -np.maximum.reduceat(self._excess(X), self.first, axis=1)
        return depth

    def _excess(self, X: FloatArray) -> FloatArray:
        """Signed distance beyond every row of every polyhedron, array of shape (n_samples, n_pairs)."""
        cells = self.cells
        pairs = (row_product(X, cells.normals.T) - cells.offsets)[:, self.row]
        if self.is_shifted:
            pairs -= (row_product(X, cells.shifts.T) - cells.shift_offsets)[:, self.owner]
        if self.has_flat_rows:  # a row without a normal holds everywhere or nowhere
            flat = self.dual_norm == 0
            pairs[:, flat] = np.where(pairs[:, flat] > 0, np.inf, -np.inf)
            return pairs / np.where(flat, 1.0, self.dual_norm)
        pairs /= self.dual_norm
        return pairs


def polyhedron_bounds(cells: Cells) -> PolyhedronBounds:
    """Prepare the bounds of all polyhedra."""
    counts = cells.spans[:, 1] - cells.spans[:, 0]
    owner = np.repeat(np.arange(cells.n_polyhedra), counts)
    row = np.concatenate([np.empty(0, dtype=np.int64), *(np.arange(start, stop) for start, stop in cells.spans)])
    is_shifted = bool(cells.shifts.any() or cells.shift_offsets.any())
    first = np.cumsum(counts) - counts
    norms = np.empty(len(row))
    for i, (start, stop) in enumerate(cells.spans):  # one polyhedron at a time: shared rows times polyhedra can be many
        normals = cells.normals[start:stop] - cells.shifts[i]
        norms[first[i] : first[i] + counts[i]] = _dual_norms(normals, cells)
    with_rows = np.flatnonzero(counts)
    return PolyhedronBounds(
        cells=cells,
        owner=owner,
        row=row,
        dual_norm=norms,
        first=first[with_rows],
        with_rows=with_rows,
        is_shifted=is_shifted,
        has_flat_rows=bool((norms == 0).any()),
        rows_add_up=(
            cells.norm == 1
            and not is_shifted
            and not len(cells.group)  # one change of category moves two indicators
            and _one_feature_each(cells.normals[row], owner)
        ),
    )


def _dual_norms(normals: FloatArray, cells: Cells) -> FloatArray:
    """How much each row can change with a unit of distance, array of shape (n_rows,)."""
    if cells.norm == 2:
        return np.asarray(np.sqrt((normals**2).sum(axis=1)))
    norms: FloatArray = np.abs(normals).max(axis=1, initial=0.0)
    if len(cells.group):
        norms = np.abs(normals[:, cells.group < 0]).max(axis=1, initial=0.0)
        for c in range(int(cells.group.max()) + 1):  # from any level to any other
            mine = normals[:, cells.group == c]
            norms = np.maximum(norms, mine.max(axis=1) - mine.min(axis=1))
    return norms


def _one_feature_each(normals: FloatArray, owner: IntArray) -> bool:
    """Whether every row touches one feature, and no two rows of a polyhedron the same feature from the same side."""
    if not ((normals != 0).sum(axis=1) == 1).all():
        return False
    feature = np.abs(normals).argmax(axis=1)
    side = normals[np.arange(len(normals)), feature] > 0
    return len(np.unique(np.column_stack([owner, feature, side]), axis=0)) == len(normals)


@dataclass(frozen=True, slots=True)
class ConeBounds:
    """Bounds for every cone along its own axis."""

    cells: Cells

    def __call__(self, X0: FloatArray) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_cones)."""
        cells = self.cells
        bounds = np.zeros((len(X0), cells.n_cones))
        if cells.n_cones < 2 or len(cells.tilts):  # a single cone is projected onto anyway
            return bounds
        images = [row_product(X0, factor) for factor in cells.factors]
        for j, (shape, centre, radius) in enumerate(zip(cells.shape, cells.centres, cells.radii)):
            apart = images[shape] - centre
            length = np.sqrt((apart**2).sum(axis=1))
            pull = row_product(apart, cells.factors[shape].T)
            reach = np.abs(pull).max(axis=1) if cells.norm == 1 else np.sqrt((pull**2).sum(axis=1))
            excess = np.maximum(length - radius, 0.0) * length
            bounds[:, j] = np.divide(excess, reach, out=np.zeros(len(X0)), where=reach > 0)
        bounds *= 1 - 1e-12
        return bounds if cells.norm == 1 else bounds**2


def cone_bounds(cells: Cells) -> ConeBounds:
    """Prepare the bounds of all cones."""
    return ConeBounds(cells)
