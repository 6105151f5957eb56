"""Best-first search over cells, wave by wave over many rows.

For each row: project onto every cone of its goal alone first (the model-free relaxation; the kernel does so by itself
where a goal has a single cell). If the model already decides
for the outcome there, no cell of that cone can do better. Otherwise that distance, and the closed-form distance to each
polyhedron, bound the cells of the cone from below. The cheapest open node goes to the kernel; a row is done when its
next bound is no better than what it holds. In each wave every unfinished row sends one node, all rows together. What a
row does depends on nothing but the row, so its answer has the same bits alone and in any batch.
"""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..projection.cells import CUTOFF, INFEASIBLE
from .found import TOLERANCE, Found, until_proven, without_overflow
from .problem import Goal, SearchProblem
from .second_look import SecondLook, is_doubtful


def best_first(
    problem: SearchProblem,
    X: FloatArray,
    goal: IntArray,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-8,
    banned: BoolArray | None = None,
    use_region: bool = True,
    time_limit: float | None = None,
) -> Found:
    """Search the nearest point of its goal for every row.

    Parameters
    ----------
    problem : SearchProblem
    X : array of shape (n_samples, n_features)
        Rows in the user's features.
    goal : int array of shape (n_samples,)
        Which goal of the problem each row has.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, most polyhedra of a goal), optional
        Polyhedra not to look into.
    use_region : bool
        False leaves the model out: the nearest point that is dense enough (Theorem 2).
    time_limit : float, optional
        Seconds a row may take for its proof. A row without a point yet goes on until it has one.
    """
    return until_proven(_Waves(problem, X, goal, cutoff, margin, banned, use_region), time_limit)


