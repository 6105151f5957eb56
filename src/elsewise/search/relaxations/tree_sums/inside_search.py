"""The search of a sum of trees in one ellipsoid, or with rules: what the kernel is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....arrays import FloatArray, IntArray
from ... import BoxAnswer, Inside, RowCone
from ...constants import GRACE
from .deepening import MOST_BOXES, TOLERANCE
from .inside import CellsInside
from .ruled_cells import CellRules, ends_in_cells
from .splits import DiagonalSplit

# Rounding of a scaled number, relative to its terms: subtraction, division, and what is left of the exact map.
MAP_ROUNDING = 32 * np.finfo(np.float64).eps
# As the tolerance of boxes; projections are less accurate.
TOLERANCE_INSIDE = 1e-7

# Boxes of a search around the nearest dense point, for points to start from.
BOXES_TO_START = 5
# A proof that is not done after so many boxes is interrupted, and again after four times as many: columns are narrowed.
BOXES_AT_FIRST = 20
# Where numbers are not whole, boxes around the incumbent, a share of the cone's width to either side, are searched
# then, so many each time, wider by a factor where nothing is found; at the next interruption so many times more.
BOXES_AROUND, TIMES_AROUND, MORE_AROUND = 60, 3, 2
WIDTH_AROUND, WIDER = 0.06, 1.6
# Gaps below which the incumbent is good enough as it is, and gains that are worth going on.
GOOD_GAP, GOOD_GAIN = 0.02, 1e-4
# Gap from which on boxes around the incumbent are searched at the first interruption already: everything else the proof
# does waits for a better one. And while they gain so much each time, they are searched more often, at most so often.
POOR_GAP, LARGE_GAIN, MOST_TIMES_AROUND = 0.2, 0.03, 12
# A known answer that is nearer by this share makes it worth narrowing columns again.
NEARER = 0.1


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """Arrays of shape (n_cells,) that the kernel reads, and reads again when it builds its problem anew."""

    bound: FloatArray
    low: FloatArray
    high: FloatArray


class InsideSearch:
    """Searches one row.

    Parameters
    ----------
    boxes : CellsInside
    split : DiagonalSplit or None
        Of the cone; None without one, or if it is too flat.
    cells_around : function of a point
        What cells cost, as seen from a point: as returned, and at least.
    bound : array of shape (n_cells,)
        Of what cells cost.
    start : array of shape (n_features,), optional
        An answer that is known, inside or not.
    rules : CellRules, optional
        Cells that never come together.
    """

    def __init__(
        self,
        boxes: CellsInside,
        split: DiagonalSplit | None,
        cells_around: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
        bound: FloatArray,
        start: FloatArray | None = None,
        rules: CellRules | None = None,
    ) -> None:
        self.rules, self.bound, self.start = rules, bound, start
        self.boxes, self.split, self.cells_around = boxes, split, cells_around
        self.cone = boxes.inside.cone if split is not None else None
        self.trees = boxes.trees
        self.cutoff = self.narrowed_for = np.inf
        self.n_pauses = 0
        self.work_around = 0.0  # of searches around the incumbent, in this slice
        self._under_way: _UnderWay | None = None
        self._search: Any = None

    def go_on(self, cutoff: float, seconds: float, most_boxes: int, until: float, work: float = np.inf) -> BoxAnswer:
        """Search on for the nearest point below a cutoff; see :class:`~elsewise.search.OpenSearch`."""
        boxes, ends = self.boxes, time.perf_counter() + seconds
        boxes.ends, boxes.is_answered, self.cutoff = ends, np.isfinite(cutoff), cutoff
        if self._search is None:
            self._search = self._opened(ends)
        search = self._search
        before, used, self.work_around = search.n_boxes, search.work, 0.0
        limit = min(cutoff, boxes.value)
        left = ends - time.perf_counter()
        lower_bound, is_paused, stopped = search.go_on(limit, left, most_boxes, until, used + work)
        n_boxes, used = search.n_boxes - before, search.work - used + self.work_around
        answer = BoxAnswer(None, np.inf, lower_bound, n_boxes, stopped, is_paused, used)
        if boxes.point is not None and boxes.value < cutoff:
            lower_bound = min(lower_bound, boxes.value)
            answer = BoxAnswer(boxes.point, boxes.value, lower_bound, n_boxes, stopped, is_paused, used)
        return answer

    def _pause(self, so_far: float) -> tuple[float, bool]:
        """Look around the best point, and narrow columns for it: the distance to beat, and whether any was narrowed."""
        boxes = self.boxes
        self.n_pauses += 1
        gap = GOOD_GAP if self.n_pauses > 1 else POOR_GAP  # at first, columns are narrowed alone mostly
        if self.split is not None and not self._are_whole and boxes.value * (1 - gap) > so_far:
            self._look_around(BOXES_AROUND * MORE_AROUND ** max(self.n_pauses - 2, 0))
        limit = min(self.cutoff, boxes.value)
        if not limit < self.narrowed_for * (1 - NEARER):
            return limit, False
        self.narrowed_for = limit
        return limit, self._narrow(limit)

    @property
    def _no_starts(self) -> IntArray:
        return np.zeros((0, self.trees.n_vars), dtype=np.int32)

    def _starts(self, ends: float) -> IntArray:
        """Cells of points to start from, array of shape (n, n_vars).

        Known answers were made column by column, which takes whole numbers and levels far, but not numbers that go
        together: for these, points all over the cone are tried, too.
        """
        boxes, trees = self.boxes, self.trees
        known = self._no_starts if self.start is None else trees.cells(self.start[None])
        if len(known) and self._are_whole:
            return known
        starts, nearest = np.vstack([known, boxes.starts(self.split)]), boxes.inside.whole.point
        if nearest is not None:  # accepted, though not dense perhaps, and near to what is dense
            cost, least = self.cells_around(nearest)
            left = ends - time.perf_counter()
            cells = trees.forest.search(cost, least, np.inf, boxes.margin, left, BOXES_TO_START, TOLERANCE)[0]
            starts = starts if cells is None else np.vstack([cells[None], starts])
        return np.ascontiguousarray(starts, dtype=np.int32)

    @property
    def _are_whole(self) -> bool:
        """Whether all numbers are whole: then moving columns one by one is enough for good points."""
        return bool(self.boxes.is_integer[self.boxes.numbers].all())

    def _look_around(self, most: int) -> None:
        """Search boxes around the incumbent for better ones, so many each time; nothing is proven by that."""
        boxes, split, cone = self.boxes, self.split, self.cone
        assert split is not None
        assert cone is not None
        width, numbers, lower, upper = WIDTH_AROUND, boxes.numbers, boxes.lower, boxes.upper
        reach = split.half_widths * np.sqrt(cone.squared_radius) / self.trees.price[numbers]
        before = np.inf
        for times in range(MOST_TIMES_AROUND):
            gains, before, point = boxes.value < before * (1 - LARGE_GAIN), boxes.value, boxes.point
            left = boxes.ends - time.perf_counter()
            if point is None or left <= 0 or (times >= TIMES_AROUND and not gains):
                break
            boxes.lower, boxes.upper = lower.copy(), upper.copy()
            boxes.lower[numbers] = np.maximum(lower[numbers], point[numbers] - width * reach)
            boxes.upper[numbers] = np.minimum(upper[numbers], point[numbers] + width * reach)
            search = self._kernel_search(*self._cells_now(), self._no_starts, None)
            is_paused = search.go_on(min(self.cutoff, before), left, most)[1]
            self.work_around += search.work
            if boxes.value > before * (1 - GOOD_GAIN):
                if is_paused:
                    break
                width *= WIDER
        boxes.lower, boxes.upper = lower, upper

    def _narrow(self, limit: float) -> bool:
        """Cut off what is not dense and nearer than a limit, also from the search under way; whether anything was."""
        boxes, under_way = self.boxes, self._under_way
        if self.split is None or under_way is None or not np.isfinite(limit):
            return False
        own, reach = boxes.row[boxes.numbers], limit / self.trees.price[boxes.numbers]
        reach = reach * (1 + MAP_ROUNDING) + MAP_ROUNDING * np.abs(own)
        near = np.array([own - reach, own + reach])
        lower, upper = boxes.lower, boxes.upper
        boxes.lower, boxes.upper = tightened(boxes.inside, boxes.numbers, lower, upper, near, limit)
        if np.array_equal(lower, boxes.lower) and np.array_equal(upper, boxes.upper):
            return False
        low, high = self._moves()
        under_way.low[:], under_way.high[:] = low, high
        under_way.bound[:] = np.where(low > high, np.inf, self.bound)
        return True

    def _opened(self, ends: float) -> Any:
        """Open the kernel's search."""
        starts = self._starts(ends)
        bound, moves = self._cells_now()
        if moves is not None:
            self._under_way = _UnderWay(bound, *moves)
        return self._kernel_search(bound, moves, starts, self._pause)

    def _cells_now(self) -> tuple[FloatArray, tuple[FloatArray, FloatArray] | None]:
        """Return bounds of cells, and moves in them, within the limits that hold now; no moves without a cone."""
        if self.cone is None:
            return self.bound, None
        low, high = self._moves()
        return np.where(low > high, np.inf, self.bound), (low, high)

    def _kernel_search(
        self,
        bound: FloatArray,
        moves: tuple[FloatArray, FloatArray] | None,
        starts: IntArray,
        pause: Callable[[float], tuple[float, bool]] | None,
    ) -> Any:
        """Open a search of the kernel; without a pause it proves nothing."""
        boxes, cone, split = self.boxes, self.cone, self.split
        of_row: tuple[Any, ...] | None = None
        if cone is not None and split is not None and moves is not None:
            penalties = cone.penalties[self.trees.feature]
            matrix, steps = (split.P, split.size, split.D), self._steps(cone)
            of_row = (*matrix, cone.centre, steps, *moves, penalties, cone.squared_radius)
        return self.trees.forest.open(
            bound, boxes.margin, MOST_BOXES, TOLERANCE_INSIDE,
            grace=GRACE, rules=self.rules, boxes=boxes,
            starts=starts, cone_of_row=of_row, most_for_changes=boxes.inside.most_for_changes,
            pause=pause, pause_after=BOXES_AT_FIRST,
        )  # fmt: skip

    def _steps(self, cone: RowCone) -> FloatArray:
        """Return what moves of a cone's numbers are multiples of; 0 where they are not whole."""
        boxes, numbers = self.boxes, cone.numbers
        own = boxes.row[numbers]
        is_whole = boxes.is_integer[numbers] & (own == np.round(own))
        return np.asarray(np.where(is_whole, self.trees.price[numbers], 0.0))

    def _moves(self) -> tuple[FloatArray, FloatArray]:
        """How far numbers may move to stay in each cell, the limits and the cone's own box; rounded outwards."""
        boxes, trees, cone, split = self.boxes, self.trees, self.cone, self.split
        assert cone is not None
        assert split is not None
        feature, price = trees.feature, trees.price[trees.feature]
        x = boxes.row[feature]
        first, last = ends_in_cells(trees, replace(boxes.box, lower=boxes.lower, upper=boxes.upper))
        low, high = (first - x) * price, (last - x) * price
        slack = MAP_ROUNDING * np.abs(x) * price
        low = low - slack - np.where(np.isfinite(low), MAP_ROUNDING * np.abs(low), 0.0)
        high = high + slack + np.where(np.isfinite(high), MAP_ROUNDING * np.abs(high), 0.0)
        middle, width = np.zeros(len(boxes.row)), np.zeros(len(boxes.row))
        middle[cone.numbers], width[cone.numbers] = cone.centre, split.half_widths * np.sqrt(cone.squared_radius)
        low = np.where(trees.is_number, np.maximum(low, (middle - width)[feature]), 0.0)
        high = np.where(trees.is_number, np.minimum(high, (middle + width)[feature]), 0.0)
        return np.ascontiguousarray(low), np.ascontiguousarray(high)


