"""A search problem: the cells of every wanted outcome, compiled once for all rows.

A goal is one outcome. Its cell ``(i, j)`` is polyhedron ``i`` of the model's region with cone ``j`` of the density;
without a density there is one pseudo-cone that constrains nothing. All goals share one table of cells, so that rows
with different goals go to the kernel together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..density.base import Cones
from ..distances import ResolvedMahalanobis, ResolvedManhattan
from ..pipelines.affine import AffineMap
from ..projection.cells import Cells, pack
from ..projection.coordinates import Coordinates, mahalanobis_coordinates, manhattan_coordinates
from ..regions.base import Region, union
from .bounds import ConeBounds, PolyhedronBounds, cone_bounds, polyhedron_bounds
from .boxes import Boxes, boxes_of
from .emptiness import squared_radii_needed

# Relative margins to keep from boundaries, widened step by step until model and density agree.
MARGINS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)

# Numbers whose products and squares neither overflow nor vanish; without cones and squares, products alone count.
_SQUARES, _PRODUCTS = (1e-70, 1e70), (1e-150, 1e150)

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
    boxes : Boxes
        What the polyhedra say of single columns.
    polyhedron_bounds, cone_bounds
        Closed-form lower bounds of the distance to each polyhedron, to each cone.
    """

    region: Region
    first_polyhedron: int
    first_cone: int
    n_cones: int
    possible: BoolArray
    boxes: Boxes
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
    group : int array of shape (n_features,)
        The category each feature is an indicator of, -1 for none.
    numbers_fit : bool
        No product of the cells' numbers overflows or vanishes.
    """

    coordinates: Coordinates
    cells: Cells
    to_model: AffineMap
    goals: tuple[Goal, ...]
    group: IntArray
    numbers_fit: bool = field(init=False)

    def __post_init__(self) -> None:
        smallest, largest = _range_of(self.cells)
        tables = [np.abs(table) for table in (self.cells.normals, self.cells.shifts, self.cells.factors)]
        others = ((0,), (0,), (0, 2))  # the axes that are not features
        columns = np.concatenate([table.max(axis=axes, initial=0.0) for table, axes in zip(tables, others)])
        fit = bool(((columns == 0) | ((columns >= smallest) & (columns <= largest))).all())
        object.__setattr__(self, "numbers_fit", fit)

    def overflows(self, plain: FloatArray) -> BoolArray:
        """Tell rows about which nothing is proven: numbers overflow or vanish on the way.

        Parameters
        ----------
        plain : array of shape (n_samples, n_plain)
            Rows in plain coordinates.
        """
        if not self.numbers_fit:
            return np.ones(len(plain), dtype=np.bool_)
        return np.asarray(~(np.abs(plain) <= _range_of(self.cells)[1]).all(axis=1))

    def for_whole_points(self) -> SearchProblem:
        """Move the rows of all polyhedra out by a little more than rounding.

        Where everything is discrete, a point may lie on the very boundary of a region, and the model's own arithmetic
        decides on which side; no bound may shut it out.
        """
        size = np.abs(self.cells.offsets) + 100.0 * np.abs(self.cells.normals).max(axis=1, initial=0.0)
        return replace(self, cells=replace(self.cells, offsets=self.cells.offsets + 1e-9 * size))

    def with_rules(self, normals: FloatArray, offsets: FloatArray, discrete: BoolArray) -> SearchProblem:
        """Add the rows ``normals e <= offsets`` to the table of cells: once moved out, then moved in more and more.

        The boundary of a rule is itself a place to be, wherever what could move off it is fixed or whole: no bound may
        shut it out, so relaxations get the rows moved out by more than rounding (where ``discrete`` features alone are
        concerned, by far more: it costs nothing). Numbers that are solved for keep away from it, by as little as
        rounding needs. Points are checked against the rule as it is.
        """
        exact = ~(normals[:, ~discrete] != 0).any(axis=1)
        largest = np.abs(normals).max(axis=1, initial=0.0)
        typical = np.abs(self.coordinates.origin) + 10.0 / self.coordinates.stretch
        size = np.abs(offsets) + np.abs(normals) @ typical
        moved = [np.where(exact, 1e-3 * largest, 2e-12 * size), *(-1e-3 * margin * size for margin in MARGINS)]
        rules = [_pack_rows(self.coordinates, normals, offsets + shift, self.cells) for shift in moved]
        return replace(self, cells=Cells.join([self.cells, *rules]))


def _range_of(cells: Cells) -> tuple[float, float]:
    """Smallest and largest numbers that may enter the kernel's arithmetic on cells."""
    return _SQUARES if cells.n_cones or cells.norm == 2 else _PRODUCTS


