"""The cover of a union of polyhedra: the polyhedra themselves, packed for the kernel, with closed-form bounds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ....projection.cells import Cells, PackedCones, Polyhedra, pack
from ....projection.distance import row_product
from ... import Cones, Cover, Space
from ...cover import Terms
from .bounds import PolyhedronBounds, SharedBounds, polyhedron_bounds, shared_bounds
from .boxes import Boxes, boxes_of
from .emptiness import squared_radii_needed

if TYPE_CHECKING:
    from .union import PolyhedronUnion

# Relative rounding of thresholds: a limit that is whole up to it is whole, a level that misses one by it is not out.
# The first where a model compares sums with them, relative to the limit; the second where it compares single numbers,
# as trees do, relative to the terms that scaling such a number has.
LIMIT_ROUNDING, COMPARISON_ROUNDING = 1e-9, 1e-12
# Polyhedra that share one table have bounds of their own from so many pairs of polyhedron and half-space on.
MOST_PAIRS_LISTED = 200_000
# Cells whose squared radius misses what is needed by no more than this share are left to the search.
THIN_CELLS = 1e-9


@dataclass(frozen=True, eq=False)
class PolyhedraCover(Cover):
    """Polyhedra in plain coordinates.

    Attributes
    ----------
    region : PolyhedronUnion
    space : Space
    cells : Cells
    closed_form : PolyhedronBounds or SharedBounds
    boxes : Boxes
        What the polyhedra say of single columns.
    """

    region: PolyhedronUnion
    space: Space
    cells: Cells
    closed_form: PolyhedronBounds | SharedBounds
    boxes: Boxes
    n_parts: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_parts", self.region.n_polyhedra)

    @classmethod
    def of(cls, region: PolyhedronUnion, space: Space) -> PolyhedraCover:
        """Pack the polyhedra of a region in model space, and prepare their bounds."""
        normals, offsets = space.pulled_back(region.normals, region.offsets)
        shifts, shift_offsets = space.pulled_back(region.shifts, region.shift_offsets)
        cells = pack(
            space.coordinates,
            Polyhedra(normals, offsets, region.spans, shifts, shift_offsets),
            PackedCones.none(space.cone_dimension, space.n_features),
            space.kernel_group,
        )
        rounding = _rounding(region, normals, offsets, space)
        exact = _exact_limits(region, space)
        boxes = boxes_of(cells, space.coordinates, space.group, rounding, exact)
        closed_form = shared_bounds(cells) if _is_large_and_shared(cells) else polyhedron_bounds(cells)
        return cls(region, space, cells, closed_form, boxes)

    @property
    def entries_a_row(self) -> int:
        """Count the numbers that bounds need."""
        return self.closed_form.n_entries

    def bounds(self, rows: FloatArray, integer: BoolArray | None = None) -> FloatArray:
        """Return the larger of the distances to half-spaces and to boxes."""
        closed_form = self.closed_form(self.space.coordinates.points(rows))
        if integer is None:
            return closed_form
        return np.maximum(closed_form, self.boxes.bounds(rows, self.space.coordinates.stretch, integer))

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Return the distance to the nearest half-space."""
        if plain is None:
            assert points is not None
            plain = self.space.coordinates.points(points)
        return self.closed_form.depth(plain)

    def relative_depth(self, points: FloatArray, plain: FloatArray) -> FloatArray:
        """Compare slacks with the sizes of the terms that the model adds up."""
        (matrix, offset), (normals, offsets), (shifts, shift_offsets) = self._sizes
        magnitudes = row_product(np.abs(points), matrix) + offset
        sizes, shift_sizes = row_product(magnitudes, normals) + offsets, row_product(magnitudes, shifts) + shift_offsets
        return self.closed_form.relative_depth(plain, sizes, shift_sizes)

    @cached_property
    def terms(self) -> Terms | None:
        """Add up the sizes of terms, half-space by half-space; None for shared ones and those without a normal."""
        cells = self.cells
        if isinstance(self.closed_form, SharedBounds) or cells.shifts.any() or cells.shift_offsets.any():
            return None
        if not cells.normals.any(axis=1).all():
            return None
        (matrix, offset), (normals, offsets), _ = self._sizes
        weights, constants = (matrix @ normals).T, offset @ normals + offsets
        return Terms(np.ascontiguousarray(weights), constants, self.boxes.least, self.boxes.most)

    @cached_property
    def _sizes(self) -> list[tuple[FloatArray, FloatArray]]:
        """Absolute values of the map to model space, the half-spaces and the shifts."""
        region, space = self.region, self.space
        maps = [(space.matrix, space.offset), (region.normals, region.offsets), (region.shifts, region.shift_offsets)]
        return [(np.abs(factor).T, np.abs(offset)) for factor, offset in maps]

    def limits(self, parts: IntArray, rows: FloatArray, integer: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return boxes of polyhedra, rounded inwards, but a row's own value stays within even if not whole."""
        return self.boxes.limits(parts, rows, integer)

    def excludes(self, points: FloatArray, parts: IntArray, discrete: BoolArray) -> BoolArray:
        """Compare whole numbers and levels with the box of one polyhedron each."""
        return self.boxes.excludes(points, parts, discrete)

    def is_described_by_limits(self, discrete: BoolArray) -> BoolArray:
        """Return half-spaces about one whole number or category: boxes say all that they say."""
        return np.asarray((self.boxes.of_column >= 0) & discrete[self.boxes.of_column])

    def may_meet(self, cones: Cones) -> BoolArray:
        """Compare radii with those needed; thin cells stay in, the search decides them with its own certificates.

        Thousands of prototypes are not compared: few of their cells are ever looked at.
        """
        if isinstance(self.closed_form, SharedBounds):
            return np.ones((len(cones.radii), self.n_parts), dtype=np.bool_)
        needed = self.squared_radii_needed(cones).T
        return np.asarray(needed <= (cones.radii**2 * (1 + THIN_CELLS))[:, None])

    def is_on_boundary(self, points: FloatArray, rounding: float) -> BoolArray:
        """Compare the slacks of one polyhedron with the size of their terms.

        Models whose regions have several polyhedra compare numbers one by one, or are too large.
        """
        if self.n_parts != 1 or len(points) == 0:
            return np.zeros(len(points), dtype=np.bool_)
        normals, offsets, sizes, constants = self._terms
        slacks = np.abs(offsets - points @ normals)
        # The largest value of each feature bounds the terms of all points: mostly that settles it.
        if (slacks.min(axis=0) > rounding * (np.abs(points).max(axis=0) @ sizes + constants)).all():
            return np.zeros(len(points), dtype=np.bool_)
        return np.asarray((slacks <= rounding * (np.abs(points) @ sizes + constants)).any(axis=1))

    @cached_property
    def _terms(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The half-spaces ``x N <= o`` of a linear model in features, and the sizes of their terms, ``|x| S + c``."""
        (A, b), W, w = self.region.polyhedron(0), self.space.matrix, self.space.offset
        return (A @ W).T, b - A @ w, (np.abs(A) @ np.abs(W)).T, np.abs(A) @ np.abs(w) + np.abs(b)

    def squared_radii_needed(self, cones: Cones) -> FloatArray:
        """Project the centres of cones onto the polyhedra, each in the cone's own norm."""
        if self.space.cone_map is not None:  # cones are not in model space
            return np.zeros((self.n_parts, len(cones.radii)))
        W, n_seen = self.space.matrix, cones.centres.shape[1]
        if n_seen == len(W):
            return squared_radii_needed(self.region, cones, W, self.space.offset)
        if np.linalg.matrix_rank(W[:n_seen]) < np.linalg.matrix_rank(W):  # cones do not end in some directions
            return np.zeros((self.n_parts, len(cones.radii)))
        unseen = len(W) - n_seen
        wide = replace(
            cones,
            factors=np.pad(cones.factors, ((0, 0), (0, 0), (0, unseen))),
            centres=np.pad(cones.centres, ((0, 0), (0, unseen))),
        )
        return squared_radii_needed(self.region, wide, W, self.space.offset)


def _rounding(region: PolyhedronUnion, normals: FloatArray, offsets: FloatArray, space: Space) -> FloatArray:
    """Bound the rounding of the right-hand sides of half-spaces pulled back to features, shape (n_halfspaces,)."""
    compares = (region.normals != 0).sum(axis=1) == 1
    terms = np.abs(region.offsets) + np.abs(region.normals) @ np.abs(space.offset)
    size = np.abs(offsets) + np.abs(normals).max(axis=1, initial=0.0)
    return np.asarray(np.where(compares, COMPARISON_ROUNDING * terms, LIMIT_ROUNDING * size))


def _exact_limits(region: PolyhedronUnion, space: Space) -> FloatArray:
    """List what a model compares single features with as they are, shape (n_halfspaces,); NaN for other half-spaces.

    A number next to a whole one must stay so: bins take 3 for more than what is next to 3.
    """
    if not region.compares or not region.normals.size:
        return np.full(len(region.offsets), np.nan)
    is_own = (space.offset == 0) & ((space.matrix != 0).sum(axis=1) == 1) & (space.matrix.max(axis=1) == 1)
    place = np.abs(region.normals).argmax(axis=1)
    return np.where(is_own[place], region.normals[np.arange(len(place)), place] * region.offsets, np.nan)


def _is_large_and_shared(cells: Cells) -> bool:
    """Whether all polyhedra have one long table of half-spaces in common."""
    n_pairs = int((cells.spans[:, 1] - cells.spans[:, 0]).sum())
    everything = np.array([0, len(cells.offsets)])
    return n_pairs > MOST_PAIRS_LISTED and bool((cells.spans == everything).all())