class CellsSearch:
    """Searches one row where cells are all that is asked: no ellipsoid, nothing inside.

    Parameters
    ----------
    forest : Forest
    bound : array of shape (n_cells,)
        Of what cells cost.
    margin : float
        Of scores.
    rules : CellRules, optional
    """

    def __init__(self, forest: Any, bound: FloatArray, margin: float, rules: CellRules | None = None) -> None:
        self.search, self.bound = forest.open(bound, margin, MOST_BOXES, TOLERANCE, rules=rules), bound

    def go_on(self, cutoff: float, seconds: float, most_boxes: int, until: float, work: float = np.inf) -> BoxAnswer:
        """Search on; the point is left out, its distance is stated."""
        search = self.search
        before, used = search.n_boxes, search.work
        lower_bound, is_paused, stopped = search.go_on(cutoff, seconds, most_boxes, until, used + work)
        value, n_boxes, used = search.value, search.n_boxes - before, search.work - used
        return BoxAnswer(None, value, min(lower_bound, value), n_boxes, stopped, is_paused, used)


@dataclass(frozen=True, slots=True)
class NoSearch:
    """Where nothing is searched: a bound is all that is known.

    Attributes
    ----------
    lower_bound : float
    """

    lower_bound: float

    def go_on(self, cutoff: float, seconds: float, most_boxes: int, until: float, work: float = np.inf) -> BoxAnswer:
        """Return what is known."""
        return BoxAnswer(None, np.inf, self.lower_bound, 0, np.isfinite(self.lower_bound))


