"""What a search over cells asks about boxes: cells become limits of features, points become cells."""

from __future__ import annotations

import time

import numpy as np

from ....arrays import FloatArray, IntArray
from ... import BoxRequest, Inside, RowCone
from ...constants import GRACE, SAME_PLACE
from .indexed import IndexedTrees
from .splits import DiagonalSplit

# Distances from here on stand for none.
NO_LIMIT = 1e300
# Points all over a cone, steps between them and the nearest one, and how many of them a search starts from.
SAMPLES, STEPS, LEAST_STEP, STARTS = 256, 17, 1e-4, 8
# Seconds for the nearest answer of a cone but for the trees, where time is limited: it usually takes some milliseconds.
SECONDS_IN_CONE = 0.1
# As long as no answer is known: boxes whose nearest dense point is accepted that are searched for one that keeps
# everything else, too. Each costs some projections.
FIRST_TRIES = 100


class CellsInside:
    """Answers the kernel for one row, and keeps the best point.

    Parameters
    ----------
    trees : IndexedTrees
    inside : Inside
    box : BoxRequest
    inset : array of shape (n_cells,)
        How far from the ends of cells points are kept.
    margin : float
        Of scores.
    """

    def __init__(
        self,
        trees: IndexedTrees,
        inside: Inside,
        box: BoxRequest,
        inset: FloatArray,
        margin: float,
    ) -> None:
        self.integers, self.is_integer = np.flatnonzero(box.integer), box.integer
        self.trees, self.inside, self.margin = trees, inside, margin
        self.box, self.row, self.lower, self.upper, self.inset = box, box.row, box.lower, box.upper, inset
        self.first = trees.first_cell[:-1]
        self.is_number = trees.is_number[self.first]
        self.numbers = trees.feature[self.first[self.is_number]]
        self.levels = np.flatnonzero(~trees.is_number)
        self.point: FloatArray | None = None
        self.value = np.inf
        self.ends = np.inf  # by time.perf_counter()
        self.tries_left = FIRST_TRIES
        self.is_answered = False  # elsewhere

    @property
    def is_late(self) -> bool:
        """Whether time is over."""
        return time.perf_counter() > self.ends + (GRACE if self._needs_any else 0.0)

    @property
    def _needs_any(self) -> bool:
        """Whether no answer is known at all."""
        return self.point is None and not self.is_answered

    def limits(self, low: IntArray, high: IntArray, levels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Limits of features in a box of cells."""
        trees, lower, upper = self.trees, self.lower.copy(), self.upper.copy()
        first, number = self.first[self.is_number], self.is_number
        lower[self.numbers] = np.maximum(lower[self.numbers], trees.low[first + low[number]])
        upper[self.numbers] = np.minimum(upper[self.numbers], trees.high[first + high[number]])
        indicators = trees.feature[self.levels]
        upper[indicators] = np.minimum(upper[indicators], levels[self.levels])
        features = self.integers
        lower[features], upper[features] = self.whole_ends(lower[features], upper[features], features)
        return lower, upper

    def whole_ends(self, low: FloatArray, high: FloatArray, feature: IntArray) -> tuple[FloatArray, FloatArray]:
        """Narrow intervals of features, arrays of shape (n,), to the whole numbers in them and the row's own values."""
        own, is_whole = self.row[feature], self.is_integer[feature]
        first, last = np.ceil(low), np.floor(high)
        first = np.where((own >= low) & (own <= high), np.minimum(own, first), first)
        last = np.where((own >= low) & (own <= high), np.maximum(own, last), last)
        return np.where(is_whole, first, low), np.where(is_whole, last, high)

    def cells(self, points: FloatArray) -> IntArray:
        """Cells of points of shape (n, n_features), array of shape (n, n_vars)."""
        return self.trees.cells(points)

    def relax(
        self, low: IntArray, high: IntArray, levels: IntArray, limit: float
    ) -> tuple[float, IntArray | None, FloatArray | None, float, bool]:
        """Find the nearest point of a box but for the trees.

        Returns
        -------
        bound : float
            NaN where time is over.
        cells : int32 array of shape (n_vars,), or None
        moves : array of shape (n_numbers,), or None
            By how much numbers move, in units of the distance.
        value : float
            Distance of an answer that is made of it, infinite if there is none.
        is_nearest : bool
            It is the point itself.
        """
        if self.is_late:
            return np.nan, None, None, np.inf, False
        lower, upper = self.limits(low, high, levels)
        limit = limit if limit < NO_LIMIT else np.inf
        relaxed = self.inside.relax(lower, upper, limit)
        if relaxed.point is None or not relaxed.bound < limit:
            return relaxed.bound, None, None, np.inf, False
        cells = self.cells(relaxed.point[None])
        value = np.inf
        if self.trees.forest.accepts(cells, self.margin)[0]:
            value = self._offer(self.inside.candidates(relaxed, lower, upper), lower, upper)
            if self._needs_any and self.tries_left:  # whole points of a thin cone are not found by rounding
                self.tries_left -= 1
                _, point = self.inside.finish(lower, upper, limit, self.ends - time.perf_counter())
                value = np.inf if point is None else self._offer(point[None], lower, upper)
        moves = (relaxed.point - self.row)[self.numbers] * self.trees.price[self.numbers]
        # an answer next to a point that breaks a rule is not the nearest of the box
        farthest = self.inside.values(relaxed.point[None])[0] * (1 + SAME_PLACE)
        return relaxed.bound, cells[0], moves, value, relaxed.is_whole and bool(value <= farthest)

    def finish(self, low: IntArray, high: IntArray, levels: IntArray, limit: float) -> tuple[float, float]:
        """Find the nearest answer of a box that the trees accept: bound, NaN where time is over, and distance."""
        if self.is_late:
            return np.nan, np.inf
        lower, upper = self.limits(low, high, levels)
        limit = limit if limit < NO_LIMIT else np.inf
        bound, point = self.inside.finish(lower, upper, limit, self.ends - time.perf_counter())
        return bound, np.inf if point is None else self._offer(point[None], lower, upper)

    def starts(self, split: DiagonalSplit | None) -> IntArray:
        """Cells of points to start from, array of shape (n, n_vars).

        A cone is convex: everything between its nearest point and another one of it is in it. Of points all over the
        cone that the trees accept, those are taken whose way to the nearest one is accepted farthest.
        """
        nearest, cone = self.inside.whole.point, self.inside.cone
        if nearest is None or cone is None or split is None:
            return np.zeros((0, self.trees.n_vars), dtype=np.int32)
        numbers, price = cone.numbers, self.trees.price[cone.numbers]
        others = np.repeat(nearest[None], 1 + SAMPLES, axis=0)
        moves = cone.centre + np.vstack([np.zeros(len(numbers)), _spread(split, cone.squared_radius)])
        others[:, numbers] = np.clip(self.row[numbers] + moves / price, self.lower[numbers], self.upper[numbers])
        steps = np.append(0.0, np.geomspace(LEAST_STEP, 1.0, STEPS - 1))[:, None, None]
        ways = nearest + steps * (others - nearest)  # (steps, samples, features)
        cells = self.cells(ways.reshape(-1, len(nearest)))
        accepted = self.trees.forest.accepts(cells, self.margin).reshape(STEPS, -1)
        found = np.flatnonzero(accepted.any(axis=0))
        first = accepted[:, found].argmax(axis=0)
        values = self.inside.values(ways[first, found])
        best = np.argsort(values, kind="stable")[:STARTS]
        if self.inside.pieces is not None and np.isfinite(self.ends):
            self._offer_densest_box(split, others[0], cone)
        return np.asarray(cells.reshape(STEPS, len(others), -1)[first[best], found[best]])

    def _offer_densest_box(self, split: DiagonalSplit, centre: FloatArray, cone: RowCone) -> None:
        """Look for the nearest answer of the box around a cone but for the trees: they may well accept it.

        Rounding hardly makes points that keep rules of many columns; a short search finds one. Without a limit of time
        nothing depends on having a point early.
        """
        lower, upper, numbers = self.lower.copy(), self.upper.copy(), cone.numbers
        reach = split.half_widths * np.sqrt(cone.squared_radius) / self.trees.price[numbers]
        lower[numbers] = np.maximum(lower[numbers], np.ceil(centre[numbers] - reach))
        upper[numbers] = np.minimum(upper[numbers], np.floor(centre[numbers] + reach))
        seconds = min(SECONDS_IN_CONE, self.ends - time.perf_counter())
        if seconds > 0.0 and (lower <= upper).all():
            point = self.inside.finish(lower, upper, np.inf, seconds)[1]
            if point is not None:
                self._offer(point[None], lower, upper)

    def _offer(self, points: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
        """Keep the best of points that are answers; give its distance, infinite if it is farther than the one kept."""
        points = self._moved_in(points, lower, upper)
        values = self.inside.values(points)
        near = values <= self.value * (1 + SAME_PLACE)  # what is farther than the best one is of no use
        points, values = points[near], values[near]
        good = self.trees.forest.accepts(self.cells(points), self.margin)
        good[good] = self.inside.holds(points[good])
        if not good.any():
            return np.inf
        values = np.where(good, values, np.inf)
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
        with np.errstate(invalid="ignore"):  # boxes may be infinitely wide
            middle = lower[numbers] + (upper[numbers] - lower[numbers]) / 2
        low = np.where(np.isfinite(lower[numbers]), np.fmin(lower[numbers] + inset[numbers], middle), -np.inf)
        high = np.where(np.isfinite(upper[numbers]), np.fmax(upper[numbers] - inset[numbers], middle), np.inf)
        stays = points[:, numbers] == self.row[numbers]
        moved[:, numbers] = np.where(stays, points[:, numbers], np.clip(points[:, numbers], low, high))
        return moved


def _spread(split: DiagonalSplit, squared_radius: float) -> FloatArray:
    """Points all over the ellipsoid ``y'Py <= r^2``, the same for every row, array of shape (n_samples, n)."""
    n = len(split.P)
    directions = np.random.default_rng(0).standard_normal((SAMPLES, n))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    lengths = np.linspace(1.0, 0.2, SAMPLES)[:, None]
    return np.asarray(
        np.linalg.solve(np.linalg.cholesky(split.P).T, (lengths * directions).T).T * np.sqrt(squared_radius)
    )
