"""A sum of trees over the columns of a search: cells instead of numbers.

Where every feature of model space follows from one column alone (plain, scaled, one-hot or ordinal codes), each column
has finitely many cells that no tree tells apart: intervals between cuts for a number, levels for a category. A point is
one cell a column, and only what the cells cost depends on the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from ....arrays import BoolArray, FloatArray, IntArray
from ... import Lattice, Space
from ._search import Forest
from .decisions import Decision, Largest, Mean, Range
from .joint import Joint, Member, members_of
from .trees import TreeSum
from .votes import exact_leaves, strict_conditions

# Cells of a column are counted with 16 bits in the kernel.
MOST_CELLS = 60_000
# Share of doubt about sums of leaves: their rounding, several times over.
ROUNDING_SAFETY = 4.0
# How far apart 32-bit probabilities may be from their scores: XGBoost compares classes after a softmax.
SOFTMAX_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class IndexedTrees:
    """Trees over cells.

    Attributes
    ----------
    forest : Forest
    scale : array of shape (n_conditions,)
        Conditions of the kernel are divided by this: their sums are about one.
    unit : float
        Of margins, in scores; 1 where several decisions have units of their own.
    first_cell : int array of shape (n_vars + 1,)
    feature : int array of shape (n_cells,)
        The feature a cell is about: the number, or the indicator of the level.
    is_number : bool array of shape (n_cells,)
    low, high : arrays of shape (n_cells,)
        First and last number of a cell; for levels, 1 and 1.
    blur : array of shape (n_cells,)
        Size of the terms that become the number the model sees, over its slope; 0 where it sees the number as it is:
        then the ends of the cell are exact.
    price : array of shape (n_features,)
        What a unit of each feature costs.
    """

    forest: Any
    scale: FloatArray
    unit: float
    first_cell: IntArray
    feature: IntArray
    is_number: BoolArray
    low: FloatArray
    high: FloatArray
    blur: FloatArray
    price: FloatArray

    def cells(self, points: FloatArray) -> IntArray:
        """Cells of points of shape (n_samples, n_features), array of shape (n_samples, n_vars)."""
        return np.asarray(self.forest.locate(np.ascontiguousarray(points), self.high, self.feature))

    @property
    def n_vars(self) -> int:
        """Number of columns."""
        return len(self.first_cell) - 1


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as the trees see it: its features, and the features of model space that follow from it."""

    features: IntArray
    is_number: bool
    seen: list[int]


def _columns(space: Space, used: IntArray) -> list[_Column] | None:
    """Sort features of model space by the column they follow from; None if one follows from several."""
    group = space.group
    numbers = [_Column(np.array([i]), True, []) for i in np.flatnonzero(group < 0).tolist()]
    categories = [_Column(np.flatnonzero(group == g), False, []) for g in range(int(group.max(initial=-1)) + 1)]
    columns = [*numbers, *categories]
    column_of = {int(i): place for place, column in enumerate(columns) for i in column.features}
    for j in used.tolist():
        places = {column_of[int(i)] for i in np.flatnonzero(space.matrix[j])}
        if len(places) > 1:
            return None
        columns[places.pop() if places else 0].seen.append(j)
    return columns


def _limits_before(
    slope: float, offset: float, cuts: FloatArray, value: Callable[[FloatArray], FloatArray] | None = None
) -> FloatArray:
    """Largest numbers ``x`` for which ``slope x + offset <= cuts`` (``> cuts`` for a negative slope), to the bit.

    With ``value``, an ascending function, of ``value(x)`` instead.
    """
    if slope == 1.0 and offset == 0.0 and value is None:
        return cuts
    low, high = np.full(len(cuts), -_ORDER_OF_INFINITY), np.full(len(cuts), _ORDER_OF_INFINITY)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(65):
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            x = _number_at(middle)
            z = (x if value is None else value(x)) * slope + offset
            below = z <= cuts if slope > 0 else z > cuts
            low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _number_at(low)


_ORDER_OF_INFINITY = int(np.float64(np.inf).view(np.int64))


def _number_at(place: IntArray) -> FloatArray:
    """Return doubles by their place in the order of doubles."""
    size = np.abs(place).astype(np.int64).view(np.float64)
    return np.where(place < 0, -size, size)


