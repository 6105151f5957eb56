"""A search problem: the cells of every wanted outcome, compiled once for all rows.

A goal is one outcome. Its cell ``(i, j)`` is part ``i`` of the model's region with cone ``j`` of the density; without a
density there is one pseudo-cone that constrains nothing. All goals share one table of cells, so that rows with
different goals go to the kernel together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..projection.cells import Cells, Polyhedra, pack
from ..projection.distance import Coordinates
from .branch_and_bound.empty_nodes import SecondLook
from .cones import ConeBounds, Cones, cones_in_model_space, cones_with_categories
from .constants import MARGINS, RULES_INSIDE_SHARE, RULES_SHIFT, WHOLE_RULES_SHIFT
from .cover import Cover
from .region import Covered
from .space import Space

# How far half-spaces of a region are moved out, relative to their size: where every point is whole, by a little more
# than rounding; where they are limits of single columns beside numbers, by more than the first margins.
WHOLE_POINTS_SHIFT, COLUMN_LIMITS_SHIFT = 1e-12, 1e-9
# Numbers whose products and squares neither overflow nor vanish; without cones and squares, products alone count.
RANGE_OF_SQUARES, RANGE_OF_PRODUCTS = (1e-70, 1e70), (1e-150, 1e150)
# Beyond so many cells of a goal, emptiness is left to the search, which meets only a few of them.
MOST_CELLS_CHECKED = 5_000


@dataclass(frozen=True, slots=True)
class Goal:
    """Region ∩ density of one outcome.

    Attributes
    ----------
    cover : Cover
        Of the region where the model decides so.
    first_polyhedron : int
        Where the parts start in the shared table, -1 if they are not polyhedra that are known beforehand.
    first_cone : int
        Where the cones start in the shared table; -1 is the pseudo-cone.
    n_cones : int
        1 without a density.
    possible : bool array of shape (n_cones, n_parts)
        False where the cell is known to be empty for every row.
    cone_bounds : ConeBounds
        Closed-form lower bounds of the distance to each cone.
    squared_radii : array of shape (n_cones,)
        With the likeliest level of every category; empty without a density.
    has_numbers : bool
        Cones are about numbers, too: one of radius zero is then none.
    """

    cover: Cover
    first_polyhedron: int
    first_cone: int
    n_cones: int
    possible: BoolArray
    cone_bounds: ConeBounds
    squared_radii: FloatArray = field(default_factory=lambda: np.empty(0))
    has_numbers: bool = True

    def has_cone(self, widening: FloatArray) -> BoolArray:
        """Which cones are left to rows that add so much to squared radii, array of shape (n_samples, n_cones)."""
        own = self.squared_radii + widening[:, None]
        return np.asarray(own > 0.0 if self.has_numbers else own >= 0.0)

    @property
    def n_parts(self) -> int:
        """Number of parts the region's cover starts from."""
        return self.cover.n_parts

    @property
    def divides(self) -> bool:
        """Whether parts of the region are divided as the search goes on."""
        return self.cover.cells is None

    @property
    def has_density(self) -> bool:
        """Whether there are cones at all."""
        return self.first_cone >= 0

    @property
    def is_one_cell(self) -> bool:
        """Whether there is one part and one cone, and they meet."""
        return self.has_density and bool(self.possible.shape == (1, 1) and self.possible.all())

    @property
    def size(self) -> int:
        """Number of nodes and table entries a row may need: what bounds the memory of a chunk of rows."""
        return max(self.n_cones * (1 + self.n_parts), self.cover.entries_a_row)


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """Cells of all goals in plain coordinates.

    Attributes
    ----------
    space : Space
    cells : Cells
    goals : tuple of Goal
    rules_at : int
        Place of the linear rules in the table of cells, moved out; those moved in, more and more, follow. -1 without.
    numbers_fit : bool
        No product of the cells' numbers overflows or vanishes.
    second_look : SecondLook
        At the cells, to be shared by all searches.
    made : dict
        The last problem that each method made of this one, and what it was made with.
    """

    space: Space
    cells: Cells
    goals: tuple[Goal, ...]
    rules_at: int = -1
    numbers_fit: bool = field(init=False)
    second_look: SecondLook = field(init=False, repr=False, compare=False)
    made: dict[str, tuple[bytes, SearchProblem]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "second_look", SecondLook(self.cells, sees_cones_alone=False))
        object.__setattr__(self, "made", {})
        smallest, largest = self._range()
        tables = [np.abs(table) for table in (self.cells.normals, self.cells.shifts, self.cells.factors)]
        others = ((0,), (0,), (0, 2))  # the axes that are not features
        columns = np.concatenate([table.max(axis=axes, initial=0.0) for table, axes in zip(tables, others)])
        fit = bool(((columns == 0) | ((columns >= smallest) & (columns <= largest))).all())
        object.__setattr__(self, "numbers_fit", fit)

    def _range(self) -> tuple[float, float]:
        """Smallest and largest numbers that may enter the kernel's arithmetic on the cells."""
        return RANGE_OF_SQUARES if self.cells.n_cones or self.cells.norm == 2 else RANGE_OF_PRODUCTS

    def overflows(self, plain: FloatArray) -> BoolArray:
        """Return rows about which nothing is proven: numbers overflow or vanish on the way.

        Parameters
        ----------
        plain : array of shape (n_samples, n_plain)
            Rows in plain coordinates.
        """
        if not self.numbers_fit:
            return np.ones(len(plain), dtype=np.bool_)
        largest = self._range()[1]
        if -largest <= plain.min(initial=0.0) and plain.max(initial=0.0) <= largest:  # False for NaN
            return np.zeros(len(plain), dtype=np.bool_)
        return np.asarray(~(np.abs(plain) <= largest).all(axis=1))

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates in which the distance is plain."""
        return self.space.coordinates

    @property
    def divides(self) -> bool:
        """Whether some goal's region is divided as the search goes on."""
        return any(goal.divides for goal in self.goals)

    def for_whole_points(self, discrete: BoolArray) -> SearchProblem:
        """Move half-spaces about ``discrete`` features out by a little more than rounding.

        Where everything is discrete, a point may lie on the very boundary of a region, and the model's own arithmetic
        decides on which side; no bound may shut it out. Beside numbers that are solved for, this goes for the limits of
        single columns (a tree parts 6 and 8 at 7): no margin could move a whole number off them.
        """
        return self._once("for_whole_points", discrete.tobytes(), lambda: self._for_whole_points(discrete))

    def _once(self, method: str, given: bytes, make: Callable[[], SearchProblem]) -> SearchProblem:
        """Make a problem unless it was the last one made: one question is often asked again and again."""
        last = self.made.get(method)
        if last is None or last[0] != given:
            last = self.made[method] = (given, make())
        return last[1]

    def _for_whole_points(self, discrete: BoolArray) -> SearchProblem:
        if discrete.all():
            return replace(self, cells=moved_out(self.cells, WHOLE_POINTS_SHIFT))
        is_moved = np.zeros(len(self.cells.offsets), dtype=np.bool_)
        for goal in self.goals:
            if goal.cover.cells is not None and goal.n_parts:
                start = int(self.cells.spans[goal.first_polyhedron, 0] - goal.cover.cells.spans[0, 0])
                is_limit = goal.cover.is_described_by_limits(discrete)
                is_moved[start : start + len(is_limit)] = is_limit
        offsets = np.where(is_moved, moved_out(self.cells, COLUMN_LIMITS_SHIFT).offsets, self.cells.offsets)
        return replace(self, cells=replace(self.cells, offsets=offsets))

    def with_rules(self, normals: FloatArray, offsets: FloatArray, discrete: BoolArray) -> SearchProblem:
        """Add the rules ``normals e <= offsets`` to the table of cells: once moved out, then moved in more and more.

        The boundary of a rule is itself a place to be, wherever what could move off it is fixed or whole: no bound may
        shut it out, so relaxations get the rules moved out by more than rounding (where ``discrete`` features alone are
        concerned, by far more: it costs nothing). Numbers that are solved for keep away from it, by as little as
        rounding needs. Points are checked against the rule as it is.
        """
        given = b"".join(array.tobytes() for array in (normals, offsets, discrete))
        return self._once("with_rules", given, lambda: self._with_rules(normals, offsets, discrete))

    def _with_rules(self, normals: FloatArray, offsets: FloatArray, discrete: BoolArray) -> SearchProblem:
        exact = ~(normals[:, ~discrete] != 0).any(axis=1)
        largest = np.abs(normals).max(axis=1, initial=0.0)
        typical = np.abs(self.coordinates.origin) + 10.0 / self.coordinates.stretch
        size = np.abs(offsets) + np.abs(normals) @ typical
        moved = [
            np.where(exact, WHOLE_RULES_SHIFT * largest, RULES_SHIFT * size),
            *(-RULES_INSIDE_SHARE * margin * size for margin in MARGINS),
        ]
        rules = [self.space.pack_polyhedra([(normals, offsets + shift)]) for shift in moved]
        return replace(self, cells=Cells.join([self.cells, *rules]), rules_at=self.cells.n_polyhedra)

    def with_polyhedra(self, polyhedra: list[tuple[FloatArray, FloatArray]]) -> Cells:
        """Return the table of cells with further polyhedra, half-spaces ``(A, b)`` of features, numbered on."""
        return Cells.join([self.cells, self.space.pack_polyhedra(polyhedra)])


