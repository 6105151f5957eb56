"""Best-first search over cells: numbers that may become anything, in regions of polyhedra that are known beforehand.

For each row: project onto every cone of its goal alone first (the model-free relaxation; the kernel does so by itself
where a goal has a single cell). If the model already decides for the outcome there, no cell of that cone can do better.
Otherwise that distance, and the closed-form distance to each part, bound the cells of the cone from below. Open nodes
are a dense table: right for millions of plain rows.
"""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..projection.cells import CUTOFF, INFEASIBLE
from .branch_and_bound.empty_nodes import SecondLook, is_doubtful
from .constants import TOLERANCE
from .driver import Search, distinct
from .ledger import Ledger, TimeLimit
from .problem import Goal, SearchProblem


def search_cells(
    problem: SearchProblem,
    rows: FloatArray,
    goals: IntArray,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-8,
    banned: BoolArray | None = None,
    use_region: bool = True,
    time_limit: TimeLimit = None,
) -> Ledger:
    """Search the nearest point of its goal for every row.

    Parameters
    ----------
    problem : SearchProblem
        None of its goals divides its region.
    rows : array of shape (n_samples, n_features)
    goals : int array of shape (n_samples,)
        Which goal of the problem each row has.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, most parts of a goal), optional
        Parts not to look into.
    use_region : bool
        False leaves the model out: the nearest point that is dense enough (Theorem 2).
    time_limit : float or array of shape (n_samples,), optional
        Seconds a row may take.
    """
    return _CellSearch(problem, rows, goals, cutoff, time_limit, margin, banned, use_region).run()