# What each feature of model space makes of a column: the slopes of the column's features, and an offset.
_Maps = dict[int, tuple[FloatArray, float]]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cells of one column.

    Attributes
    ----------
    low, high, blur : arrays of shape (n_cells,)
        As for :class:`IndexedTrees`.
    values : array of shape (n_cells, n_column_features)
        Features of the column at a place of each cell.
    ends : array of shape (n_cells - 1,)
        Last numbers of all cells but the last; none for levels.
    limits : dict of int to array
        The last number of the column at or before each cut of a feature of model space.
    """

    low: FloatArray
    high: FloatArray
    blur: FloatArray
    values: FloatArray
    ends: FloatArray
    limits: dict[int, FloatArray]


def _cells_of(
    column: _Column, maps: _Maps, cuts: list[FloatArray], lattice: Lattice | None, ends: FloatArray
) -> _Cells:
    """Divide a column where some tree tells its numbers apart, and after ``ends``; or into its levels."""
    if not column.is_number:
        n = len(column.features)
        return _Cells(np.ones(n), np.ones(n), np.zeros(n), np.eye(n), np.zeros(0), {})
    value = None if lattice is None else lattice.value_of(int(column.features[0]))
    limits = {
        j: np.zeros(0) if slope[0] == 0 else _limits_before(float(slope[0]), offset, cuts[j], value)
        for j, (slope, offset) in maps.items()
    }
    ends = np.unique(np.concatenate([_limits_before(1.0, 0.0, ends, value), *limits.values()]))
    ends = ends[np.isfinite(ends)]
    low = np.concatenate([[-np.inf], np.nextafter(ends, np.inf)])
    values = np.concatenate([ends, low[-1:]])[:, None]  # a number of each cell
    values[~np.isfinite(values)] = 0.0
    values = values if value is None else value(values)
    return _Cells(low, np.concatenate([ends, [np.inf]]), _blur(maps, values), values, ends, limits)


class _Nodes:
    """Nodes of trees as they are written over cells, column by column; arrays of shape (n_nodes,) as in forest.h."""

    def __init__(self, trees: TreeSum) -> None:
        n_nodes = len(trees.feature)
        self.trees, self.cuts, self.by_table = trees, trees.cuts(), trees.is_by_table
        self.var, self.table = np.full(n_nodes, -1), np.full(n_nodes, -1)
        self.cut = np.zeros(n_nodes, dtype=np.int64)
        self.left, self.right = trees.left.copy(), trees.right.copy()
        self.tables: list[BoolArray] = []
        self.table_end = 0

    def write(self, place: int, column: _Column, maps: _Maps, cells: _Cells) -> None:
        """Write the nodes that ask for a column: by a cut where that is one comparison, else by a table."""
        for j, (slope, offset) in maps.items():
            nodes = np.flatnonzero(self.trees.feature == j)
            self.var[nodes] = place
            by_cut = nodes[~self.by_table[nodes]] if column.is_number and slope[0] != 0 else nodes[:0]
            if len(by_cut):
                self._write_cuts(by_cut, j, float(slope[0]), cells)
            z = cells.values @ slope + offset
            others = np.setdiff1d(nodes, by_cut)
            if len(others):
                self._write_tables(others, z)

    def _write_tables(self, nodes: IntArray, z: FloatArray) -> None:
        """Write a table for nodes that ask the same: all that compare an indicator with a half have one."""
        trees = self.trees
        asked = [trees.limit, trees.codes, trees.missing_left, trees.zero_is_missing, *trees.ends_of_missing().T]
        questions = np.column_stack([of_nodes[nodes] for of_nodes in asked])
        _, first, same = np.unique(questions, axis=0, return_index=True, return_inverse=True)
        self.table[nodes] = self.table_end + len(z) * same.ravel()
        self.tables += [trees.goes_left(node, z) for node in nodes[first].tolist()]
        self.table_end += len(z) * len(first)

    def _write_cuts(self, nodes: IntArray, j: int, slope: float, cells: _Cells) -> None:
        limit, ends = self.trees.limit[nodes], cells.ends
        where, known = np.searchsorted(self.cuts[j], limit), np.isfinite(limit)
        of_node = cells.limits[j][np.where(known, where, 0)] if len(self.cuts[j]) else np.full(len(nodes), np.inf)
        at = np.where(of_node == -np.inf, -1, np.searchsorted(ends, of_node))
        everything = np.where(limit > 0, len(ends), -1)
        self.cut[nodes] = np.where(known, at, everything)
        if slope < 0:  # what is at most a limit there is greater than the cut
            self.left[nodes], self.right[nodes] = self.right[nodes].copy(), self.left[nodes].copy()
            self.cut[nodes] = np.where(known, at, len(ends) - 1 - everything)

    def number_leaves(self) -> BoolArray:
        """Let leaves point to their numbers; says which nodes are leaves."""
        is_leaf = self.trees.feature < 0
        self.left[is_leaf], self.right[is_leaf] = (np.cumsum(is_leaf) - 1)[is_leaf], 0
        return np.asarray(is_leaf)


def indexed(trees: TreeSum, decision: Decision | Joint, space: Space) -> IndexedTrees | None:
    """Write trees over the cells of a search's columns; None if the columns are mixed, or have too many cells."""
    columns = _columns(space, np.unique(trees.feature[trees.feature >= 0]))
    if columns is None or not columns:
        return None
    nodes, each, lattice = _Nodes(trees), [], space.lattice
    matrix = space.matrix if lattice is None else space.matrix / lattice.unit  # of values, not of counts
    for place, column in enumerate(columns):
        maps = {j: (matrix[j, column.features], float(space.offset[j])) for j in column.seen}
        ends = space.ends.get(int(column.features[0]), np.zeros(0))
        cells = _cells_of(column, maps, nodes.cuts, lattice, ends)
        nodes.write(place, column, maps, cells)
        each.append(cells)
    counts = [len(cells.low) for cells in each]
    if max(counts) > MOST_CELLS:
        return None
    first_cell = np.concatenate([[0], np.cumsum(counts)])
    members = members_of(trees, decision)
    kernels = [_kernel(*member) for member in members]
    feature = [np.repeat(c.features, n) if c.is_number else c.features for c, n in zip(columns, counts)]
    return IndexedTrees(
        forest=_forest(nodes, columns, first_cell, members, kernels),
        scale=np.concatenate([np.full(len(one.least), one.scale) for one in kernels]),
        unit=kernels[0].scale / trees.divisor if len(members) == 1 else 1.0,
        first_cell=first_cell,
        feature=np.concatenate(feature).astype(np.int64),
        is_number=np.repeat([column.is_number for column in columns], counts),
        low=np.concatenate([cells.low for cells in each]),
        high=np.concatenate([cells.high for cells in each]),
        blur=np.concatenate([cells.blur for cells in each]),
        price=space.coordinates.stretch,
    )