def moved_out(cells: Cells, share: float) -> Cells:
    """Move half-spaces out by a share of their size."""
    size = np.abs(cells.offsets) + 100.0 * np.abs(cells.normals).max(axis=1, initial=0.0)
    return replace(cells, offsets=cells.offsets + share * size)


def compile_problem(parts: Sequence[tuple[Covered, Cones | None]], space: Space) -> SearchProblem:
    """Compile the cells of regions and their cones for rows in features.

    Parameters
    ----------
    parts : sequence of (region, or what else has a cover, and Cones or None), one pair a goal
        Regions are in model space. So are cones, unless the space says otherwise or there are categories: then they
        are about the features themselves, numeric ones and indicators.
    space : Space
    """
    goals, tables, first_polyhedron, first_cone = [], [space.pack_polyhedra([])], 0, 0
    for region, cones in parts:
        cover, cone_cells = region.cover(space), pack_cones(cones, space)
        goals.append(
            Goal(
                cover=cover,
                first_polyhedron=-1 if cover.cells is None else first_polyhedron,
                first_cone=-1 if cones is None else first_cone,
                n_cones=1 if cones is None else len(cones.radii),
                possible=_possible(cover, cones, space),
                cone_bounds=ConeBounds(cone_cells),
                squared_radii=np.empty(0) if cones is None else np.square(cones.radii),
                has_numbers=cones is None or cones.centres.shape[1] > 0,
            )
        )
        tables += [cone_cells] if cover.cells is None else [cover.cells, cone_cells]
        first_polyhedron += 0 if cover.cells is None else cover.cells.n_polyhedra
        first_cone += cone_cells.n_cones
    return SearchProblem(space, Cells.join(tables), tuple(goals))


def pack_cones(cones: Cones | None, space: Space) -> Cells:
    """Pack cones for the kernel, without polyhedra."""
    n = space.n_features
    if space.has_categories:
        packed = cones_with_categories(cones, space.group)
        packed = replace(packed, factors=space.in_steps(packed.factors))
    else:
        packed = cones_in_model_space(cones, *(space.cone_map or (space.matrix, space.offset)))
    return pack(
        space.coordinates,
        Polyhedra(np.empty((0, n)), np.empty(0), np.empty((0, 2), dtype=np.int64)),
        packed,
        space.kernel_group,
    )


def _possible(cover: Cover, cones: Cones | None, space: Space) -> BoolArray:
    n_cones = 1 if cones is None else len(cones.radii)
    possible = np.ones((n_cones, cover.n_parts), dtype=np.bool_)
    if cones is None or possible.size > MOST_CELLS_CHECKED or space.has_categories:
        return possible
    return cover.may_meet(cones)