def compile_problem(
    parts: Sequence[tuple[Region, Cones | None]],
    to_model: AffineMap,
    distance: ResolvedManhattan | ResolvedMahalanobis,
    origin: FloatArray,
    *,
    group: IntArray | None = None,
) -> SearchProblem:
    """Compile the cells of regions and their cones for rows in features.

    Parameters
    ----------
    parts : sequence of (Region, Cones or None), one pair a goal
        Regions are in model space. So are cones, unless there are categories: then they are about the features
        themselves, numeric ones and indicators.
    to_model : AffineMap
        ``z = W x + w``, from features to model space.
    distance : ResolvedManhattan or ResolvedMahalanobis
    origin : array of shape (n_features,)
        A typical row: coordinates are centred there to keep digits.
    group : int array of shape (n_features,), optional
        The category each feature is an indicator of, -1 for none.
    """
    W, w = to_model.matrix, to_model.offset
    group = np.full(W.shape[1], -1) if group is None else group
    if isinstance(distance, ResolvedManhattan):
        # A change of category moves two indicators, of which the kernel counts one.
        prices = np.where(group >= 0, 2.0, 1.0) * distance.weights
        coordinates = manhattan_coordinates(prices, np.where(group >= 0, 0.0, origin))
    else:
        coordinates = mahalanobis_coordinates(distance.omega, origin, seen=W)
    tables = [_pack(region, cones, to_model, coordinates, group) for region, cones in parts]
    goals, first_polyhedron, first_cone = [], 0, 0
    for (region, cones), cells in zip(parts, tables):
        goals.append(
            Goal(
                region=region,
                first_polyhedron=first_polyhedron,
                first_cone=-1 if cones is None else first_cone,
                n_cones=1 if cones is None else len(cones.radii),
                possible=_possible(region, cones, to_model, group),
                boxes=boxes_of(cells, coordinates, group),
                polyhedron_bounds=polyhedron_bounds(cells),
                cone_bounds=cone_bounds(cells),
            )
        )
        first_polyhedron += cells.n_polyhedra
        first_cone += cells.n_cones
    nothing = _pack(union([], n_features=len(w)), None, to_model, coordinates, group)
    cells = Cells.join(tables or [nothing])
    return SearchProblem(coordinates, cells, to_model, tuple(goals), group)


def _pack(region: Region, cones: Cones | None, to_model: AffineMap, coordinates: Coordinates, group: IntArray) -> Cells:
    W, w = to_model.matrix, to_model.offset
    has_groups = bool((group >= 0).any())
    return pack(
        coordinates,
        normals=region.normals @ W,
        offsets=region.offsets - region.normals @ w,
        spans=region.rows,
        shifts=region.shifts @ W,
        shift_offsets=region.shift_offsets - region.shifts @ w,
        group=group if has_groups else None,
        **(_cones_with_categories(cones, group) if has_groups else _cones_in_model_space(cones, to_model)),
    )


def _cones_in_model_space(cones: Cones | None, to_model: AffineMap) -> dict[str, Any]:
    W, w = to_model.matrix, to_model.offset
    q, d = W.shape
    if cones is None:
        return _no_cones(q, d)
    return {
        "factors": (cones.factors @ W).reshape(-1, q, d),
        "shape": cones.shape,
        "centres": np.einsum("jab,jb->ja", cones.factors[cones.shape], cones.centres - w).reshape(-1, q),
        "radii": cones.radii,
    }


def _cones_with_categories(cones: Cones | None, group: IntArray) -> dict[str, Any]:
    r"""Cones of a density with categories, as second-order cones of the features.

    With ``y = L'(e_numeric - mu)`` and any ``k > 0``, the set ``||y||^2 <= s``, for ``s = r^2 - p·e``, is

        ||(y, (s - k^2) / 2k)|| <= (s + k^2) / 2k;        k = r leaves out the constant.
    """
    numeric, indicators = np.flatnonzero(group < 0), np.flatnonzero(group >= 0)
    q, n = len(numeric) + 1, len(group)
    if cones is None:
        return _no_cones(q, n)
    m, squared = len(cones.radii), cones.radii**2
    k = np.where(cones.radii > 1e-3, cones.radii, 1.0)  # without numbers, a cone may have no radius
    tilts = np.zeros((m, n))
    tilts[:, indicators] = -cones.penalties / (2.0 * k[:, None])
    factors, centres = np.zeros((m, q, n)), np.zeros((m, q))
    for j in range(m):
        L = cones.factors[cones.shape[j]]
        factors[j][: q - 1, numeric] = L
        factors[j][q - 1] = tilts[j]
        centres[j, : q - 1] = L @ cones.centres[j]
    centres[:, q - 1] = (k**2 - squared) / (2.0 * k)
    radii = (squared + k**2) / (2.0 * k)
    return {"factors": factors, "shape": np.arange(m), "centres": centres, "radii": radii, "tilts": tilts}


def _no_cones(q: int, n: int) -> dict[str, Any]:
    nothing = {"shape": np.empty(0, dtype=np.int64), "centres": np.empty((0, q)), "radii": np.empty(0)}
    return {"factors": np.empty((0, q, n)), **nothing}


def _pack_rows(coordinates: Coordinates, normals: FloatArray, offsets: FloatArray, like: Cells) -> Cells:
    """Pack one polyhedron without cones."""
    n_features = normals.shape[1]
    return pack(
        coordinates,
        normals=normals,
        offsets=offsets,
        spans=np.array([[0, len(offsets)]]),
        shifts=np.zeros((1, n_features)),
        shift_offsets=np.zeros(1),
        group=like.group if len(like.group) else None,
        **_no_cones(like.factors.shape[2], n_features),
    )


def _possible(region: Region, cones: Cones | None, to_model: AffineMap, group: IntArray) -> BoolArray:
    n_cones = 1 if cones is None else len(cones.radii)
    possible = np.ones((n_cones, region.n_polyhedra), dtype=np.bool_)
    if cones is None or possible.size > _MOST_CELLS_CHECKED or (group >= 0).any():
        return possible
    # Thin cells stay in: the search decides them with its own certificates.
    needed = squared_radii_needed(region, cones, to_model).T
    return np.asarray(needed <= (cones.radii**2 * (1 + 1e-9))[:, None])