class _CellSearch(Search):
    """Open nodes of all rows: ``open[row, j, 0]`` is cone ``j`` alone, ``open[row, j, 1 + i]`` its cell ``(i, j)``.

    An entry is the node's lower bound, infinite where there is no such node or it is settled.
    """

    def __init__(
        self,
        problem: SearchProblem,
        rows: FloatArray,
        goals: IntArray,
        cutoff: FloatArray | None,
        time_limit: TimeLimit,
        margin: float,
        banned: BoolArray | None,
        use_region: bool,
    ) -> None:
        super().__init__(problem, rows, goals, use_region, cutoff, time_limit)
        n, self.margin = len(rows), margin
        self.second_look = SecondLook(problem.cells, sees_cones_alone=True)
        wanted = [(problem.goals[g], np.flatnonzero(goals == g)) for g in distinct(goals)]
        self.n_parts = max((goal.n_parts for goal, _ in wanted), default=0) if use_region else 0
        n_cones = max((goal.n_cones for goal, _ in wanted), default=0)
        self.first_cone = np.array([goal.first_cone for goal in problem.goals])[goals]
        self.first_polyhedron = np.array([goal.first_polyhedron for goal in problem.goals])[goals]
        # Under the Manhattan distance the kernel tries the cone of a cell by itself first.
        self.skips_relaxation = use_region and problem.coordinates.norm == 1
        self.one_cell = np.array([goal.is_one_cell and self.skips_relaxation for goal in problem.goals])[goals]
        # Distances to parts bound the cells; infinite where a row's goal has no such part.
        self.part_bounds = np.full((n, self.n_parts), np.inf)
        self.open = np.full((n, n_cones, 1 + self.n_parts), np.inf)
        for goal, rows_of_goal in wanted:
            self._start(goal, rows_of_goal, banned)
        self.flat = self.open.reshape(n, n_cones * (1 + self.n_parts))
        # Distance of the nearest projection onto a cone alone, and whether the incumbent is one.
        self.relaxed = np.full(n, np.inf)
        self.is_relaxed = np.zeros(n, dtype=np.bool_)

    def _start(self, goal: Goal, rows: IntArray, banned: BoolArray | None) -> None:
        """Open the first nodes of the rows of one goal."""
        plain, n_parts, n_cones = self.plain[rows], goal.n_parts, goal.n_cones
        nearest = np.zeros(len(rows))
        if self.use_region:
            bounds = goal.cover.bounds(self.rows[rows])
            if banned is not None:
                bounds[banned[rows, :n_parts]] = np.inf
            self.part_bounds[rows, :n_parts] = bounds
            nearest = bounds.min(axis=1, initial=np.inf)
        if goal.is_one_cell and self.skips_relaxation:
            self.open[rows, 0, 1] = np.maximum(goal.cone_bounds(plain)[:, 0], nearest)
        elif goal.has_density:  # cones the model never reaches are looked at too: they decide what is model-free
            self.open[rows, :n_cones, 0] = np.maximum(goal.cone_bounds(plain), nearest[:, None])
        else:
            self.open[rows, 0, 1:] = self.part_bounds[rows]

    def cheapest(self) -> FloatArray:
        """Smallest bound of each row's open nodes."""
        return np.asarray(self.flat.min(axis=1, initial=np.inf))

    def step(self, rows: IntArray) -> None:
        """Send the cheapest node of each of the rows to the kernel and take in the answers."""
        ledger, node = self.ledger, self.flat[rows].argmin(axis=1)
        cone, part = np.divmod(node, 1 + self.n_parts)
        alone = part == 0
        part -= 1
        polyhedra = np.full((len(rows), 2), -1)
        polyhedra[:, 0] = np.where(alone, -1, self.first_polyhedron[rows] + part)
        first_cone = self.first_cone[rows]
        cones = np.where(first_cone < 0, -1, first_cone + cone)
        batch = self.problem.cells.project(
            self.plain,
            rows,
            polyhedra,
            cones,
            cutoff=ledger.cutoff[rows],
            margin=np.full(len(rows), self.margin),
        )
        if is_doubtful(batch).any():
            batch, _ = self.second_look(self.plain[rows], polyhedra, cones, batch, margin=self.margin)
        ledger.n_projections[rows] += 1
        bound = np.maximum(batch.bound, self.flat[rows, node])
        bound[batch.status == INFEASIBLE] = np.inf
        self.flat[rows, node] = np.inf
        has_point = (batch.status != INFEASIBLE) & (batch.status != CUTOFF)
        if alone.any():
            projected = np.flatnonzero(alone & has_point)
            part[projected] = self._part_at(rows[projected], batch.v[projected], batch.value[projected])
            divided = projected[part[projected] < 0]
            self.relaxed[rows[divided]] = np.minimum(self.relaxed[rows[divided]], batch.value[divided])
            self._divide(rows[divided], cone[divided], bound[divided])
            has_point[divided] = False
            bound[divided] = np.inf  # its children carry the bound on
            if self.use_region:  # a cone in which rounding left no point, but that is not proven empty
                unknown = np.flatnonzero(alone & (batch.status == CUTOFF) & (bound < ledger.cutoff[rows]))
                if len(unknown):
                    self._divide(rows[unknown], cone[unknown], bound[unknown])
                    bound[unknown] = np.inf
        # A goal of one cell has no relaxation: if no half-space is active, the kernel has solved that of its cone.
        is_relaxed = alone | (self.one_cell[rows] & (batch.first_is_active == 0))
        solved = rows[is_relaxed & has_point]
        self.relaxed[solved] = np.minimum(self.relaxed[solved], batch.value[is_relaxed & has_point])
        ledger.settle(rows, bound)
        better = np.flatnonzero(has_point & (batch.value < ledger.cutoff[rows]))
        improved = rows[better]
        points = self.rows[improved] + self.problem.coordinates.differences(batch.v[better])
        ledger.offer(improved, batch.value[better], points, part[better], cone[better])
        self.is_relaxed[improved] = is_relaxed[better]

    def _part_at(self, rows: IntArray, V: FloatArray, value: FloatArray) -> IntArray:
        """Part of the region that holds each relaxed optimum with the margin to spare, -1 if none does."""
        if not self.use_region:
            return np.zeros(len(rows), dtype=np.int64)
        holds = np.full(len(rows), -1)
        coordinates = self.problem.coordinates
        plain = self.plain[rows] + V
        keep = self.margin * (value if coordinates.norm == 1 else np.sqrt(value))
        goals = self.goals[rows]
        for g in distinct(goals):
            goal, chosen = self.problem.goals[g], np.flatnonzero(goals == g)
            if goal.n_parts == 0:
                continue
            depth = goal.cover.depth(plain=plain[chosen])
            depth[np.isinf(self.part_bounds[rows[chosen], : goal.n_parts])] = -np.inf
            best = depth.argmax(axis=1)
            holds[chosen] = np.where(depth[np.arange(len(chosen)), best] > keep[chosen], best, -1)
        return holds

    def _divide(self, rows: IntArray, cone: IntArray, bound: FloatArray) -> None:
        """Open the cells of a cone whose relaxation was not enough."""
        cells = np.maximum(self.part_bounds[rows], bound[:, None])
        for g in distinct(self.goals[rows]):
            goal, chosen = self.problem.goals[g], np.flatnonzero(self.goals[rows] == g)
            possible = np.where(goal.possible[cone[chosen]], cells[chosen, : goal.n_parts], np.inf)
            self.open[rows[chosen], cone[chosen], 1 : 1 + goal.n_parts] = possible

    def is_model_free(self) -> BoolArray:
        """Whether the incumbent is the nearest of all projections onto cones alone."""
        unopened = self.open[:, :, 0].min(axis=1, initial=np.inf)  # cones a time limit left unseen could be nearer
        value = self.ledger.value
        return np.asarray(self.is_relaxed & (value <= self.relaxed) & (value * (1 - TOLERANCE) <= unopened))
