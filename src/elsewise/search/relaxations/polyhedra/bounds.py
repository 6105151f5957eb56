"""Closed-form lower bounds of the distance from a row to a polyhedron.

One half-space ``a·x <= b`` alone is ``(a·x0 - b) / ||a||_*`` away, in the dual norm of the distance. Half-spaces that
touch one feature each (the box of a leaf, where features are not mixed) add up under the Manhattan distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import FloatArray, IntArray
from ....projection.cells import Cells
from ....projection.coordinates import row_product
from .constants import BOUND_ROUNDING, TINY


@dataclass(frozen=True, slots=True)
class PolyhedronBounds:
    """Bounds for every polyhedron; ``(polyhedron, half-space)`` pairs are listed polyhedron by polyhedron.

    Attributes
    ----------
    owner, halfspace : int arrays of shape (n_pairs,)
    dual_norm : array of shape (n_pairs,)
    first : int array
        Where each polyhedron that has half-spaces starts in the list.
    with_halfspaces : int array
        Which polyhedra these are.
    halfspaces_add_up, is_shifted, has_flat : bool
    """

    cells: Cells
    owner: IntArray
    halfspace: IntArray
    dual_norm: FloatArray
    first: IntArray
    with_halfspaces: IntArray
    halfspaces_add_up: bool
    is_shifted: bool
    has_flat: bool

    @property
    def n_entries(self) -> int:
        """Numbers that the bounds of one row need at a time."""
        return len(self.owner)

    def __call__(self, X0: FloatArray) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_polyhedra)."""
        cells = self.cells
        bounds = np.zeros((len(X0), cells.n_polyhedra))
        if len(self.owner) == 0:
            return bounds
        pairs = np.maximum(self._excess(X0), 0.0)
        combine = np.add if self.halfspaces_add_up else np.maximum
        bounds[:, self.with_halfspaces] = combine.reduceat(pairs, self.first, axis=1)
        # Rounding of a·x0 - b must not lift a bound above the truth.
        bounds *= 1 - BOUND_ROUNDING
        return bounds if cells.norm == 1 else bounds**2

    def depth(self, X: FloatArray) -> FloatArray:
        """How far inside of each polyhedron the points lie, in the (unsquared) distance; negative outside.

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        depth = np.full((len(X), self.cells.n_polyhedra), np.inf)
        if len(self.owner):
            depth[:, self.with_halfspaces] = -np.maximum.reduceat(self._excess(X), self.first, axis=1)
        return depth

    def relative_depth(self, X: FloatArray, sizes: FloatArray, shift_sizes: FloatArray) -> FloatArray:
        """How far inside of each polyhedron points lie, as a share of what is compared there; negative outside.

        Parameters
        ----------
        X : array of shape (n_samples, n)
        sizes, shift_sizes : arrays of shape (n_samples, n_halfspaces), (n_samples, n_polyhedra)
            Of the terms of each half-space and shift at each point.

        Returns
        -------
        array of shape (n_samples, n_polyhedra)
        """
        depth = np.full((len(X), self.cells.n_polyhedra), np.inf)
        if len(self.owner):
            size = sizes[:, self.halfspace] + shift_sizes[:, self.owner]
            excess = self._excess(X) * np.where(self.dual_norm == 0, 1.0, self.dual_norm)
            depth[:, self.with_halfspaces] = -np.maximum.reduceat(excess / np.maximum(size, TINY), self.first, axis=1)
        return depth

    def _excess(self, X: FloatArray) -> FloatArray:
        """Signed distance beyond every half-space of every polyhedron, array of shape (n_samples, n_pairs)."""
        cells = self.cells
        pairs = (row_product(X, cells.normals.T) - cells.offsets)[:, self.halfspace]
        if self.is_shifted:
            pairs -= (row_product(X, cells.shifts.T) - cells.shift_offsets)[:, self.owner]
        if self.has_flat:  # a half-space without a normal holds everywhere or nowhere
            flat = self.dual_norm == 0
            pairs[:, flat] = np.where(pairs[:, flat] > 0, np.inf, -np.inf)
            return pairs / np.where(flat, 1.0, self.dual_norm)
        pairs /= self.dual_norm
        return pairs


def polyhedron_bounds(cells: Cells) -> PolyhedronBounds:
    """Prepare the bounds of all polyhedra."""
    counts = cells.spans[:, 1] - cells.spans[:, 0]
    owner = np.repeat(np.arange(cells.n_polyhedra), counts)
    halfspace = np.concatenate([np.empty(0, dtype=np.int64), *(np.arange(start, stop) for start, stop in cells.spans)])
    is_shifted = bool(cells.shifts.any() or cells.shift_offsets.any())
    first = np.cumsum(counts) - counts
    norms = np.empty(len(halfspace))
    # One polyhedron at a time: shared half-spaces times polyhedra can be many.
    for i, (start, stop) in enumerate(cells.spans):
        normals = cells.normals[start:stop] - cells.shifts[i]
        norms[first[i] : first[i] + counts[i]] = dual_norms(normals, cells)
    with_halfspaces = np.flatnonzero(counts)
    return PolyhedronBounds(
        cells=cells,
        owner=owner,
        halfspace=halfspace,
        dual_norm=norms,
        first=first[with_halfspaces],
        with_halfspaces=with_halfspaces,
        is_shifted=is_shifted,
        has_flat=bool((norms == 0).any()),
        halfspaces_add_up=(
            cells.norm == 1
            and not is_shifted
            and not len(cells.group)  # one change of category moves two indicators
            and _one_feature_each(cells.normals[halfspace], owner)
        ),
    )


def dual_norms(normals: FloatArray, cells: Cells) -> FloatArray:
    """How much each normal's value can change with a unit of distance, array of shape (n,)."""
    if cells.norm == 2:
        return np.asarray(np.sqrt((normals**2).sum(axis=1)))
    norms: FloatArray = np.abs(normals).max(axis=1, initial=0.0)
    if len(cells.group):
        norms = np.abs(normals[:, cells.group < 0]).max(axis=1, initial=0.0)
        for c in range(int(cells.group.max()) + 1):  # from any level to any other
            of_category = normals[:, cells.group == c]
            norms = np.maximum(norms, of_category.max(axis=1) - of_category.min(axis=1))
    return norms


def _one_feature_each(normals: FloatArray, owner: IntArray) -> bool:
    """Whether every half-space touches one feature, and no two of a polyhedron the same feature from the same side."""
    if not ((normals != 0).sum(axis=1) == 1).all():
        return False
    feature = np.abs(normals).argmax(axis=1)
    side = normals[np.arange(len(normals)), feature] > 0
    return len(np.unique(np.column_stack([owner, feature, side]), axis=0)) == len(normals)