def _forest(
    nodes: _Nodes, columns: list[_Column], first_cell: IntArray, members: Sequence[Member], kernels: list[_Conditions]
) -> Any:
    """Return the kernel its arrays."""
    is_leaf = nodes.number_leaves()
    leaves = np.vstack([nodes.trees.value[is_leaf], np.zeros((1, nodes.trees.value.shape[1]))])  # a last one for rules
    has_tables = np.zeros(len(columns), dtype=np.uint8)
    has_tables[nodes.var[nodes.table >= 0]] = 1
    ends = np.cumsum([0, *(one.n_scores for one, _ in members)])
    gains = [leaves[:, a:b] @ one.weights.T / one.scale for one, a, b in zip(kernels, ends, ends[1:])]
    strict = [strict_conditions(*member, len(one.least)) for member, one in zip(members, kernels)]
    arrays = (nodes.trees.roots, nodes.var, nodes.cut, nodes.left, nodes.right, nodes.table)
    return Forest(
        first_cell.astype(np.int32),
        np.array([column.is_number for column in columns], dtype=np.uint8),
        has_tables,
        *(array.astype(np.int32) for array in arrays),
        np.concatenate([*nodes.tables, np.zeros(1, dtype=np.bool_)]).astype(np.uint8),
        np.ascontiguousarray(leaves),
        np.ascontiguousarray(np.hstack(gains)),
        np.concatenate([one.least for one in kernels]),
        np.concatenate([_base(one) for one, _ in members]),
        _decisions(members, kernels),
        _links(members),
        exact_leaves(leaves).astype(np.uint8),
        np.concatenate(strict).astype(np.uint8),
        _let_others_in,
    )


def _let_others_in() -> None:
    """Do nothing, in Python: whoever wants the thread to end is heard here."""


def _blur(maps: _Maps, values: FloatArray) -> FloatArray:
    """How large the terms of ``slope x + offset`` are, in units of ``x``, at a number of each cell."""
    blur = np.zeros(len(values))
    for slope, offset in maps.values():
        if slope[0] not in (0.0, 1.0) or offset != 0.0:
            blur = np.maximum(blur, np.abs(values[:, 0]) + abs(offset / slope[0] if slope[0] != 0 else 0.0))
    return blur


def _base(trees: TreeSum) -> FloatArray:
    return np.ascontiguousarray(trees.base.astype(np.float32).astype(np.float64) if trees.single else trees.base)


# What kinds of decisions are called in forest.h.
_KINDS = {Range: 0, Largest: 1, Mean: 2}


def _links(members: Sequence[Member]) -> tuple[IntArray, FloatArray, FloatArray]:
    """Describe the links of all scores for the kernel: their knots' ends, weights, slopes and offsets, and knots."""
    ends, lines, knots = [0], [], [np.zeros((0, 2))]
    for trees, decision in members:
        for place in range(trees.n_scores):
            weight, slope, offset, is_logistic = 0.0, 1.0, 0.0, 0.0
            if isinstance(decision, Mean):
                link, weight = decision.links[place], float(decision.weights[place])
                slope, offset, is_logistic = link.slope, link.offset, float(link.is_logistic)
                knots.append(np.column_stack([link.x, link.y]))
            lines.append([weight, slope, offset, is_logistic])
            ends.append(ends[-1] + (len(decision.links[place].x) if isinstance(decision, Mean) else 0))
    every = np.concatenate([*knots, np.zeros((1, 2))])  # never empty
    return np.array(ends, dtype=np.int32), np.array(lines), np.ascontiguousarray(every)


