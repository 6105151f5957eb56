"""The cover of a sum of trees, with a search of its own where no feature of model space mixes columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ... import BoxAnswer, BoxRequest, DividingCover, Inside, OpenSearch, Proposal, Space
from .deepening import search_cells
from .indexed import IndexedTrees
from .inside import CellsInside
from .inside_search import MAP_ROUNDING, CellsSearch, InsideSearch, NoSearch
from .joint import members_of
from .proposals import KnownRows, propose
from .ruled_cells import CellRules, cell_rules, ends_in_cells
from .splits import DiagonalSplit, split_of

if TYPE_CHECKING:
    from .region import EnsembleRegion

# Share by which costs that bound are lowered: rounding of one product.
COST_ROUNDING = 4 * np.finfo(np.float64).eps
# The smallest margin a search is asked with: ends of cells are exact, only maps of numbers need room for rounding.
EXACT_MARGIN = 1e-9
# Leaves from which on trees are large: 300 trees with leaves of 20 rows have 36,000, 500 boosted trees 15,000.
MANY_LEAVES = 30_000


class EnsembleCover(DividingCover):
    """Cover of an :class:`EnsembleRegion`.

    Parameters
    ----------
    region : EnsembleRegion
    space : Space
    """

    proposes: ClassVar[bool] = True

    def __init__(self, region: EnsembleRegion, space: Space) -> None:
        super().__init__(region, space)
        self.ensemble, self.trees, self.decision = region, region.trees, region.decision
        self.splits: dict[int, DiagonalSplit | None] = {}

    def __getstate__(self) -> dict[str, Any]:
        # what the kernel holds is made again where it is needed
        return {name: value for name, value in self.__dict__.items() if name not in ("indexed", "_known")}

    @cached_property
    def indexed(self) -> IndexedTrees | None:
        """The trees over cells of columns; None where columns are mixed."""
        if self.n_parts == 0 or self.space.coordinates.norm != 1:
            return None
        return self.ensemble.written_in(self.space)

    @cached_property
    def _has_exact_ends(self) -> bool:
        """Whether all columns are numbers that trees compare as they are."""
        trees = self.indexed
        return trees is not None and bool(trees.is_number.all()) and not trees.blur.any()

    @property
    def searches_boxes(self) -> bool:
        """Whether no feature of model space mixes columns."""
        return self.n_parts == 0 or self.indexed is not None

    @property
    def is_large(self) -> bool:
        """Whether there are many leaves: few of them are near."""
        return int((self.trees.feature < 0).sum()) > MANY_LEAVES

    def is_on_boundary(self, points: FloatArray, rounding: float) -> BoolArray:
        """Whether the model's own sums, which are formed in another order, may decide otherwise at points."""
        on_boundary = super().is_on_boundary(points, rounding)
        for trees, decision in members_of(self.trees, self.decision):
            if trees.doubt > 0.0 and len(points):
                weights, least = decision.rows(trees.n_scores)
                slack = trees.scores(self.space.in_model_space(points)) @ weights.T - least
                on_boundary |= (np.abs(slack) <= 2 * trees.doubt).any(axis=1)
        return on_boundary

    def search_box(self, box: BoxRequest, *, cutoff: float, seconds: float, work: float = np.inf) -> BoxAnswer:
        """Search the nearest point of a box that the trees accept."""
        if self.n_parts == 0:
            return BoxAnswer(None, np.inf, np.inf, 0, False)
        trees = self.indexed
        if trees is None:  # columns are mixed: nothing is searched, and nothing is proven
            return BoxAnswer(None, np.inf, 0.0, 0, True)
        values, cost, bound = self._priced_cells(trees, box)
        rules, slack = _rules(trees, box), _least_slack(trees, box.margin)
        found = search_cells(trees.forest, cost, bound, cutoff, slack, seconds, rules, work)
        point = None
        if found.cells is not None:
            chosen = trees.first_cell[:-1] + found.cells
            point = box.row.copy()
            point[self.space.group >= 0] = 0.0
            point[trees.feature[chosen]] = values[chosen]
        bound_of_all = min(found.lower_bound, found.value)
        return BoxAnswer(point, found.value, bound_of_all, found.n_boxes, found.stopped, work=found.work)

    def open_box(self, box: BoxRequest, *, inside: Inside | None, start: FloatArray | None = None) -> OpenSearch:
        """Open a search of the nearest point of a box that the trees accept, and that is inside."""
        trees = self.indexed
        if trees is None:
            return NoSearch(np.inf if self.n_parts == 0 else 0.0)
        bound, rules = self._priced_cells(trees, box)[2], _rules(trees, box)
        if inside is None:
            return CellsSearch(trees.forest, bound, _least_slack(trees, box.margin), rules)
        return self._search_inside(trees, box, inside, bound, start, rules)

    def _priced_cells(self, trees: IndexedTrees, box: BoxRequest) -> tuple[FloatArray, FloatArray, FloatArray]:
        """As :meth:`cells_of`, with what every change costs beside its size."""
        values, cost, bound = self.cells_of(trees, box)
        if box.per_change:
            x = box.row[trees.feature]
            leaves = np.where(trees.is_number, (x < trees.low) | (x > trees.high), x == 0)
            cost = cost + np.where(values != x, box.per_change, 0.0)
            bound = bound + np.where(leaves, box.per_change, 0.0)
        return values, cost, bound

    @cached_property
    def _known(self) -> KnownRows | None:
        """Rows that first answers are made from."""
        return None if self.indexed is None else KnownRows.of(self.indexed, self.examples)

    def propose(self, asked: Proposal) -> FloatArray:
        """Return the best point that is made of examples, if there is one."""
        trees = self.indexed
        if trees is None or self._known is None or not len(self._known.cells):
            return super().propose(asked)
        inset = self._inset(trees, asked.box)
        return propose(trees, self._known, asked, inset, _least_slack(trees, asked.box.margin))

    def _search_inside(
        self,
        trees: IndexedTrees,
        box: BoxRequest,
        inside: Inside,
        bound: FloatArray,
        start: FloatArray | None,
        rules: CellRules | None,
    ) -> InsideSearch:
        """Make a search that asks about boxes, with a cone if there is one that can be split."""
        cone, split = inside.cone, None
        if cone is not None:
            if cone.shape not in self.splits:
                self.splits[cone.shape] = split_of(cone.factor)
            split = self.splits[cone.shape]
        boxes = CellsInside(trees, inside, box, self._inset(trees, box), _least_slack(trees, box.margin))

        def cells_around(point: FloatArray) -> tuple[FloatArray, FloatArray]:
            return self.cells_of(trees, replace(box, row=point, least_moves=None))[1:]

        return InsideSearch(boxes, split, cells_around, bound, start, rules)

    def _inset(self, trees: IndexedTrees, box: BoxRequest) -> FloatArray:
        """Return how far from the ends of cells numbers are kept, array of shape (n_features,)."""
        inset = np.zeros(len(box.row))
        np.maximum.at(inset, trees.feature, trees.blur * MAP_ROUNDING)
        if box.margin > EXACT_MARGIN:
            inset = np.maximum(inset, box.margin * (np.abs(box.row) + 1.0 / self.space.coordinates.stretch))
        inset[box.integer] = 0.0
        return inset

    def cells_of(self, trees: IndexedTrees, box: BoxRequest) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values that a row would get in each cell, what they cost, and a bound of what anything in the cell costs."""
        low, high = np.maximum(trees.low, box.lower[trees.feature]), np.minimum(trees.high, box.upper[trees.feature])
        if box.pieces is None:
            return self._intervals(trees, slice(None), box, low, high)
        cell, low, high = box.pieces.within(trees.feature, low, high)
        each = self._intervals(trees, cell, box, low, high)
        order = np.argsort(-each[1], kind="stable")  # the cheapest piece of a cell comes last, and stays
        values, cost, bound = np.zeros(len(trees.low)), np.full(len(trees.low), np.inf), np.full(len(trees.low), np.inf)
        values[cell[order]], cost[cell[order]] = each[0][order], each[1][order]
        np.minimum.at(bound, cell, each[2])
        return values, cost, bound

    def _intervals(
        self, trees: IndexedTrees, cell: IntArray | slice, box: BoxRequest, a: FloatArray, b: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Find the same for intervals ``[a, b]`` of cells; those of levels are ``[1, 1]``, or empty."""
        margin, least_moves = box.margin, box.least_moves
        feature, number = trees.feature[cell], trees.is_number[cell]
        x, price = box.row[feature], self.space.coordinates.stretch[feature]
        stays = (a <= x) & (x <= b)
        if least_moves is not None:  # a cell that is left is left by that much
            a = np.where(x < a, np.maximum(a, least_moves.above[0, feature]), a)
            b = np.where(x > b, np.minimum(b, least_moves.below[0, feature]), b)
        whole = box.integer[feature] & number & ~stays
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
    """Return what scores have to exceed their least values by: nothing where points may lie on the boundary."""
    return 0.0 if margin <= EXACT_MARGIN else margin * trees.unit


def _rules(trees: IndexedTrees, box: BoxRequest) -> CellRules | None:
    """Return cells that never come together, by clauses."""
    return None if box.clauses is None else cell_rules(trees, box.clauses, *ends_in_cells(trees, box))
