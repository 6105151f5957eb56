"""What a search over cells asks about boxes: cells become limits of features, points become cells."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IntArray
from ...search import Inside
from .indexed import IndexedTrees
from .splits import DiagonalSplit

# Steps from the nearest dense point to the middle of the cone at which points to start from are looked for.
_STEPS = 33


class CellsInside:
    """Answers the kernel for one row, and keeps the best point.

    Parameters
    ----------
    trees : IndexedTrees
    inside : Inside
    row, lower, upper : arrays of shape (n_features,)
    inset : array of shape (n_cells,)
        How far from the ends of cells points are kept.
    margin : float
        Of scores.
    """

    def __init__(
        self,
        trees: IndexedTrees,
        inside: Inside,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        inset: FloatArray,
        margin: float,
    ) -> None:
        self.trees, self.inside, self.margin = trees, inside, margin
        self.row, self.lower, self.upper, self.inset = row, lower, upper, inset
        self.first = trees.first_cell[:-1]
        self.is_number = trees.is_number[self.first]
        self.numbers = trees.feature[self.first[self.is_number]]
        self.levels = np.flatnonzero(~trees.is_number)
        self.point: FloatArray | None = None
        self.value = np.inf

    def limits(self, low: IntArray, high: IntArray, levels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Limits of features in a box of cells."""
        trees, lower, upper = self.trees, self.lower.copy(), self.upper.copy()
        first, number = self.first[self.is_number], self.is_number
        lower[self.numbers] = np.maximum(lower[self.numbers], trees.low[first + low[number]])
        upper[self.numbers] = np.minimum(upper[self.numbers], trees.high[first + high[number]])
        indicators = trees.feature[self.levels]
        upper[indicators] = np.minimum(upper[indicators], levels[self.levels])
        return lower, upper

    def cells(self, points: FloatArray) -> IntArray:
        """Cells of points of shape (n, n_features), array of shape (n, n_vars)."""
        return self.trees.cells(points)

    def relax(
        self, low: IntArray, high: IntArray, levels: IntArray, limit: float
    ) -> tuple[float, IntArray | None, float, bool]:
        """Find the nearest point of a box but for the trees: bound, cells, distance if it is an answer, whether it is."""
        lower, upper = self.limits(low, high, levels)
        relaxed = self.inside.relax(lower, upper, limit)
        if relaxed.point is None or not relaxed.bound < limit:
            return relaxed.bound, None, np.inf, False
        cells = self.cells(relaxed.point[None])
        value = np.inf
        if self.trees.forest.accepts(cells, self.margin)[0]:
            value = self._offer(self.inside.candidates(relaxed, lower, upper), lower, upper)
        return relaxed.bound, cells[0], value, relaxed.is_whole and value < np.inf

    def finish(self, low: IntArray, high: IntArray, levels: IntArray, limit: float) -> tuple[float, float]:
        """Find the nearest answer of a box that the trees accept: bound and distance."""
        lower, upper = self.limits(low, high, levels)
        bound, point = self.inside.finish(lower, upper, limit)
        return bound, np.inf if point is None else self._offer(point[None], lower, upper)

    def starts(self, split: DiagonalSplit | None, limit: float) -> IntArray:
        """Cells of points to start from: on the way from the nearest dense point to the middle of the cone."""
        nearest, cone = self.inside.relax(self.lower, self.upper, limit).point, self.inside.cone
        if nearest is None or cone is None or split is None:
            return np.zeros((0, self.trees.n_vars), dtype=np.int32)
        middle = nearest.copy()
        middle[cone.numbers] = np.clip(
            self.row[cone.numbers] + cone.centre / self.trees.price[cone.numbers],
            self.lower[cone.numbers],
            self.upper[cone.numbers],
        )
        way = nearest + np.linspace(0.0, 1.0, _STEPS)[:, None] * (middle - nearest)
        cells = self.cells(way)
        accepted = np.flatnonzero(self.trees.forest.accepts(cells, self.margin))
        return cells[accepted[[0, -1]]] if len(accepted) else cells[:0]

    def _offer(self, points: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
        """Keep the best of points that are answers; give the best distance of them."""
        points = self._moved_in(points, lower, upper)
        good = self.trees.forest.accepts(self.cells(points), self.margin)
        good[good] = self.inside.holds(points[good])
        if not good.any():
            return np.inf
        values = np.where(good, self.inside.values(points), np.inf)
        best = int(values.argmin())
        if values[best] < self.value:
            self.value, self.point = float(values[best]), points[best]
        return float(values[best])

    def _moved_in(self, points: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Keep numbers away from the ends of boxes where the model sees them rounded."""
        inset = self.inset
        if not inset.any():
            return points
        numbers, moved = self.numbers, points.copy()
        middle = lower[numbers] + (upper[numbers] - lower[numbers]) / 2
        low = np.where(np.isfinite(lower[numbers]), np.fmin(lower[numbers] + inset[numbers], middle), -np.inf)
        high = np.where(np.isfinite(upper[numbers]), np.fmax(upper[numbers] - inset[numbers], middle), np.inf)
        stays = points[:, numbers] == self.row[numbers]
        moved[:, numbers] = np.where(stays, points[:, numbers], np.clip(points[:, numbers], low, high))
        return moved

