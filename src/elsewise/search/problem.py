"""A search problem: the cells of every wanted outcome, compiled once for all rows.

A goal is one outcome. Its cell ``(i, j)`` is polyhedron ``i`` of the model's region with cone ``j`` of the density;
without a density there is one pseudo-cone that constrains nothing. All goals share one table of cells, so that rows
with different goals go to the kernel together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..density.base import Cones
from ..distances import ResolvedMahalanobis, ResolvedManhattan
from ..projection.cells import Cells, pack
from ..projection.coordinates import Coordinates, mahalanobis_coordinates, manhattan_coordinates
from ..regions.base import Region, union
from ..regions.pipeline import AffineMap
from .bounds import ConeBounds, PolyhedronBounds, cone_bounds, polyhedron_bounds
from .emptiness import squared_radii_needed

FloatArray = NDArray[np.float64]

# Beyond so many cells of a goal, emptiness is left to the search, which meets only a few of them.
_MOST_CELLS_CHECKED = 5_000


@dataclass(frozen=True, slots=True)
class Goal:
    """Region ∩ density of one outcome.

    Attributes
    ----------
    region : Region
        In model space.
    first_polyhedron, first_cone : int
        Where the goal's polyhedra and cones start in the shared table; cone -1 is the pseudo-cone.
    n_cones : int
        1 without a density.
    possible : bool array of shape (n_cones, n_polyhedra)
        False where the cell is known to be empty for every row.
    polyhedron_bounds, cone_bounds
        Closed-form lower bounds of the distance to each polyhedron, to each cone.
    """

    region: Region
    first_polyhedron: int
    first_cone: int
    n_cones: int
    possible: NDArray[np.bool_]
    polyhedron_bounds: PolyhedronBounds
    cone_bounds: ConeBounds

    @property
    def n_polyhedra(self) -> int:
        """Number of polyhedra of the region."""
        return self.region.n_polyhedra

    @property
    def has_density(self) -> bool:
        """Whether there are cones at all."""
        return self.first_cone >= 0

    @property
    def is_one_cell(self) -> bool:
        """Whether there is one polyhedron and one cone, and they meet."""
        return self.has_density and bool(self.possible.shape == (1, 1) and self.possible.all())

    @property
    def size(self) -> int:
        """Number of nodes and table entries a row may need: what bounds the memory of a chunk of rows."""
        return max(self.n_cones * (1 + self.n_polyhedra), len(self.polyhedron_bounds.owner))


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """Cells of all goals in plain coordinates.

    Attributes
    ----------
    coordinates : Coordinates
    cells : Cells
    to_model : AffineMap
    goals : tuple of Goal
    """

    coordinates: Coordinates
    cells: Cells
    to_model: AffineMap
    goals: tuple[Goal, ...]


def compile_problem(
    parts: Sequence[tuple[Region, Cones | None]],
    to_model: AffineMap,
    distance: ResolvedManhattan | ResolvedMahalanobis,
    origin: FloatArray,
) -> SearchProblem:
    """Compile the cells of regions and their cones, both in model space, for rows in the user's features.

    Parameters
    ----------
    parts : sequence of (Region, Cones or None), one pair a goal
    to_model : AffineMap
        ``z = W x + w``, from the user's features to model space.
    distance : ResolvedManhattan or ResolvedMahalanobis
    origin : array of shape (n_features,)
        A typical row: coordinates are centred there to keep digits.
    """
    W, w = to_model.matrix, to_model.offset
    if isinstance(distance, ResolvedManhattan):
        coordinates = manhattan_coordinates(distance.weights, origin)
    else:
        coordinates = mahalanobis_coordinates(distance.omega, origin, seen=W)
    tables = [_pack(region, cones, to_model, coordinates) for region, cones in parts]
    goals, first_polyhedron, first_cone = [], 0, 0
    for (region, cones), cells in zip(parts, tables):
        goals.append(
            Goal(
                region=region,
                first_polyhedron=first_polyhedron,
                first_cone=-1 if cones is None else first_cone,
                n_cones=1 if cones is None else len(cones.radii),
                possible=_possible(region, cones, to_model),
                polyhedron_bounds=polyhedron_bounds(cells),
                cone_bounds=cone_bounds(cells),
            )
        )
        first_polyhedron += cells.n_polyhedra
        first_cone += cells.n_cones
    nothing = _pack(union([], n_features=len(w)), None, to_model, coordinates)
    cells = Cells.join(tables or [nothing])
    return SearchProblem(coordinates, cells, to_model, tuple(goals))


def _pack(region: Region, cones: Cones | None, to_model: AffineMap, coordinates: Coordinates) -> Cells:
    W, w = to_model.matrix, to_model.offset
    q, d = W.shape
    if cones is None:
        nothing = np.empty((0, q, q))
        cones = Cones(nothing, np.empty(0, dtype=np.int64), np.empty((0, q)), np.empty(0), np.empty(0, dtype=np.int64))
    return pack(
        coordinates,
        normals=region.normals @ W,
        offsets=region.offsets - region.normals @ w,
        spans=region.rows,
        shifts=region.shifts @ W,
        shift_offsets=region.shift_offsets - region.shifts @ w,
        factors=(cones.factors @ W).reshape(-1, q, d),
        shape=cones.shape,
        centres=np.einsum("jab,jb->ja", cones.factors[cones.shape], cones.centres - w).reshape(-1, q),
        radii=cones.radii,
    )


def _possible(region: Region, cones: Cones | None, to_model: AffineMap) -> NDArray[np.bool_]:
    n_cones = 1 if cones is None else len(cones.radii)
    possible = np.ones((n_cones, region.n_polyhedra), dtype=np.bool_)
    if cones is None or possible.size > _MOST_CELLS_CHECKED:
        return possible
    # Thin cells stay in: the search decides them with its own certificates.
    needed = squared_radii_needed(region, cones, to_model).T
    return np.asarray(needed <= (cones.radii**2 * (1 + 1e-9))[:, None])