# Times the ends of columns are halved towards the nearest dense point: each is a projection a column and end.
HALVINGS = 6


def tightened(
    inside: Inside, numbers: IntArray, lower: FloatArray, upper: FloatArray, near: FloatArray, limit: float
) -> tuple[FloatArray, FloatArray]:
    """Tighten limits to what is dense and nearer than a limit.

    Parameters
    ----------
    inside : Inside
    numbers : int array of shape (n_numbers,)
        Features to tighten.
    lower, upper : arrays of shape (n_features,)
    near : array of shape (2, n_numbers)
        Ends beyond which a number alone costs the limit.
    limit : float

    Returns
    -------
    lower, upper : arrays of shape (n_features,)
    """
    nearest = inside.whole.point
    lower, upper = lower.copy(), upper.copy()
    if nearest is None:
        return lower, upper
    n = len(numbers)
    lower[numbers], upper[numbers] = np.maximum(lower[numbers], near[0]), np.minimum(upper[numbers], near[1])
    left = [np.clip(nearest[numbers], lower[numbers], upper[numbers]) for _ in range(2)]  # something may be within
    places = np.arange(n)
    for _ in range(HALVINGS):
        middle = [(left[0] + lower[numbers]) / 2, (left[1] + upper[numbers]) / 2]
        lows, highs = np.repeat(lower[None], 2 * n, axis=0), np.repeat(upper[None], 2 * n, axis=0)
        highs[places, numbers], lows[n + places, numbers] = middle
        is_out = (inside.bounds(lows, highs, limit) >= limit).reshape(2, n)
        for which, ends in enumerate((lower, upper)):
            gone, at = is_out[which], middle[which]
            ends[numbers] = np.where(gone, at, ends[numbers])
            left[which] = np.where(gone, left[which], at)
    return lower, upper
