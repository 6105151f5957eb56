"""The cover of a sum of trees, with a search of its own where no feature of model space mixes columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...search import BoxAnswer, Clauses, DividingCover, Inside, LeastMoves, NumberPieces, Space
from .certificates import Recorder
from .constants import COST_ROUNDING, EXACT_MARGIN, MAP_ROUNDING
from .deepening import search_cells
from .indexed import IndexedTrees, indexed
from .inside import CellsInside
from .inside_search import InsideSearch
from .joint import members_of
from .ruled_cells import CellRules, cell_rules, ends_in_cells
from .splits import DiagonalSplit, split_of

if TYPE_CHECKING:
    from .region import EnsembleRegion


class EnsembleCover(DividingCover):
    """Cover of an :class:`EnsembleRegion`.

    Parameters
    ----------
    region : EnsembleRegion
    space : Space

    Attributes
    ----------
    recorder : Recorder or None
        Is given a certificate of every search; None for none.
    """

    recorder: Recorder | None = None

    def __init__(self, region: EnsembleRegion, space: Space) -> None:
        super().__init__(region, space)
        self.trees, self.decision = region.trees, region.decision
        self.splits: dict[int, DiagonalSplit | None] = {}

    def __getstate__(self) -> dict[str, Any]:
        # what the kernel holds is made again where it is needed
        return {name: value for name, value in self.__dict__.items() if name != "indexed"}

    @cached_property
    def indexed(self) -> IndexedTrees | None:
        """The trees over cells of columns; None where columns are mixed."""
        if self.n_parts == 0 or self.space.coordinates.norm != 1:
            return None
        return indexed(self.trees, self.decision, self.space)

    @cached_property
    def _has_exact_ends(self) -> bool:
        """Whether all columns are numbers that trees compare as they are."""
        trees = self.indexed
        return trees is not None and bool(trees.is_number.all()) and not trees.blur.any()

    @property
    def searches_boxes(self) -> bool:
        """Whether no feature of model space mixes columns."""
        return self.n_parts == 0 or self.indexed is not None

    def is_on_boundary(self, points: FloatArray) -> BoolArray:
        """Whether the model's own sums, which are formed in another order, may decide otherwise at points."""
        on_boundary = super().is_on_boundary(points)
        for trees, decision in members_of(self.trees, self.decision):
            if trees.doubt > 0.0 and len(points):
                weights, least = decision.rows(trees.n_scores)
                slack = trees.scores(self.space.in_model_space(points)) @ weights.T - least
                on_boundary |= (np.abs(slack) <= 2 * trees.doubt).any(axis=1)
        return on_boundary

    def search_box(
        self,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        *,
        inside: Inside | None,
        cutoff: float,
        margin: float,
        seconds: float,
        per_change: float = 0.0,
        least_moves: LeastMoves | None = None,
        pieces: NumberPieces | None = None,
        clauses: Clauses | None = None,
        most_boxes: int | None = None,
    ) -> BoxAnswer:
        """Search the nearest point of a box that the trees accept, and that is inside."""
        trees = self.indexed
        if trees is None:
            return BoxAnswer(None, np.inf, np.inf, 0, False)
        values, cost, bound = self.cells_of(trees, row, lower, upper, integer, margin, least_moves, pieces)
        if per_change:
            x = row[trees.feature]
            leaves = np.where(trees.is_number, (x < trees.low) | (x > trees.high), x == 0)
            cost = cost + np.where(values != x, per_change, 0.0)
            bound = bound + np.where(leaves, per_change, 0.0)
        rules = None
        if clauses is not None and self.recorder is None:
            rules = cell_rules(trees, clauses, *ends_in_cells(trees, row, lower, upper, integer, pieces))
        if inside is not None:
            search = self._search_inside(trees, row, lower, upper, integer, inside, margin, rules)
            answer = search.run(bound, cutoff, seconds, most_boxes)
            if self.recorder is not None:
                self.recorder.end(trees, row, lower, upper, integer, answer, inside.cone, pieces)
            return answer
        found = search_cells(
            trees.forest, cost, bound, cutoff, _least_slack(trees, margin), seconds, self.recorder, rules
        )
        point = None
        if found.cells is not None:
            chosen = trees.first_cell[:-1] + found.cells
            point = row.copy()
            point[self.space.group >= 0] = 0.0
            point[trees.feature[chosen]] = values[chosen]
        answer = BoxAnswer(point, found.value, min(found.lower_bound, found.value), found.n_boxes, found.stopped)
        if self.recorder is not None:
            of_last = replace(answer, lower_bound=min(found.last_bound, found.value))
            self.recorder.end(trees, row, lower, upper, integer, of_last, pieces=pieces)
        return answer

    def look_first(
        self,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        *,
        inside: Inside,
        cutoff: float,
        margin: float,
        seconds: float,
    ) -> None:
        """Look for a good point in a cone: from points all over it, and the second time around the best one."""
        trees = self.indexed
        if trees is None or inside.cone is None:
            return
        bound = self.cells_of(trees, row, lower, upper, integer, margin, pieces=inside.pieces)[2]
        search = self._search_inside(trees, row, lower, upper, integer, inside, margin)
        inside.first = search.look(bound, cutoff, seconds)

    def _search_inside(
        self,
        trees: IndexedTrees,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        inside: Inside,
        margin: float,
        rules: CellRules | None = None,
    ) -> InsideSearch:
        """Make a search that asks about boxes, with a cone if there is one that can be split."""
        price = self.space.coordinates.stretch
        inset = np.zeros(len(row))
        np.maximum.at(inset, trees.feature, trees.blur * MAP_ROUNDING)
        if margin > EXACT_MARGIN:
            inset = np.maximum(inset, margin * (np.abs(row) + 1.0 / price))
        inset[integer] = 0.0
        cone, split = inside.cone, None
        if cone is not None:
            if cone.shape not in self.splits:
                self.splits[cone.shape] = split_of(cone.factor)
            split = self.splits[cone.shape]
        boxes = CellsInside(trees, inside, row, lower, upper, integer, inset, _least_slack(trees, margin))

        def cells_around(point: FloatArray) -> tuple[FloatArray, FloatArray]:
            return self.cells_of(trees, point, lower, upper, integer, margin, pieces=inside.pieces)[1:]

        return InsideSearch(boxes, split, cells_around, self.recorder, rules)

    def cells_of(
        self,
        trees: IndexedTrees,
        row: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        integer: BoolArray,
        margin: float,
        least_moves: LeastMoves | None = None,
        pieces: NumberPieces | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values that a row would get in each cell, what they cost, and a bound of what anything in the cell costs."""
        low, high = np.maximum(trees.low, lower[trees.feature]), np.minimum(trees.high, upper[trees.feature])
        if pieces is None:
            return self._intervals(trees, slice(None), row, low, high, integer, margin, least_moves)
        cell, low, high = pieces.within(trees.feature, low, high)
        each = self._intervals(trees, cell, row, low, high, integer, margin, least_moves)
        order = np.argsort(-each[1], kind="stable")  # the cheapest piece of a cell comes last, and stays
        values, cost, bound = np.zeros(len(trees.low)), np.full(len(trees.low), np.inf), np.full(len(trees.low), np.inf)
        values[cell[order]], cost[cell[order]] = each[0][order], each[1][order]
        np.minimum.at(bound, cell, each[2])
        return values, cost, bound

    def _intervals(
        self,
        trees: IndexedTrees,
        cell: IntArray | slice,
        row: FloatArray,
        a: FloatArray,
        b: FloatArray,
        integer: BoolArray,
        margin: float,
        least_moves: LeastMoves | None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Find the same for intervals ``[a, b]`` of cells; those of levels are ``[1, 1]``, or empty."""
        feature, number = trees.feature[cell], trees.is_number[cell]
        x, price = row[feature], self.space.coordinates.stretch[feature]
        stays = (a <= x) & (x <= b)
        if least_moves is not None:  # a cell that is left is left by that much
            a = np.where(x < a, np.maximum(a, least_moves.above[0, feature]), a)
            b = np.where(x > b, np.minimum(b, least_moves.below[0, feature]), b)
        whole = integer[feature] & number & ~stays
        if whole.any():
            a, b = np.where(whole, np.ceil(a), a), np.where(whole, np.floor(b), b)
        nearest = np.clip(x, a, np.maximum(a, b))
        if margin <= EXACT_MARGIN and self._has_exact_ends:
            cost = np.where(a > b, np.inf, price * np.abs(nearest - x))
            return nearest, cost, cost * (1.0 - COST_ROUNDING)
        bound = price * np.abs(nearest - x) * (1.0 - COST_ROUNDING)
        inset = MAP_ROUNDING * trees.blur[cell] if margin <= EXACT_MARGIN else margin * (np.abs(nearest) + 1.0 / price)
        inset = np.where(whole, 0.0, inset)
        with np.errstate(invalid="ignore", over="ignore"):  # cells may be infinitely wide
            middle = a + (b - a) / 2
            up, down = np.fmin(a + inset, middle), np.fmax(b - inset, middle)
        values = np.where(x < a, np.where(inset > 0, up, a), np.where(x > b, np.where(inset > 0, down, b), x))
        cost = price * np.abs(values - x)
        entered = np.where(x > 0, 0.0, price)
        values, cost, bound = (
            np.where(number, values, 1.0),
            np.where(number, cost, entered),
            np.where(number, bound, entered),
        )
        closed = np.where(number, a > b, b < 1.0)
        return values, np.where(closed, np.inf, cost), np.where(closed, np.inf, bound)


def _least_slack(trees: IndexedTrees, margin: float) -> float:
    """Give what scores have to exceed their least values by: nothing where points may lie on the boundary."""
    return 0.0 if margin <= EXACT_MARGIN else margin * trees.unit
