"""A search problem: the cells of one wanted outcome, compiled once for all rows.

Cell ``(i, j)`` is polyhedron ``i`` of the model's region with cone ``j`` of the density. Cone ``-1`` stands alone where
there is no density.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..density.base import Cones
from ..distances import ResolvedMahalanobis, ResolvedManhattan
from ..projection.cells import Cells, pack
from ..projection.coordinates import Coordinates, mahalanobis_coordinates, manhattan_coordinates
from ..regions.base import Region
from ..regions.pipeline import AffineMap
from .bounds import ConeBounds, PolyhedronBounds, cone_bounds, polyhedron_bounds
from .emptiness import squared_radii_needed

FloatArray = NDArray[np.float64]

# Beyond so many cells emptiness is left to the search, which meets only a few of them.
_MOST_CELLS_CHECKED = 5_000


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """Region ∩ density for one outcome, in plain coordinates.

    Attributes
    ----------
    coordinates : Coordinates
    cells : Cells
    region : Region
        In model space, for membership tests.
    to_model : AffineMap
    cones : Cones or None
        In model space; None without a density constraint.
    possible : bool array of shape (n_polyhedra, n_cones)
        False where the cell is known to be empty for every row.
    squared_radii_needed : array of shape (n_polyhedra, n_cones) or None
        Squared radius at which cone ``j`` would touch polyhedron ``i``; None if not computed.
    polyhedron_bounds, cone_bounds
        Closed-form lower bounds of the distance to each polyhedron, to each cone.
    """

    coordinates: Coordinates
    cells: Cells
    region: Region
    to_model: AffineMap
    cones: Cones | None
    possible: NDArray[np.bool_]
    squared_radii_needed: FloatArray | None
    polyhedron_bounds: PolyhedronBounds
    cone_bounds: ConeBounds

    @property
    def n_cones(self) -> int:
        """Number of cones, 1 (no constraint) without a density."""
        return 1 if self.cones is None else len(self.cones.radii)


def compile_problem(
    region: Region,
    cones: Cones | None,
    to_model: AffineMap,
    distance: ResolvedManhattan | ResolvedMahalanobis,
    origin: FloatArray,
) -> SearchProblem:
    """Compile the cells of a region and its cones, both in model space, for rows in the user's features.

    Parameters
    ----------
    region : Region
    cones : Cones or None
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
    q, d = W.shape
    factors = np.empty((0, q, q)) if cones is None else cones.factors
    centres = np.empty((0, q)) if cones is None else cones.centres
    shape = np.empty(0, dtype=np.int64) if cones is None else cones.shape
    cells = pack(
        coordinates,
        normals=region.normals @ W,
        offsets=region.offsets - region.normals @ w,
        spans=region.rows,
        shifts=region.shifts @ W,
        shift_offsets=region.shift_offsets - region.shifts @ w,
        factors=factors @ W if len(factors) else np.empty((0, q, d)),
        shape=shape,
        centres=np.einsum("jab,jb->ja", factors[shape], centres - w) if len(shape) else np.empty((0, q)),
        radii=np.empty(0) if cones is None else cones.radii,
    )
    needed, possible = None, np.ones((region.n_polyhedra, 1 if cones is None else len(cones.radii)), dtype=np.bool_)
    if cones is not None and possible.size <= _MOST_CELLS_CHECKED:
        needed = squared_radii_needed(region, cones, to_model)
        # Thin cells stay in: the search decides them with its own certificates.
        possible = needed <= cones.radii**2 * (1 + 1e-9)
    return SearchProblem(
        coordinates=coordinates,
        cells=cells,
        region=region,
        to_model=to_model,
        cones=cones,
        possible=possible,
        squared_radii_needed=needed,
        polyhedron_bounds=polyhedron_bounds(cells),
        cone_bounds=cone_bounds(cells),
    )
