"""Cells: intersections of a polyhedron, a cone and bounds, packed for the kernel.

The kernel addresses a cell by the numbers of its parts: at most two polyhedra (the model's and the user's), at most one
cone; -1 is "none". Everything is in plain coordinates (see :mod:`elsewise.projection.distance`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray
from ._kernel import project_batch
from .distance import Coordinates

# Features from which on the structure of a Gram matrix is used, a diagonal less a few directions, and how many there
# must be for each direction. The ratio decides: of 32 to 96 features, with 8 for a direction it takes 0.8 to 0.9 of
# the time of the matrix itself, with 5 or 6 the same, with 3 a quarter more; of 128 features with 25 for each, half.
# Of fewer than 32 features there is little to gain.
FEWEST_STRUCTURED, FEATURES_A_RANK = 32, 6

OPTIMAL, INFEASIBLE, CUTOFF, STALLED = range(4)
_NO_TRAIL = np.empty(0, dtype=np.int32)


# Lower and upper bounds of differences, an instance each.
Limits = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """What projections start from and return beside points and bounds.

    Attributes
    ----------
    multipliers : bool
        Whether to return multipliers and slopes.
    start : int array of shape (2 + 2 n,), or None
        A trail to start from: of the same cone and the same numbers of half-spaces. It saves time and nothing else.
    reach : float
        If positive, first half-spaces are moved to where the distance is this, if they are farther away.
    trails : bool
        Whether to return trails.
    """

    multipliers: bool = False
    start: NDArray[np.int32] | None = None
    reach: float = 0.0
    trails: bool = False


NO_DETAILS = Details()


@dataclass(frozen=True, slots=True)
class Cells:
    """Polyhedra ``(N_r - S_k)·x <= o_r - c_k`` and cones ``||F x - g|| <= h0 + h1·x`` in plain coordinates.

    Attributes
    ----------
    norm : int
        1 for ``sum |v|``, 2 for ``v'v``.
    normals, offsets : arrays of shape (n_halfspaces, n), (n_halfspaces,)
        ``N`` and ``o``.
    spans : int array of shape (n_polyhedra, 2)
        First half-space of each polyhedron, and one past its last.
    shifts, shift_offsets : arrays of shape (n_polyhedra, n), (n_polyhedra,)
        ``S`` and ``c``, common to all half-spaces of a polyhedron.
    factors : array of shape (n_shapes, n, q)
        Transposed factors ``F'``.
    grams : array of shape (n_shapes, n, n)
        ``F'F``.
    shape : int array of shape (n_cones,)
        Which factor each cone has.
    centres : array of shape (n_cones, q)
        The vectors ``g``.
    radii : array of shape (n_cones,)
        The numbers ``h0``.
    tilts : array of shape (n_cones, n) or (0, n)
        The vectors ``h1``; none at all if all are zero.
    group : int array of shape (n,) or (0,)
        Which category a feature is an indicator of, -1 for none; empty without categories. See the kernel's
        ``projection.h``: a category's indicators move relative to the one that ``x0`` has.
    diagonals : array of shape (n_shapes, n) or (0, n)
        With ``directions``: structure ``F'F = diag(D) - U U'`` of the Gram matrices; none if a factor has none.
    directions : array of shape (n_shapes, n, rank) or (0, n, 0)
    """

    norm: int
    normals: FloatArray
    offsets: FloatArray
    spans: IntArray
    shifts: FloatArray
    shift_offsets: FloatArray
    factors: FloatArray
    grams: FloatArray
    shape: IntArray
    centres: FloatArray
    radii: FloatArray
    tilts: FloatArray
    group: IntArray
    diagonals: FloatArray
    directions: FloatArray

    @property
    def n_polyhedra(self) -> int:
        """Number of polyhedra."""
        return len(self.spans)

    @property
    def n_cones(self) -> int:
        """Number of cones."""
        return len(self.radii)

    @classmethod
    def join(cls, tables: Sequence[Cells]) -> Cells:
        """Put tables in the same coordinates one after the other; polyhedra and cones are numbered on."""
        first_halfspace = np.cumsum([0] + [len(table.offsets) for table in tables])
        first_shape = np.cumsum([0] + [len(table.factors) for table in tables])

        def stack(name: str) -> Any:
            return np.ascontiguousarray(np.concatenate([getattr(table, name) for table in tables]))

        return cls(
            norm=tables[0].norm,
            normals=stack("normals"),
            offsets=stack("offsets"),
            spans=np.concatenate([table.spans + start for table, start in zip(tables, first_halfspace)]),
            shifts=stack("shifts"),
            shift_offsets=stack("shift_offsets"),
            factors=stack("factors"),
            grams=stack("grams"),
            shape=np.concatenate([table.shape + start for table, start in zip(tables, first_shape)]),
            centres=stack("centres"),
            radii=stack("radii"),
            tilts=stack("tilts"),
            group=tables[0].group,
            **_joined_structure(tables),
        )

    def with_own_radii(self, cone: IntArray, widening: FloatArray) -> tuple[Cells, IntArray]:
        """Return every instance a cone of its own: its squared radius is larger by so much.

        A cone with tilts stands for ``||y||^2 <= s``, written ``||(y, l)|| <= h`` with ``h = (s + k^2) / 2k`` and
        ``l = (s - k^2) / 2k``: a larger ``s`` moves both alike, and ``k = h - l`` stays. Other cones are balls.

        Parameters
        ----------
        cone : int array of shape (n_instances,)
            -1 for none.
        widening : array of shape (n_instances,)
            Negative makes cones smaller; what has no radius left is a point, and the caller's to leave out.

        Returns
        -------
        cells : Cells
        cone : int array of shape (n_instances,)
            The instances' cones in them.
        """
        which = np.maximum(cone, 0)
        centres, radii = self.widened(which, widening)
        tilts = self.tilts[which] if len(self.tilts) else self.tilts
        own = replace(self, shape=self.shape[which], centres=centres, radii=radii, tilts=tilts)
        return own, np.where(cone < 0, -1, np.arange(len(cone)))

    def with_halfspaces(self, normals: FloatArray, offsets: FloatArray, spans: IntArray) -> Cells:
        """Return the same cones with other polyhedra, not shifted; arrays as for the table itself."""
        nothing = np.zeros((len(spans), normals.shape[1]))
        return Cells(
            self.norm, normals, offsets, spans, nothing, np.zeros(len(spans)), self.factors, self.grams, self.shape,
            self.centres, self.radii, self.tilts, self.group, self.diagonals, self.directions,
        )  # fmt: skip

    def widened(self, cone: IntArray, widening: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Centres and radii, arrays of shape (n, q) and (n,), of cones whose squared radii are larger by so much."""
        centres, radii = self.centres[cone], self.radii[cone]
        if not len(self.tilts):
            return centres, np.sqrt(np.maximum(radii**2 + widening, 0.0))
        moved = widening / (2.0 * (radii + centres[:, -1]))
        centres[:, -1] -= moved
        return centres, radii + moved

    def project(
        self,
        X0: FloatArray,
        row: IntArray,
        polyhedra: IntArray,
        cone: IntArray,
        *,
        cutoff: FloatArray,
        margin: FloatArray,
        limits: Limits | None = None,
        details: Details = NO_DETAILS,
    ) -> Batch:
        """Project points onto cells: instance ``k`` is ``X0[row[k]]`` onto ``(polyhedra[k], cone[k])``.

        Parameters
        ----------
        X0 : array of shape (n_samples, n)
            Rows in plain coordinates.
        row, cone : int arrays of shape (n_instances,)
        polyhedra : int array of shape (n_instances, 2)
        cutoff, margin : arrays of shape (n_instances,)
            Stop once the optimum is proven to be at least ``cutoff``; keep the relative distance ``margin`` from the
            first polyhedron and from the cone.
        limits : pair of arrays of shape (n_instances, n), optional
            Lower and upper bounds of the difference.
        details : Details
        """
        nothing = np.empty((0, X0.shape[1]))
        lower, upper = (nothing, nothing) if limits is None else limits
        return Batch(
            *project_batch(
                self.norm, self.normals, self.offsets, self.spans, self.shifts, self.shift_offsets, self.factors,
                self.grams, self.shape, self.centres, self.radii, self.tilts, self.group, self.diagonals,
                self.directions, X0, row, polyhedra, cone,
                lower, upper, cutoff, margin, details.multipliers,
                _NO_TRAIL if details.start is None else details.start, details.reach, details.trails,
            )
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Batch:
    """What the kernel says of each instance; arrays with a leading axis of instances.

    Attributes
    ----------
    status : int array of shape (n_instances,)
        OPTIMAL, INFEASIBLE, CUTOFF or STALLED.
    iterations : int array of shape (n_instances,)
    first_is_active : int array of shape (n_instances,)
        1 where a half-space of the first polyhedron is active (has a positive multiplier), 0 where none is: the point
        is then the projection onto the other constraints.
    value : array of shape (n_instances,)
        Distance of the point; infinite without one.
    bound : array of shape (n_instances,)
        Rigorous lower bound of the optimum (margins not counted), whatever the status.
    v : array of shape (n_instances, n)
        Plain difference; zero unless the status is OPTIMAL or STALLED.
    halfspace_multipliers : array of shape (n_instances, n_most + n_groups), >= 0, or None
        Of the half-spaces of both polyhedra in order, then of the groups in which something can move; zeros behind.
    bound_multipliers : array of shape (n_instances, n), or None
        Positive for upper bounds, negative for lower ones.
    cone_multipliers : array of shape (n_instances, q + 1), or None
        ``(y0, y1)`` with ``||y1|| <= y0``. All three are dual feasible for the distance, or Farkas multipliers where
        the status is INFEASIBLE.
    slopes : array of shape (n_instances, n), or None
        Under norm 1, where there is a point, every ``v`` of the cell is at distance at least
        ``bound + sum_i |v_i| + slopes_i v_i``, all terms of which are positive; NaN where that is not proven.
    trails : int array of shape (n_instances, 2 + 2 n), or None
        Where paths ended, for others to start from; the first number of a line is -1 where there is none.
    """

    status: NDArray[np.int32]
    iterations: NDArray[np.int32]
    first_is_active: NDArray[np.int32]
    value: FloatArray
    bound: FloatArray
    v: FloatArray
    halfspace_multipliers: FloatArray | None
    bound_multipliers: FloatArray | None
    cone_multipliers: FloatArray | None
    slopes: FloatArray | None
    trails: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Polyhedra:
    """Polyhedra over a shared table of half-spaces of the user's features; see :class:`Cells`.

    Attributes
    ----------
    normals : array of shape (n_halfspaces, n_features)
    offsets : array of shape (n_halfspaces,)
    spans : int array of shape (n_polyhedra, 2)
    shifts : array of shape (n_polyhedra, n_features), or None
    shift_offsets : array of shape (n_polyhedra,), or None
        None for zeros.
    """

    normals: FloatArray
    offsets: FloatArray
    spans: IntArray
    shifts: FloatArray | None = None
    shift_offsets: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PackedCones:
    """Cones ``||F x - centre|| <= radius + tilt . x`` of the user's features.

    Attributes
    ----------
    factors : array of shape (n_shapes, q, n_features)
    shape : int array of shape (n_cones,)
    centres : array of shape (n_cones, q)
    radii : array of shape (n_cones,)
    tilts : array of shape (n_cones, n_features), or None
    structure : pair of arrays, or None
        ``(D, U)`` of shapes (n_shapes, n_features) and (n_shapes, n_features, rank) with ``F'F = diag(D) - U U'``,
        where there are such.
    """

    factors: FloatArray
    shape: IntArray
    centres: FloatArray
    radii: FloatArray
    tilts: FloatArray | None = None
    structure: tuple[FloatArray, FloatArray] | None = None

    @classmethod
    def none(cls, q: int, n: int) -> PackedCones:
        """State that there are none, of images in ``q`` dimensions and ``n`` features."""
        return cls(np.empty((0, q, n)), np.empty(0, dtype=np.int64), np.empty((0, q)), np.empty(0))


def pack(coordinates: Coordinates, polyhedra: Polyhedra, cones: PackedCones, group: IntArray | None = None) -> Cells:
    """Pack parts given in the user's features."""
    factors, shape, radii, tilts = cones.factors, cones.shape, cones.radii, cones.tilts
    shifts, shift_offsets = polyhedra.shifts, polyhedra.shift_offsets
    if shifts is None or shift_offsets is None:
        shifts, shift_offsets = np.zeros((len(polyhedra.spans), factors.shape[2])), np.zeros(len(polyhedra.spans))
    origin = coordinates.origin
    plain_normals, plain_offsets = coordinates.pull_back(polyhedra.normals, polyhedra.offsets)
    plain_shifts, plain_shift_offsets = coordinates.pull_back(shifts, shift_offsets)
    n, (n_shapes, q) = coordinates.n_plain, factors.shape[:2]
    flat = factors.reshape(n_shapes * q, factors.shape[2])
    plain = (flat * coordinates.back if coordinates.norm == 1 else flat @ coordinates.back).reshape(n_shapes, q, n)
    moved = (factors @ origin)[shape] if len(shape) else np.empty((0, q))
    plain_tilts, plain_radii = np.empty((0, n)), radii
    if tilts is not None:
        plain_tilts, minus_radii = coordinates.pull_back(tilts, -radii)
        plain_radii = -minus_radii
    return Cells(
        norm=coordinates.norm,
        normals=plain_normals,
        offsets=plain_offsets,
        spans=np.ascontiguousarray(polyhedra.spans, dtype=np.int64),
        shifts=plain_shifts,
        shift_offsets=plain_shift_offsets,
        factors=np.ascontiguousarray(plain.transpose(0, 2, 1)),
        grams=np.ascontiguousarray(plain.transpose(0, 2, 1) @ plain),
        shape=np.ascontiguousarray(shape, dtype=np.int64),
        centres=np.ascontiguousarray(cones.centres - moved),
        radii=np.ascontiguousarray(plain_radii, dtype=np.float64),
        tilts=plain_tilts,
        group=np.empty(0, dtype=np.int64) if group is None else np.ascontiguousarray(group, dtype=np.int64),
        **_plain_structure(coordinates, cones.structure),
    )


def _plain_structure(
    coordinates: Coordinates, structure: tuple[FloatArray, FloatArray] | None
) -> dict[str, FloatArray]:
    """Structure of Gram matrices in plain coordinates, where these are stretched features and it is worth its while."""
    n = coordinates.n_plain
    if (
        structure is None
        or coordinates.norm != 1
        or n < max(FEWEST_STRUCTURED, FEATURES_A_RANK * structure[1].shape[2])
    ):
        return {"diagonals": np.empty((0, n)), "directions": np.empty((0, n, 0))}
    D, U = structure
    back = coordinates.back
    return {
        "diagonals": np.ascontiguousarray(D * back**2),
        "directions": np.ascontiguousarray(U * back[:, None]),
    }


def _joined_structure(tables: Sequence[Cells]) -> dict[str, FloatArray]:
    """Structures one after the other, smaller ranks filled up with zeros; none if a factor has none."""
    with_factors = [table for table in tables if len(table.factors)]
    n = tables[0].normals.shape[1]
    if not with_factors or any(len(table.diagonals) == 0 for table in with_factors):
        return {"diagonals": np.empty((0, n)), "directions": np.empty((0, n, 0))}
    rank = max(table.directions.shape[2] for table in with_factors)
    filled = [
        np.pad(table.directions, ((0, 0), (0, 0), (0, rank - table.directions.shape[2]))) for table in with_factors
    ]
    return {
        "diagonals": np.ascontiguousarray(np.concatenate([table.diagonals for table in with_factors])),
        "directions": np.ascontiguousarray(np.concatenate(filled)),
    }
