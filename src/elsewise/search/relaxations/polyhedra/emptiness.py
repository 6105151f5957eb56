"""Which cells are empty for every row, and how dense a region can get.

The squared radius at which the cone of component ``j`` first touches polyhedron ``i`` is the optimum of a projection:
the component's centre onto the polyhedron, in the component's own Mahalanobis norm. The cell is empty exactly if that
exceeds ``r_j^2``; and ``peak_j - needed / 2`` is the highest log density component ``j`` has in polyhedron ``i``, which
names the highest threshold that would work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr

from ....arrays import FloatArray
from ....projection.cells import INFEASIBLE, PackedCones, Polyhedra, pack
from ....projection.distance import Coordinates
from ... import Cones

if TYPE_CHECKING:
    from .union import PolyhedronUnion

# Rounds of dividing columns and rows of a map by their largest entries, to judge its rank; more change little.
EQUILIBRATIONS = 5


def squared_radii_needed(region: PolyhedronUnion, cones: Cones, W: FloatArray, w: FloatArray) -> FloatArray:
    """Squared radius at which cone ``j`` touches polyhedron ``i`` within the image ``W x + w`` of the data space.

    Returns
    -------
    array of shape (n_polyhedra, n_cones)
        A proven lower bound, tight to solver precision; infinite for an empty polyhedron.
    """
    k, m = region.n_polyhedra, len(cones.radii)
    needed = np.full((k, m), np.inf)
    if k == 0:
        return needed
    basis = _range_of(W)
    for j in range(m):
        # z = w + U t;  ||L'(z - mu)||^2 = ||R t + Q'd||^2 + ||d - QQ'd||^2  with  L'U = QR,  d = L'(w - mu)
        factor = cones.factors[cones.shape[j]]
        Q, R = qr(factor @ basis, mode="economic")
        d = factor @ (w - cones.centres[j])
        start, beyond = Q.T @ d, d - Q @ (Q.T @ d)
        back = basis @ np.linalg.inv(R)
        coordinates = Coordinates(2, np.zeros(basis.shape[0]), R @ np.linalg.pinv(basis), back)
        moved = w - back @ start  # z = moved + back y,  y = R t + Q'd
        cells = pack(
            coordinates,
            Polyhedra(
                region.normals,
                region.offsets - region.normals @ moved,
                region.spans,
                region.shifts,
                region.shift_offsets - region.shifts @ moved,
            ),
            PackedCones.none(0, basis.shape[0]),
        )
        batch = cells.project(
            np.zeros((1, R.shape[0])),
            np.zeros(k, dtype=np.int64),
            np.column_stack([np.arange(k), np.full(k, -1)]),
            np.full(k, -1),
            cutoff=np.full(k, np.inf),
            margin=np.zeros(k),
        )
        # Only the bound is proven where the kernel finds no point; beyond the radius the polyhedron may count as empty.
        bound = batch.bound + beyond @ beyond
        is_empty = (batch.status == INFEASIBLE) & (bound > cones.radii[j] ** 2)
        needed[:, j] = np.where(is_empty, np.inf, bound)
    return needed


def _range_of(matrix: FloatArray) -> FloatArray:
    """Basis of the image of a matrix, array of shape (n_out, rank).

    The rank is judged where every row and column has the size 1: units decades apart hide no direction. A direction
    too many proves less; one too few would prove what is false.
    """
    scaled, row_size = matrix, np.ones(len(matrix))
    for _ in range(EQUILIBRATIONS):
        column_size = np.abs(scaled).max(axis=0, initial=0.0)
        scaled = scaled / np.where(column_size > 0, column_size, 1.0)
        size = np.abs(scaled).max(axis=1, initial=0.0)
        size[size == 0] = 1.0
        scaled, row_size = scaled / size[:, None], row_size * size
    U, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    rounding = max(matrix.shape) * float(np.finfo(np.float64).eps)
    return np.ascontiguousarray(row_size[:, None] * U[:, singular > rounding * singular.max(initial=0.0)])
