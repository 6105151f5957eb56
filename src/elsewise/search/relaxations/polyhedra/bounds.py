"""Closed-form lower bounds of the distance from a row to a polyhedron.

One half-space ``a·x <= b`` alone is ``(a·x0 - b) / ||a||_*`` away, in the dual norm of the distance. Half-spaces that
touch one feature each (the box of a leaf, where features are not mixed) add up under the Manhattan distance.

Bounds of polyhedra that share one table of half-spaces, too many to list all pairs: thousands of prototypes.

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
from ....projection.distance import row_product

# Share by which a closed-form bound is lowered: rounding of ``a·x0 - b`` must not lift it above the truth.
BOUND_ROUNDING = 1e-12
# Stands for a size of zero where something is divided by it: the smallest normal double, about.
TINY = 1e-300


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