def _decisions(members: Sequence[Member], kernels: list[_Conditions]) -> list[dict[str, Any]]:
    """Describe decisions for the kernel."""
    found, tree, score = [], 0, 0
    for (trees, decision), kernel in zip(members, kernels):
        low = decision.low if isinstance(decision, Range) else decision.least if isinstance(decision, Mean) else 0.0
        found.append(
            {
                "first_tree": tree,
                "end_tree": tree + trees.n_trees,
                "first_score": score,
                "n_scores": trees.n_scores,
                "single": trees.single,
                "kind": _KINDS[type(decision)],
                "index": decision.index if isinstance(decision, Largest) else -1,
                "divisor": trees.divisor,
                "low": low,
                "high": decision.high if isinstance(decision, Range) else 0.0,
                "least_score": decision.least if isinstance(decision, Largest) else -np.inf,
                "least_log_odds": decision.least_log_odds if isinstance(decision, Largest) else -np.inf,
                "doubt": kernel.doubt,
                "reordering": kernel.doubt if trees.doubt > 0 or isinstance(decision, Mean) else 0.0,
                "unit": 1.0 if len(members) == 1 else kernel.scale / trees.divisor,
            }
        )
        tree, score = tree + trees.n_trees, score + trees.n_scores
    return found


@dataclass(frozen=True, slots=True)
class _Conditions:
    """Linear conditions ``weights · (sums of leaves) >= least``; least ones are scaled, and moved out by rounding."""

    weights: FloatArray
    least: FloatArray
    scale: float
    doubt: float


def conditions_of(trees: TreeSum, decision: Decision | Joint) -> tuple[FloatArray, FloatArray]:
    """Linear conditions ``weights · (sum of leaves) >= least`` that hold wherever the decision is taken."""
    if isinstance(decision, Joint):
        each = [conditions_of(*member) for member in decision.members]
        return block_diag(*(weights for weights, _ in each)), np.concatenate([least for _, least in each])
    weights, least = decision.rows(trees.n_scores)
    least = least * trees.divisor - weights @ trees.base
    return weights, least - _slack(trees, decision, weights, least)


def _slack(trees: TreeSum, decision: Decision, weights: FloatArray, least: FloatArray) -> FloatArray:
    """How far sums may miss each condition by rounding where the decision is taken, array of shape (n_conditions,)."""
    size = np.abs(weights).sum(axis=1)
    slack = ROUNDING_SAFETY * trees.rounding() * size
    slack += 4 * np.finfo(np.float64).eps * (np.abs(least) + size * np.abs(trees.base).max(initial=0.0))
    if trees.single and trees.n_scores > 1:
        slack += SOFTMAX_ROUNDING * (1.0 + np.abs(trees.value).max(initial=0.0) * trees.n_trees)
    if isinstance(decision, Largest) and decision.least_log_odds > -np.inf:
        # a probability p is rounded, and its log-odds by 1 / (1 - p) as much
        eps = float(np.finfo(np.float32 if trees.single else np.float64).eps)
        slack += trees.divisor * ROUNDING_SAFETY * trees.n_scores * eps * (1.0 + np.exp(decision.least_log_odds))
    return np.asarray(slack)


def is_in_doubt(trees: TreeSum, decision: Decision | Joint) -> bool:
    """Whether the model's own arithmetic may decide otherwise where conditions hold up to rounding."""
    if isinstance(decision, Joint):
        return any(is_in_doubt(*member) for member in decision.members)
    is_softmax = isinstance(decision, Largest) and (decision.least_log_odds > -np.inf or trees.single)
    return is_softmax or trees.doubt > 0 or isinstance(decision, Mean)


def _kernel(trees: TreeSum, decision: Decision) -> _Conditions:
    weights, least = conditions_of(trees, decision)
    ends = np.append(trees.roots[1:], len(trees.feature))
    ranges = 0.0
    for first, end in zip(trees.roots, ends):
        values = trees.value[first:end][trees.feature[first:end] < 0] @ weights.T
        ranges += float(np.ptp(values, axis=0).max(initial=0.0)) if len(values) else 0.0
    scale = 2.0 ** np.ceil(np.log2(ranges)) if ranges > 0 else 1.0  # a power of two: nothing is rounded
    has_doubt = is_in_doubt(trees, decision)
    doubt = float(_slack(trees, decision, weights, least).max(initial=0.0)) / trees.divisor if has_doubt else 0.0
    if isinstance(decision, Mean):  # of the sum of links, not of scores
        doubt = decision.doubt
    return _Conditions(weights, least / scale, float(scale), doubt)