class _Waves:
    """Open nodes of all rows: ``open[row, j, 0]`` is cone ``j`` alone, ``open[row, j, 1 + i]`` its cell ``(i, j)``.

    An entry is the node's lower bound, infinite where there is no such node or it is settled.
    """

    def __init__(
        self,
        problem: SearchProblem,
        X: FloatArray,
        goal: IntArray,
        cutoff: FloatArray | None,
        margin: float,
        banned: BoolArray | None,
        use_region: bool,
    ) -> None:
        n = len(X)
        self.problem, self.goal, self.margin, self.use_region = problem, goal, margin, use_region
        self.plain = problem.coordinates.points(X)
        self.second_look = SecondLook(problem.cells, sees_cones_alone=True)
        self.limit = np.full(n, np.inf) if cutoff is None else cutoff.astype(np.float64)
        self.groups = [(problem.goals[g], np.flatnonzero(goal == g)) for g in distinct(goal)]
        self.k = max((mine.n_polyhedra for mine, _ in self.groups), default=0) if use_region else 0
        m = max((mine.n_cones for mine, _ in self.groups), default=0)
        self.first_cone = np.array([mine.first_cone for mine in problem.goals])[goal]
        # Under the Manhattan distance the kernel tries the cone of a cell by itself first.
        self.skips_relaxation = use_region and problem.coordinates.norm == 1
        self.one_cell = np.array([mine.is_one_cell and self.skips_relaxation for mine in problem.goals])[goal]
        self.first_polyhedron = np.array([mine.first_polyhedron for mine in problem.goals])[goal]
        # Distances to polyhedra bound the cells; infinite where a row's goal has no such polyhedron.
        self.children = np.full((n, self.k), np.inf)
        self.open = np.full((n, m, 1 + self.k), np.inf)
        for mine, rows in self.groups:
            self._start(mine, rows, banned)
        self.flat = self.open.reshape(n, m * (1 + self.k))
        # Bounds of nodes already settled; what no node covers is empty, hence infinitely far.
        self.settled = np.full(n, np.inf)
        self.relaxed = np.full(n, np.inf)
        self.found = Found.nothing(X, self.plain.shape[1])
        self.X = X

    def _start(self, mine: Goal, rows: IntArray, banned: BoolArray | None) -> None:
        """Open the first nodes of the rows of one goal."""
        plain, k, m = self.plain[rows], mine.n_polyhedra, mine.n_cones
        nearest = np.zeros(len(rows))
        if self.use_region:
            bounds = mine.polyhedron_bounds(plain)
            if banned is not None:
                bounds[banned[rows, :k]] = np.inf
            self.children[rows, :k] = bounds
            nearest = bounds.min(axis=1, initial=np.inf)
        if mine.is_one_cell and self.skips_relaxation:
            self.open[rows, 0, 1] = np.maximum(mine.cone_bounds(plain)[:, 0], nearest)
        elif mine.has_density:  # cones the model never reaches are looked at too: they decide what is model-free
            self.open[rows, :m, 0] = np.maximum(mine.cone_bounds(plain), nearest[:, None])
        else:
            self.open[rows, 0, 1:] = self.children[rows]

    def unfinished(self) -> IntArray:
        """Rows whose cheapest open node could still be better than what they hold."""
        return np.flatnonzero(self.flat.min(axis=1, initial=np.inf) < self.limit * (1 - TOLERANCE))

    def step(self, rows: IntArray) -> None:
        """Send the cheapest node of each of the rows to the kernel and take in the answers."""
        node = self.flat[rows].argmin(axis=1)
        j, i = np.divmod(node, 1 + self.k)
        alone = i == 0
        i -= 1
        polyhedra = np.full((len(rows), 2), -1)
        polyhedra[:, 0] = np.where(alone, -1, self.first_polyhedron[rows] + i)
        first_cone = self.first_cone[rows]
        batch = self.problem.cells.project(
            self.plain,
            rows,
            polyhedra,
            np.where(first_cone < 0, -1, first_cone + j),
            cutoff=self.limit[rows],
            margin=np.full(len(rows), self.margin),
        )
        if is_doubtful(batch).any():
            cone = np.where(first_cone < 0, -1, first_cone + j)
            batch, _ = self.second_look(self.plain[rows], polyhedra, cone, batch, margin=self.margin)
        self.found.n_projections[rows] += 1
        bound = np.maximum(batch.bound, self.flat[rows, node])
        bound[batch.status == INFEASIBLE] = np.inf
        self.flat[rows, node] = np.inf
        has_point = (batch.status != INFEASIBLE) & (batch.status != CUTOFF)
        if alone.any():
            at = np.flatnonzero(alone & has_point)
            i[at] = self._polyhedron_at(rows[at], batch.v[at], batch.value[at])
            divided = at[i[at] < 0]
            self.relaxed[rows[divided]] = np.minimum(self.relaxed[rows[divided]], batch.value[divided])
            self._divide(rows[divided], j[divided], bound[divided])
            has_point[divided] = False
            bound[divided] = np.inf  # its children carry the bound on
            if self.use_region:  # a cone in which rounding left no point, but that is not proven empty
                unknown = np.flatnonzero(alone & (batch.status == CUTOFF) & (bound < self.limit[rows]))
                self._divide(rows[unknown], j[unknown], bound[unknown])
                bound[unknown] = np.inf
        # A goal of one cell has no relaxation: if no row presses, the kernel has solved that of its cone.
        free = alone | (self.one_cell[rows] & (batch.presses == 0))
        at = rows[free & has_point]
        self.relaxed[at] = np.minimum(self.relaxed[at], batch.value[free & has_point])
        self.settled[rows] = np.minimum(self.settled[rows], bound)
        better = np.flatnonzero(has_point & (batch.value < self.limit[rows]))
        at = rows[better]
        self.limit[at] = self.found.value[at] = batch.value[better]
        self.found.difference[at] = batch.v[better]
        self.found.polyhedron[at] = i[better]
        self.found.cone[at] = j[better]
        self.found.model_free[at] = free[better]

    def _polyhedron_at(self, rows: IntArray, V: FloatArray, value: FloatArray) -> IntArray:
        """Polyhedron of the region that holds each relaxed optimum with the margin to spare, -1 if none does."""
        if not self.use_region:
            return np.zeros(len(rows), dtype=np.int64)
        holds = np.full(len(rows), -1)
        points = self.plain[rows] + V
        keep = self.margin * (value if self.problem.coordinates.norm == 1 else np.sqrt(value))
        goals = self.goal[rows]
        for g in distinct(goals):
            mine = self.problem.goals[g]
            at = np.flatnonzero(goals == g)
            if mine.n_polyhedra == 0:
                continue
            depth = mine.polyhedron_bounds.depth(points[at])
            depth[np.isinf(self.children[rows[at], : mine.n_polyhedra])] = -np.inf
            best = depth.argmax(axis=1)
            holds[at] = np.where(depth[np.arange(len(at)), best] > keep[at], best, -1)
        return holds

    def _divide(self, rows: IntArray, j: IntArray, bound: FloatArray) -> None:
        """Open the cells of a cone whose relaxation was not enough."""
        cells = np.maximum(self.children[rows], bound[:, None])
        for g in distinct(self.goal[rows]):
            mine = self.problem.goals[g]
            at = np.flatnonzero(self.goal[rows] == g)
            possible = np.where(mine.possible[j[at]], cells[at, : mine.n_polyhedra], np.inf)
            self.open[rows[at], j[at], 1 : 1 + mine.n_polyhedra] = possible

    def result(self) -> Found:
        """Close the books: the proven bound is the smallest of settled and open nodes, at most the value."""
        found = self.found
        remaining = self.flat.min(axis=1, initial=np.inf)
        found.lower_bound[:] = np.minimum(np.minimum(self.settled, remaining), found.value)
        unopened = self.open[:, :, 0].min(axis=1, initial=np.inf)  # cones a time limit left unseen could be nearer
        found.model_free &= (found.value <= self.relaxed) & (found.value * (1 - TOLERANCE) <= unopened)
        without_overflow(found, self.plain, self.goal, self.problem, self.use_region)
        has_point = np.isfinite(found.value)
        found.points[has_point] = self.X[has_point] + self.problem.coordinates.differences(found.difference[has_point])
        return found


def distinct(goal: IntArray) -> list[int]:
    """Numbers of the goals that occur, ascending; cheaper than sorting."""
    return [int(g) for g in np.flatnonzero(np.bincount(goal))]
