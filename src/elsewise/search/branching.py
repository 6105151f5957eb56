"""Best-first search over cells and boxes: whole numbers, categories, few changes, answers that differ.

A node is a cell (a cone, a polyhedron or none) with a box of features. The kernel solves its relaxation; rounding gives
candidates; a node that may still hold something better is divided. Every row has a heap of its own and sends its
cheapest nodes, all rows together, to the kernel. What a row does depends on nothing but the row, so its answer has the
same bits alone and in any batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .answered import Answered, cells_at
from .candidates import Candidates
from .division import Division
from .domain import Domain
from .found import TOLERANCE, Found, until_proven, without_overflow
from .nodes import Heaps, Nodes
from .problem import MARGINS, SearchProblem
from .relaxation import Relaxation, Relaxed

# Nodes a row sends at once, after so many waves: one by one while the tree is small, more when it is not.
_MOST_AT_ONCE, _WAVES_A_NODE = 8, 4
# Polyhedra tried, nearest first, when everything discrete is fixed but it is open which one.
_DIVES = 4
# Numbers that move by less than this stay where they are, if they may.
_STILL = 1e-8
# Times an incumbent is improved by taking changes back.
_MOST_IMPROVEMENTS = 10
# Nodes of a row after which its proof is given up.
_MOST_NODES = 100_000


def branch_and_bound(
    problem: SearchProblem,
    E: FloatArray,
    goal: IntArray,
    domain: Domain,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-9,
    banned: BoolArray | None = None,
    refused: Sequence[Sequence[FloatArray]] | None = None,
    answered: Sequence[Sequence[Answered]] | None = None,
    use_region: bool = True,
    time_limit: float | None = None,
) -> Found:
    """Search the nearest point of its goal within its domain for every row.

    Parameters
    ----------
    problem : SearchProblem
    E : array of shape (n_samples, n_features)
    goal : int array of shape (n_samples,)
    domain : Domain
        Of the same rows.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, most polyhedra of a goal), optional
        Polyhedra not to look into.
    refused : sequence of sequences of points, optional
        Points of each row that are known not to be answers.
    answered : sequence of sequences of Answered, optional
        Earlier answers of each row.
    use_region : bool
        False leaves the model out.
    time_limit : float, optional
        Seconds a row may take for its proof. A row without a point yet goes on until it has one.
    """
    tree = _Tree(problem, E, goal, domain, cutoff, margin, banned, refused, answered, use_region)
    return until_proven(tree, time_limit)


class _Tree:
    """Open nodes and incumbents of all rows of a batch."""

    def __init__(
        self,
        problem: SearchProblem,
        E: FloatArray,
        goal: IntArray,
        domain: Domain,
        cutoff: FloatArray | None,
        margin: float,
        banned: BoolArray | None,
        refused: Sequence[Sequence[FloatArray]] | None,
        answered: Sequence[Sequence[Answered]] | None,
        use_region: bool,
    ) -> None:
        n, n_features = E.shape
        self.problem, self.E, self.goal, self.domain, self.use_region = problem, E, goal, domain, use_region
        self.refused = refused if refused is not None else [()] * n
        self.answered = answered if answered is not None else [()] * n
        self.has_history = any(self.refused) or any(self.answered)
        self.all_discrete = bool(domain.discrete.all())
        self.limit = np.full(n, np.inf) if cutoff is None else cutoff.astype(np.float64)
        # Bounds of nodes already settled; what no node covers is empty, hence infinitely far.
        self.settled = np.full(n, np.inf)
        # Nothing in a cone is nearer, whatever the model says.
        self.model_free_bounds = np.full((n, max((mine.n_cones for mine in problem.goals), default=0)), np.inf)
        self.waves = np.zeros(n, dtype=np.int64)
        self.found = Found.nothing(E, n_features)
        self.candidates = Candidates(problem, E, goal, domain, margin, use_region, banned)
        self.relaxation = Relaxation(problem, E, goal, domain, margin, use_region)
        self.cell_bounds = self._cell_bounds(banned)
        self.division = Division(problem, E, goal, domain, self.relaxation, self.cell_bounds, self.answered, use_region)
        self.heaps = Heaps(n, n_features, domain.layout.n_columns)
        self._start()

    def _cell_bounds(self, banned: BoolArray | None) -> FloatArray:
        """Lower bounds of the distances to the polyhedra of each row's goal; infinite where there is none."""
        bounds = np.full((len(self.E), max((mine.n_polyhedra for mine in self.problem.goals), default=0)), np.inf)
        for g in np.unique(self.goal).tolist() if self.use_region else ():
            mine, rows = self.problem.goals[g], np.flatnonzero(self.goal == g)
            closed_form = mine.polyhedron_bounds(self.problem.coordinates.points(self.E[rows]))
            boxes = mine.boxes.bounds(self.E[rows], self.relaxation.prices, self.domain.integer)
            bounds[rows, : mine.n_polyhedra] = np.maximum(closed_form, boxes)
        if banned is not None:
            bounds[banned] = np.inf
        return bounds

    def _start(self) -> None:
        """Open the cones of every row, or its polyhedra where there is no density."""
        for g in np.unique(self.goal).tolist():
            mine, rows = self.problem.goals[g], np.flatnonzero(self.goal == g)
            n, nearest = len(rows), np.zeros(len(rows))
            if self.use_region:
                nearest = self.cell_bounds[rows].min(axis=1, initial=np.inf)
            counted = np.zeros((n, self.domain.layout.n_columns), dtype=np.bool_)
            lower, upper = self.domain.lower[rows], self.domain.upper[rows]
            everything = Nodes(rows, nearest, np.zeros(n, dtype=np.int64), np.full(n, -1), lower, upper, counted)
            if not mine.has_density and self.use_region:
                for cells in self.division.cells(everything):
                    self._push(cells)
                continue
            bounds = np.zeros((n, 1))
            if mine.has_density:
                bounds = mine.cone_bounds(self.problem.coordinates.points(self.E[rows]))
                self.model_free_bounds[rows, : mine.n_cones] = bounds
            for j in range(mine.n_cones):
                self._push(everything.children(bounds=np.maximum(nearest, bounds[:, j]), cone=np.full(n, j)))

    def _push(self, nodes: Nodes) -> None:
        """Open nodes that are not empty and may hold something better."""
        keep = np.isfinite(nodes.bounds) & (nodes.lower <= nodes.upper).all(axis=1)
        keep &= (self.relaxation.levels_left(nodes.upper) > 0).all(axis=1)
        if self.domain.max_changes is not None:
            keep &= self._fix_the_rest(nodes, self.domain.max_changes)
        worth = nodes.bounds < self.limit[nodes.rows] * (1 - TOLERANCE)
        np.minimum.at(self.settled, nodes.rows[keep & ~worth], nodes.bounds[keep & ~worth])
        self.heaps.push(nodes.some(keep & worth))

    def _fix_the_rest(self, nodes: Nodes, most: int) -> BoolArray:
        """Keep all other columns as they are where the changes are used up; tell which nodes need no more than allowed.

        Columns whose own value is outside of the box have to change.
        """
        layout, own = self.domain.layout, self.E[nodes.rows]
        outside = (own < nodes.lower) | (own > nodes.upper)
        nodes.counted[:] |= np.logical_or.reduceat(outside, layout.starts, axis=1)
        total = nodes.counted.sum(axis=1)
        fixed = (total >= most)[:, None] & ~nodes.counted[:, layout.column]
        nodes.lower[fixed], nodes.upper[fixed] = own[fixed], own[fixed]
        return np.asarray(total <= most)

    def unfinished(self) -> IntArray:
        """Rows whose cheapest open node could still be better than what they hold."""
        open_nodes = self.heaps.cheapest() < self.limit * (1 - TOLERANCE)
        return np.flatnonzero(open_nodes & (self.found.n_projections < _MOST_NODES))

    def step(self, rows: IntArray) -> None:
        """Send the cheapest nodes of each of the rows to the kernel and take in the answers."""
        most = np.minimum(1 + self.waves[rows] // _WAVES_A_NODE, _MOST_AT_ONCE)
        self.waves[rows] += 1
        nodes = self.heaps.pop(rows.tolist(), most.tolist(), (self.limit[rows] * (1 - TOLERANCE)).tolist())
        lost = self.relaxation.own_level_is_out(nodes)
        at = np.flatnonzero(lost.any(axis=1))
        if len(at):
            self._push(Nodes.join(list(self.division.levels(nodes.some(at), lost[at].argmax(axis=1)))))
            nodes = nodes.some(np.flatnonzero(~lost.any(axis=1)))
        if len(nodes) == 0:
            return
        relaxed = self._relax(nodes)
        nodes = nodes.children(bounds=np.maximum(nodes.bounds, relaxed.proven))
        alone = (nodes.polyhedron < 0) & self.use_region
        solved = (nodes.rows[alone], nodes.cone[alone])
        self.model_free_bounds[solved] = np.maximum(self.model_free_bounds[solved], relaxed.proven[alone])
        self._round(nodes, relaxed)
        worth = nodes.bounds < self.limit[nodes.rows] * (1 - TOLERANCE)
        closed = ~worth | self._is_known(nodes, worth & self.division.is_done(nodes, relaxed))
        np.minimum.at(self.settled, nodes.rows[closed], nodes.bounds[closed])
        nodes, relaxed = nodes.some(~closed), relaxed.some(~closed)
        if len(nodes):
            children = list(self.division.divide(nodes, relaxed, self.limit[nodes.rows]))
            if children:
                self._push(Nodes.join(children))

    def _relax(self, nodes: Nodes, *, inside: int | None = None) -> Relaxed:
        np.add.at(self.found.n_projections, nodes.rows, 1)
        return self.relaxation.solve(nodes, self.limit[nodes.rows], inside=inside)

    def _is_known(self, nodes: Nodes, done: BoolArray) -> BoolArray:
        """Close nodes in which nothing is left to divide; a single point that does not hold is empty for good."""
        if self.all_discrete and done.any():
            at = np.flatnonzero(done)
            points = nodes.lower[at]
            points[:, self.relaxation.indicators] = nodes.upper[at][:, self.relaxation.indicators]
            checked = self.candidates.check(nodes.rows[at], points)
            new = self._is_new(nodes.rows[at], points)
            nodes.bounds[at[~(checked.holds & new)]] = np.inf
        return done

    def _round(self, nodes: Nodes, relaxed: Relaxed) -> None:
        """Look for better incumbents around relaxed points."""
        at = np.flatnonzero(relaxed.has_point)
        if self.all_discrete:
            made = self.candidates.around(nodes.rows[at], relaxed.points[at], relaxed.fractions[at])[1]
            self._offer(np.repeat(nodes.rows[at], made.shape[1]), made.reshape(-1, self.E.shape[1]))
            return
        # With numbers left to solve for, each try is a projection: where all is whole, and now and then.
        waves = self.waves[nodes.rows]
        often = ((waves & (waves - 1)) == 0) | ~np.isfinite(self.limit[nodes.rows])
        at = at[(~(relaxed.fractions > 0).any(axis=1) | often)[at]]
        if len(at) == 0:
            return
        discrete = self.domain.discrete
        fixed = self.candidates.around(nodes.rows[at], relaxed.points[at], relaxed.fractions[at])[0][:, discrete]
        tries = nodes.some(at)
        inside = ((fixed >= tries.lower[:, discrete]) & (fixed <= tries.upper[:, discrete])).all(axis=1)
        tries.lower[:, discrete] = tries.upper[:, discrete] = fixed
        points = relaxed.points[at]
        points[:, discrete] = fixed  # rules may hold with equality there: it may be the answer as it is
        whole = inside & ~(relaxed.fractions[at] > 0).any(axis=1)
        self._offer(tries.rows[whole], points[whole])
        self._dive(tries.some(np.flatnonzero(inside)))

    def _dive(self, nodes: Nodes) -> None:
        """Solve for the numbers where everything discrete is fixed; for a cone alone, in the nearest few polyhedra."""
        alone = np.asarray((nodes.polyhedron < 0) & self.use_region)
        self._try(nodes.some(~alone))
        nodes = nodes.some(alone)
        nearest = np.argsort(self.cell_bounds[nodes.rows], axis=1, kind="stable")[:, :_DIVES]
        for place in range(nearest.shape[1]):
            there = np.isfinite(self.cell_bounds[nodes.rows, nearest[:, place]])
            self._try(nodes.children(polyhedron=nearest[:, place]).some(there))

    def _try(self, nodes: Nodes) -> None:
        for inside in range(len(MARGINS)):  # until rounding leaves the user's rules alone
            if len(nodes) == 0:
                return
            relaxed = self._relax(nodes, inside=inside)
            rows, points = nodes.rows[relaxed.has_point], relaxed.points[relaxed.has_point]
            still = np.abs(points - self.E[rows]) * self.relaxation.prices < _STILL
            self._offer(rows, np.where(still, self.E[rows], points))  # keeping away from a rule moved nothing real
            self._offer(rows, points)
            nodes = nodes.some(relaxed.has_point & ~self.domain.keeps_rules(relaxed.points))

    def _offer(self, rows: IntArray, points: FloatArray) -> None:
        """Take the best of the points that hold as incumbents, and improve them by taking changes back."""
        for _ in range(_MOST_IMPROVEMENTS):
            values = self.candidates.values(rows, points)
            at = np.flatnonzero(values < self.limit[rows] * (1 - TOLERANCE))
            if len(at) == 0:
                return
            rows, points, values = rows[at], points[at], values[at]
            checked = self.candidates.check(rows, points)
            good = np.flatnonzero(checked.holds & self._is_new(rows, points))
            if len(good) == 0:
                return
            order = good[np.lexsort((values[good], rows[good]))]
            best = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
            self._hold(rows[best], points[best], values[best], checked.polyhedron[best], checked.cone[best])
            if not self.all_discrete:
                return
            rows, points = self.candidates.neighbours(rows[best], points[best])

    def _is_new(self, rows: IntArray, points: FloatArray) -> BoolArray:
        """Whether points are neither refused nor the same as an earlier answer."""
        new = np.ones(len(rows), dtype=np.bool_)
        if not self.has_history:
            return new
        for k, row in enumerate(rows.tolist()):
            for point in self.refused[row]:
                new[k] &= bool((points[k] != point).any())
            if not new[k] or not self.answered[row]:
                continue
            changed = self.domain.layout.changed(self.E[row], points[k])
            polyhedra, cones = cells_at(self.problem, int(self.goal[row]), points[[k]], use_region=self.use_region)
            free = np.logical_and.outer(polyhedra[0], cones[0])  # cells in which no earlier answer is in the way
            for earlier in self.answered[row]:
                if changed[earlier.columns].all():
                    free &= ~np.logical_and.outer(earlier.polyhedra, earlier.cones)
            new[k] = free.any()
        return new

    def _hold(
        self, rows: IntArray, points: FloatArray, values: FloatArray, polyhedron: IntArray, cone: IntArray
    ) -> None:
        found = self.found
        self.limit[rows] = found.value[rows] = values
        found.points[rows], found.polyhedron[rows], found.cone[rows] = points, polyhedron, cone

    def result(self) -> Found:
        """Close the books: the proven bound is the smallest of settled and open nodes, at most the value."""
        found = self.found
        found.timed_out |= found.n_projections >= _MOST_NODES
        remaining = self.heaps.cheapest()
        found.lower_bound[:] = np.minimum(np.minimum(self.settled, remaining), found.value)
        without_overflow(found, self.problem.coordinates.points(self.E), self.goal, self.problem, self.use_region)
        # As near as the relaxation without the model: nothing dense enough is nearer, whatever the model says.
        nearest = self.model_free_bounds.min(axis=1, initial=np.inf)
        has_density = np.array([goal.has_density for goal in self.problem.goals])[self.goal]
        found.model_free[:] = has_density & (found.value * (1 - 1e-8) <= nearest) & np.isfinite(found.value)
        return found
