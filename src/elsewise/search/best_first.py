"""Best-first search over the cells of one outcome, wave by wave over many rows.

For each row: project onto every cone alone first (the model-free relaxation). If the model already decides for the
outcome there, no cell of that cone can do better. Otherwise that distance, and the closed-form distance to each
polyhedron, bound the cells of the cone from below. The cheapest open node goes to the kernel; a row is done when its
next bound is no better than what it holds. In each wave every unfinished row sends one node, all rows together. What a
row does depends on nothing but the row, so its answer has the same bits alone and in any batch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..projection.cells import INFEASIBLE, OPTIMAL, STALLED
from ..projection.coordinates import row_product
from .problem import SearchProblem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Nodes whose bound is within this relative distance of the incumbent cannot improve it noticeably.
_TOLERANCE = 1e-9


@dataclass(slots=True)
class Found:
    """Best point of each row and what is proven about it; arrays over rows.

    Attributes
    ----------
    value : array of shape (n_samples,)
        Distance of the best point, infinite if there is none.
    lower_bound : array of shape (n_samples,)
        No point of the outcome is nearer; infinite if all cells are proven empty.
    difference : array of shape (n_samples, n_plain)
        Best point minus row, in plain coordinates.
    cone, polyhedron : int arrays of shape (n_samples,)
        The cell of the best point; -1 where there is none.
    model_free : bool array of shape (n_samples,)
        The best point is the projection onto the cones alone.
    finished : bool array of shape (n_samples,)
        False where a time limit ended the proof.
    n_projections : int array of shape (n_samples,)
    """

    value: FloatArray
    lower_bound: FloatArray
    difference: FloatArray
    cone: IntArray
    polyhedron: IntArray
    model_free: NDArray[np.bool_]
    finished: NDArray[np.bool_]
    n_projections: IntArray


def best_first(
    problem: SearchProblem,
    X: FloatArray,
    *,
    cutoff: FloatArray | None = None,
    margin: float = 1e-8,
    banned: NDArray[np.bool_] | None = None,
    use_region: bool = True,
    time_limit: float | None = None,
) -> Found:
    """Search the nearest point of the outcome for every row.

    Parameters
    ----------
    problem : SearchProblem
    X : array of shape (n_samples, n_features)
        Rows in the user's features.
    cutoff : array of shape (n_samples,), optional
        Only points nearer than this are wanted.
    margin : float
        Relative distance to keep from the boundary of cells.
    banned : bool array of shape (n_samples, n_polyhedra), optional
        Polyhedra not to look into.
    use_region : bool
        False leaves the model out: the nearest point that is dense enough (Theorem 2).
    time_limit : float, optional
        Seconds a row may take for its proof. A row without a point yet goes on until it has one.
    """
    wave = _Wave(problem, X, cutoff, margin, banned, use_region)
    spent = np.zeros(len(X))
    while True:
        rows = wave.unfinished()
        if time_limit is not None:
            rows = rows[(spent[rows] < time_limit) | ~np.isfinite(wave.found.value[rows])]
        if len(rows) == 0:
            break
        started = time.perf_counter()
        wave.step(rows)
        spent[rows] += (time.perf_counter() - started) / len(rows)
    return wave.result()


class _Wave:
    """Open nodes of all rows. Column ``j * (1 + k)`` is cone ``j`` alone, ``j * (1 + k) + 1 + i`` its cell ``(i, j)``."""

    def __init__(
        self,
        problem: SearchProblem,
        X: FloatArray,
        cutoff: FloatArray | None,
        margin: float,
        banned: NDArray[np.bool_] | None,
        use_region: bool,
    ) -> None:
        n = len(X)
        self.problem, self.X, self.margin, self.use_region = problem, X, margin, use_region
        self.plain = problem.coordinates.points(X)
        self.limit = np.full(n, np.inf) if cutoff is None else cutoff.astype(np.float64)
        self.k, self.m = problem.region.n_polyhedra, problem.n_cones
        self.children = problem.polyhedron_bounds(self.plain) if use_region else np.zeros((n, 0))
        if banned is not None and use_region:
            self.children[banned] = np.inf
        self.open = np.full((n, self.m, 1 + self.k), np.inf)
        # Bounds of nodes already settled; what no node covers is empty, hence infinitely far.
        self.settled = np.full(n, np.inf)
        self.relaxed = np.full(n, np.inf)
        if problem.cones is None:
            self.open[:, 0, 1:] = np.where(problem.possible[:, 0], self.children, np.inf)
        else:
            nearest = self.children.min(axis=1, initial=np.inf) if use_region else np.zeros(n)
            reachable = problem.possible.any(axis=0) if use_region else np.ones(self.m, dtype=np.bool_)
            bounds = np.maximum(problem.cone_bounds(self.plain), nearest[:, None])
            self.open[:, :, 0] = np.where(reachable, bounds, np.inf)
        self.flat = self.open.reshape(n, -1)
        self.found = Found(
            value=np.full(n, np.inf),
            lower_bound=np.zeros(n),
            difference=np.zeros_like(self.plain),
            cone=np.full(n, -1),
            polyhedron=np.full(n, -1),
            model_free=np.zeros(n, dtype=np.bool_),
            finished=np.zeros(n, dtype=np.bool_),
            n_projections=np.zeros(n, dtype=np.int64),
        )

    def unfinished(self) -> IntArray:
        """Rows whose cheapest open node could still be better than what they hold."""
        if self.flat.shape[1] == 0:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.flat.min(axis=1) < self.limit * (1 - _TOLERANCE))

    def step(self, rows: IntArray) -> None:
        """Send the cheapest node of each of the rows to the kernel and take in the answers."""
        node = self.flat[rows].argmin(axis=1)
        j, i = np.divmod(node, 1 + self.k)
        i -= 1
        cones = j if self.problem.cones is not None else np.full(len(rows), -1)
        batch = self.problem.cells.project(
            self.plain,
            rows,
            np.column_stack([i, np.full(len(rows), -1)]),
            cones,
            cutoff=self.limit[rows],
            margin=np.full(len(rows), self.margin),
        )
        self.found.n_projections[rows] += 1
        bound = np.maximum(batch.bound, self.flat[rows, node])
        bound[batch.status == INFEASIBLE] = np.inf
        self.flat[rows, node] = np.inf
        has_point = (batch.status == OPTIMAL) | (batch.status == STALLED)

        relaxation = i < 0
        inside = np.full(len(rows), -1)
        if relaxation.any():
            at = np.flatnonzero(relaxation & has_point)
            self.relaxed[rows[at]] = np.minimum(self.relaxed[rows[at]], batch.value[at])
            inside[at] = self._polyhedron_at(rows[at], batch.v[at], batch.value[at])
            divided = at[inside[at] < 0]
            self._divide(rows[divided], j[divided], bound[divided])
            relaxation[divided] = False
            has_point[divided] = False
            bound[divided] = np.inf  # its children carry the bound on
        settled = np.minimum(self.settled[rows], bound)
        self.settled[rows] = settled
        better = np.flatnonzero(has_point & (batch.value < self.limit[rows]))
        at = rows[better]
        self.limit[at] = batch.value[better]
        self.found.value[at] = batch.value[better]
        self.found.difference[at] = batch.v[better]
        self.found.cone[at] = cones[better]
        self.found.polyhedron[at] = np.where(relaxation[better], inside[better], i[better])
        self.found.model_free[at] = relaxation[better]

    def _polyhedron_at(self, rows: IntArray, V: FloatArray, value: FloatArray) -> IntArray:
        """Polyhedron of the region that holds each relaxed optimum with the margin to spare, -1 if none does."""
        if not self.use_region:
            return np.zeros(len(rows), dtype=np.int64)
        if self.k == 0:
            return np.full(len(rows), -1)
        depth = self.problem.polyhedron_bounds.depth(self.plain[rows] + V)
        depth[self.children[rows] == np.inf] = -np.inf
        best = depth.argmax(axis=1)
        length = value if self.problem.coordinates.norm == 1 else np.sqrt(value)
        return np.where(depth[np.arange(len(rows)), best] > self.margin * length, best, -1)

    def _divide(self, rows: IntArray, j: IntArray, bound: FloatArray) -> None:
        """Open the cells of a cone whose relaxation was not enough."""
        cells = np.maximum(self.children[rows], bound[:, None])
        self.open[rows, j, 1:] = np.where(self.problem.possible.T[j], cells, np.inf)

    def result(self) -> Found:
        """Close the books: the proven bound is the smallest of settled and open nodes, at most the value."""
        found = self.found
        remaining = self.flat.min(axis=1, initial=np.inf)
        found.finished[:] = remaining >= self.limit * (1 - _TOLERANCE)
        found.lower_bound[:] = np.minimum(np.minimum(self.settled, remaining), found.value)
        found.model_free &= found.value <= self.relaxed
        return found
