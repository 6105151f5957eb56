"""The search of a sum of trees with a density or rules: points to start from, a proof, a look around in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray, IntArray
from ...search import BoxAnswer, RowCone
from ...search.constants import GRACE
from .certificates import Recorder
from .constants import (
    BOXES_AROUND,
    BOXES_AT_FIRST,
    BOXES_TO_START,
    GOOD_GAIN,
    GOOD_GAP,
    LARGE_GAIN,
    MAP_ROUNDING,
    MORE_AROUND,
    MOST_BOXES_INSIDE,
    MOST_TIMES_AROUND,
    NEARER,
    PAUSES_ALONE,
    POOR_GAP,
    TIMES_AROUND,
    TOLERANCE,
    TOLERANCE_INSIDE,
    WIDER,
    WIDTH_AROUND,
)
from .inside import CellsInside
from .reaching import cuts_of
from .ruled_cells import CellRules, ends_in_cells
from .splits import DiagonalSplit


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
    recorder : Recorder, optional
        Is told what the proof does.
    rules : CellRules, optional
        Cells that never come together.
    """

    def __init__(
        self,
        boxes: CellsInside,
        split: DiagonalSplit | None,
        cells_around: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
        recorder: Recorder | None = None,
        rules: CellRules | None = None,
    ) -> None:
        self.recorder, self.rules = recorder, rules
        self.boxes, self.split, self.cells_around = boxes, split, cells_around
        self.cone = boxes.inside.cone if split is not None else None
        self.trees, self.n_boxes = boxes.trees, 0
        self._under_way: _UnderWay | None = None

    def run(self, bound: FloatArray, cutoff: float, seconds: float, most_boxes: int | None = None) -> BoxAnswer:
        """Search the nearest point below a cutoff.

        Parameters
        ----------
        bound : array of shape (n_cells,)
            Of what cells cost.
        cutoff, seconds : float
        most_boxes : int, optional
        """
        boxes, ends = self.boxes, self._begin(cutoff, seconds)
        most, narrowed_for, n_pauses = BOXES_AROUND, np.inf, 0

        def pause(so_far: float) -> tuple[float, bool]:
            nonlocal cutoff, most, narrowed_for, n_pauses
            n_pauses += 1
            gap = GOOD_GAP if n_pauses > 1 else POOR_GAP  # at first, columns are narrowed alone mostly
            if self.split is not None and boxes.value * (1 - gap) > so_far:
                self._look_around(bound, cutoff, ends, most)
            if n_pauses > 1:
                most *= MORE_AROUND
            is_far = min(cutoff, boxes.value) * (1 - POOR_GAP) > so_far
            if n_pauses == PAUSES_ALONE and is_far and boxes.inside.elsewhere is not None and self.recorder is None:
                cutoff = min(cutoff, boxes.inside.elsewhere())
            limit = min(cutoff, boxes.value)
            if not limit < narrowed_for * (1 - NEARER):
                return limit, False
            narrowed_for = limit
            return limit, self._narrow(bound, limit)

        starts = self._starts(ends) if boxes.inside.first is None else self._no_starts
        left = ends - time.perf_counter()
        limit = min(cutoff, boxes.value)
        most_in_all = most_boxes or MOST_BOXES_INSIDE
        lower_bound, stopped = self._search(bound, limit, left, most_in_all, starts, pause, self.recorder)
        return self._answer(cutoff, lower_bound, stopped)

    def look(self, bound: FloatArray, cutoff: float, seconds: float) -> BoxAnswer:
        """Look for a point below a cutoff, the first time from points all over the cone, then around the best one."""
        ends, has_looked = self._begin(cutoff, seconds), self.boxes.inside.first is not None
        if has_looked:
            self._look_around(bound, cutoff, ends, BOXES_AROUND)
        else:
            self._search(bound, cutoff, seconds, 1, self._starts(ends))
        return self._answer(cutoff, 0.0, False)

    def _begin(self, cutoff: float, seconds: float) -> float:
        """Start the clock, from what a first look has found; tells when time is over."""
        boxes, ends = self.boxes, time.perf_counter() + seconds
        first = boxes.inside.first
        boxes.ends, boxes.is_answered = ends, np.isfinite(cutoff)
        if first is not None and first.point is not None:
            boxes.value, boxes.point = first.value, first.point
        return ends

    def _answer(self, cutoff: float, lower_bound: float, stopped: bool) -> BoxAnswer:
        boxes = self.boxes
        if boxes.point is None or not boxes.value < cutoff:
            return BoxAnswer(None, np.inf, lower_bound, self.n_boxes, stopped)
        return BoxAnswer(boxes.point, boxes.value, min(lower_bound, boxes.value), self.n_boxes, stopped)

    @property
    def _no_starts(self) -> IntArray:
        return np.zeros((0, self.trees.n_vars), dtype=np.int32)

    def _starts(self, ends: float) -> IntArray:
        boxes, trees = self.boxes, self.trees
        starts, nearest = boxes.starts(self.split), boxes.inside.whole.point
        if nearest is not None:  # accepted, though not dense perhaps, and near to what is dense
            cost, least = self.cells_around(nearest)
            left = ends - time.perf_counter()
            cells = trees.forest.search(cost, least, np.inf, boxes.margin, left, BOXES_TO_START, TOLERANCE)[0]
            starts = starts if cells is None else np.vstack([cells[None], starts])
        return np.ascontiguousarray(starts, dtype=np.int32)

    def _look_around(self, bound: FloatArray, cutoff: float, ends: float, most: int) -> None:
        """Search boxes around the incumbent for better ones, so many each time; nothing is proven by that."""
        boxes, split = self.boxes, self.split
        assert split is not None
        assert self.cone is not None
        width, numbers = WIDTH_AROUND, boxes.numbers
        reach = split.half_widths * np.sqrt(self.cone.squared_radius) / self.trees.price[numbers]
        lower, upper = boxes.lower, boxes.upper
        before = np.inf
        for times in range(MOST_TIMES_AROUND):
            gains, before, point = boxes.value < before * (1 - LARGE_GAIN), boxes.value, boxes.point
            if point is None or time.perf_counter() > ends or (times >= TIMES_AROUND and not gains):
                break
            boxes.lower, boxes.upper = lower.copy(), upper.copy()
            boxes.lower[numbers] = np.maximum(lower[numbers], point[numbers] - width * reach)
            boxes.upper[numbers] = np.minimum(upper[numbers], point[numbers] + width * reach)
            left = max(0.0, ends - time.perf_counter())
            _, stopped = self._search(bound, min(cutoff, before), left, most, self._no_starts)
            if boxes.value > before * (1 - GOOD_GAIN):
                if stopped:
                    break
                width *= WIDER
        boxes.lower, boxes.upper = lower, upper

    def _narrow(self, bound: FloatArray, limit: float) -> bool:
        """Cut off what is not dense and nearer than a limit, also from the search under way; whether anything was."""
        boxes, under_way = self.boxes, self._under_way
        if self.split is None or under_way is None or not np.isfinite(limit):
            return False
        own, reach = boxes.row[boxes.numbers], limit / self.trees.price[boxes.numbers]
        reach = reach * (1 + MAP_ROUNDING) + MAP_ROUNDING * np.abs(own)
        near = np.array([own - reach, own + reach])
        boxes.lower, boxes.upper, cuts = cuts_of(boxes.inside, boxes.numbers, boxes.lower, boxes.upper, near, limit)
        if not cuts:
            return False
        if self.recorder is not None:
            self.recorder.cut(cuts)
        low, high = self._moves()
        under_way.low[:], under_way.high[:] = low, high
        under_way.bound[:] = np.where(low > high, np.inf, bound)
        return True

    def _search(
        self,
        bound: FloatArray,
        cutoff: float,
        seconds: float,
        most: int,
        starts: IntArray,
        pause: Callable[[float], tuple[float, bool]] | None = None,
        recorder: Recorder | None = None,
    ) -> tuple[float, bool]:
        """Search within the limits that hold at the moment: a bound, and whether it was stopped."""
        boxes, cone, split = self.boxes, self.cone, self.split
        of_row: tuple[Any, ...] | None = None
        if cone is not None and split is not None:
            low, high = self._moves()
            bound = np.where(low > high, np.inf, bound)
            if pause is not None:
                self._under_way = _UnderWay(bound, low, high)
            penalties = cone.penalties[self.trees.feature]
            matrix, steps = (split.P, split.size, split.D), self._steps(cone)
            of_row = (*matrix, cone.centre, steps, low, high, penalties, cone.squared_radius)
        lower_bound, stopped, n_boxes = self.trees.forest.search_inside(
            bound, cutoff, boxes.margin, seconds, most, TOLERANCE_INSIDE, boxes, starts, of_row,
            pause=pause, pause_after=BOXES_AT_FIRST, grace=GRACE, recorder=recorder, rules=self.rules,
        )  # fmt: skip
        self.n_boxes += n_boxes
        return lower_bound, stopped

    def _steps(self, cone: RowCone) -> FloatArray:
        """Tell what moves of a cone's numbers are multiples of; 0 where they are not whole."""
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
        first, last = ends_in_cells(trees, boxes.row, boxes.lower, boxes.upper, boxes.is_integer, boxes.inside.pieces)
        low, high = (first - x) * price, (last - x) * price
        slack = MAP_ROUNDING * np.abs(x) * price
        low = low - slack - np.where(np.isfinite(low), MAP_ROUNDING * np.abs(low), 0.0)
        high = high + slack + np.where(np.isfinite(high), MAP_ROUNDING * np.abs(high), 0.0)
        middle, width = np.zeros(len(boxes.row)), np.zeros(len(boxes.row))
        middle[cone.numbers], width[cone.numbers] = cone.centre, split.half_widths * np.sqrt(cone.squared_radius)
        low = np.where(trees.is_number, np.maximum(low, (middle - width)[feature]), 0.0)
        high = np.where(trees.is_number, np.minimum(high, (middle + width)[feature]), 0.0)
        return np.ascontiguousarray(low), np.ascontiguousarray(high)
