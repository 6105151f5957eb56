"""Three small methods anybody could write in an afternoon, to compare with.

- :func:`penalised`: loss plus penalty (Definition counterfactualexplanation), for any model with ``predict_proba``.
- :func:`nearest_row`: the nearest training row of the wanted class.
- :class:`DensityPaths`: the shortest path over a density-weighted graph on the training rows (the idea of FACE).

They return a point of shape (n_features,), or None where they find nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist

FloatArray = NDArray[np.float64]

STRENGTHS = tuple(10.0**power for power in (1, 0, -1, -2, -3, -4))
"""Regularisation strengths C of Definition 1, tried from strong to weak until the model agrees."""


def penalised(
    model: Any, x: FloatArray, index: int, *, scale: FloatArray | None = None, n_bisections: int = 6
) -> FloatArray | None:
    """Minimise ``-log p(target | x') + C |x' - x|_1`` (Eq. counterfactualoptproblem), C as large as it may be.

    C falls by tens until the model predicts the target, then is bisected (in its logarithm) towards the last one that
    was too large; of all valid points the nearest is returned.

    Parameters
    ----------
    model : classifier with predict_proba
    x : array of shape (n_features,)
    index : int
        Number of the wanted class in ``model.classes_``.
    scale : array of shape (n_features,), optional
        Typical size of a change of each feature, for step lengths only. The penalty is the plain Manhattan distance.
    """
    step = np.ones(len(x)) if scale is None else np.where(scale > 0.0, scale, 1.0)
    best: FloatArray | None = None

    def attempt(strength: float) -> bool:
        nonlocal best
        point = _minimum(model, x, index, strength, step)
        if model.predict_proba(point[None])[0].argmax() != index:
            return False
        if best is None or np.abs(point - x).sum() < np.abs(best - x).sum():
            best = point
        return True

    too_large = None
    for strength in STRENGTHS:
        if attempt(strength):
            break
        too_large = strength
    else:
        return None
    if too_large is not None:
        enough = strength
        for _ in range(n_bisections):
            middle = float(np.sqrt(too_large * enough))
            if attempt(middle):
                enough = middle
            else:
                too_large = middle
    return best


def _minimum(model: Any, x: FloatArray, index: int, strength: float, step: FloatArray) -> FloatArray:
    """Minimise the penalised loss for one C: quasi-Newton, and Powell's method where that does not move."""
    d = len(x)
    h = 1e-6 * step

    def loss(points: FloatArray) -> FloatArray:
        return -np.log(np.maximum(model.predict_proba(points)[:, index], 1e-300))

    def split(u: FloatArray) -> tuple[float, FloatArray]:
        # v = step (u+ - u-) with u >= 0 makes the Manhattan distance linear; forward differences in one batch.
        point = x + step * (u[:d] - u[d:])
        values = loss(np.vstack([point, point + np.diag(h)]))
        slope = step * (values[1:] - values[0]) / h
        cost = strength * np.concatenate([step, step])
        return float(values[0] + cost @ u), np.concatenate([slope, -slope]) + cost

    found = minimize(split, np.zeros(2 * d), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * (2 * d))
    point = x + step * (found.x[:d] - found.x[d:])
    if np.any(point != x) or loss(x[None])[0] == 0.0:
        return point

    def whole(u: FloatArray) -> float:
        return float(loss((x + step * u)[None])[0] + strength * np.abs(step * u).sum())

    # Flat where it stands, as a tree always is: line searches see over the edge of a leaf, derivatives do not.
    options = {"maxiter": 2, "xtol": 1e-3, "ftol": 1e-3}
    found = minimize(whole, np.zeros(d), method="Powell", bounds=[(-4.0, 4.0)] * d, options=options)
    return x + step * found.x


def nearest_row(x: FloatArray, rows: FloatArray, candidates: NDArray[np.bool_]) -> FloatArray | None:
    """Return the row nearest to ``x`` in Manhattan distance among the candidates.

    Parameters
    ----------
    x : array of shape (n_features,)
    rows : array of shape (n_rows, n_features)
    candidates : bool array of shape (n_rows,)
        True where a row has the wanted class and the model predicts it so.
    """
    if not candidates.any():
        return None
    allowed = rows[candidates]
    return allowed[np.abs(allowed - x).sum(axis=1).argmin()].copy()


class DensityPaths:
    """Walk from a row to a dense row of the wanted class, over short steps through dense country.

    Training rows are joined to their nearest neighbours (Manhattan). An edge costs its length times
    ``1 + highest - log p(midpoint)``, where ``highest`` is the largest log density on the graph: FACE's weight
    ``-log p`` times length, shifted so that it is positive in any unit. The answer is the end of the cheapest path.

    Parameters
    ----------
    rows : array of shape (n_rows, n_features)
    log_density : function of an array of shape (n_points, n_features)
    n_neighbours : int, default=20
    max_rows : int, default=3000
        A larger training set is thinned to this many rows, drawn with ``seed``.
    """

    def __init__(
        self,
        rows: FloatArray,
        log_density: Callable[[FloatArray], FloatArray],
        *,
        n_neighbours: int = 20,
        max_rows: int = 3_000,
        seed: int = 0,
    ) -> None:
        drawn = np.random.default_rng(seed).permutation(len(rows))[:max_rows]
        self.index = np.sort(drawn)
        self.rows, self.log_density = rows[self.index], log_density
        n = len(self.rows)
        self.n_neighbours = min(n_neighbours, n - 1)
        lengths = cdist(self.rows, self.rows, "cityblock")
        np.fill_diagonal(lengths, np.inf)
        near = np.argpartition(lengths, self.n_neighbours - 1, axis=1)[:, : self.n_neighbours]
        start, end = np.repeat(np.arange(n), self.n_neighbours), near.ravel()
        at_middle = log_density((self.rows[start] + self.rows[end]) / 2)
        self.highest = float(max(at_middle.max(), log_density(self.rows).max()))
        cost = self._cost(lengths[start, end], at_middle)
        self.graph = csr_matrix((cost, (start, end)), shape=(n, n))
        self.graph = self.graph.maximum(self.graph.T).tocsr()  # an edge in either direction serves both

    def _cost(self, lengths: FloatArray, log_density: FloatArray) -> FloatArray:
        # Equal rows lie at distance zero, which a sparse matrix would take for no edge.
        return np.maximum(lengths, 1e-12) * (1.0 + np.maximum(self.highest - log_density, 0.0))

    def end_of_path(self, x: FloatArray, candidates: NDArray[np.bool_]) -> FloatArray | None:
        """Return the candidate row that the cheapest path from ``x`` reaches; see :meth:`path`."""
        found = self.path(x, candidates)
        return None if found is None else found[-1].copy()

    def path(self, x: FloatArray, candidates: NDArray[np.bool_]) -> FloatArray | None:
        """Return the corners of the cheapest path from ``x`` to a candidate row, of shape (n_corners, n_features).

        Parameters
        ----------
        x : array of shape (n_features,)
        candidates : bool array of shape (n_rows,), for all rows given at first
            True where a row has the wanted class, is predicted so, and is dense enough.
        """
        is_end = candidates[self.index]
        if not is_end.any():
            return None
        lengths = np.abs(self.rows - x).sum(axis=1)
        near = np.argpartition(lengths, self.n_neighbours - 1)[: self.n_neighbours]
        first = self._cost(lengths[near], self.log_density((self.rows[near] + x) / 2))
        # The row itself as node number n, joined to its neighbours.
        n = len(self.rows)
        grown = self.graph.copy()
        grown.resize((n + 1, n + 1))
        grown = grown + csr_matrix((first, (np.full(len(near), n), near)), shape=(n + 1, n + 1))
        costs, before = dijkstra(grown, indices=n, return_predecessors=True)
        reached = np.where(is_end, costs[:n], np.inf)
        best = int(reached.argmin())
        if not np.isfinite(reached[best]):
            return None
        nodes = [best]
        while before[nodes[-1]] != n:
            nodes.append(int(before[nodes[-1]]))
        return np.vstack([x, self.rows[nodes[::-1]]])
