"""Clauses of several columns as rules over cells: cells of a few columns that never come together.

A clause fails at a point if all its literals do. Cells that lie all outside its literals fail it for sure, whatever
number of the cell is taken: together, one a column, they are what no answer has. Cells that are partly outside are left
to others, and so are clauses that cannot be written so; answers are checked against the clauses themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....arrays import BoolArray, FloatArray, IntArray
from ... import BoxRequest, Clauses
from .indexed import IndexedTrees

# First part of each rule, and the parts: columns, first and last cells; as in rules.h.
CellRules = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


def cell_rules(trees: IndexedTrees, clauses: Clauses, low: FloatArray, high: FloatArray) -> CellRules | None:
    """Write the clauses of one row over cells; None if there are none to write.

    Parameters
    ----------
    trees : IndexedTrees
    clauses : Clauses
        Of the row alone.
    low, high : arrays of shape (n_cells,)
        First and last number that an answer may have in each cell; low above high if there is none.
    """
    var_of: IntArray = np.zeros(int(trees.feature.max()) + 1, dtype=np.int64)
    var_of[trees.feature] = np.repeat(np.arange(trees.n_vars), np.diff(trees.first_cell))
    clause, var = clauses.clause_of, var_of[clauses.feature]
    group, place = np.unique(clause * trees.n_vars + var, return_inverse=True)
    is_number = trees.is_number[trees.first_cell[:-1]]
    written = _written(clauses, is_number[var], place)
    # what fails is strictly between these, for a number; for a level that is not to be had, its own cell
    below, above = np.full(len(group), -np.inf), np.full(len(group), np.inf)
    np.maximum.at(below, place, np.where(clauses.low[0] == -np.inf, clauses.high[0], -np.inf))
    np.minimum.at(above, place, np.where(clauses.high[0] == np.inf, clauses.low[0], np.inf))
    of_group = np.zeros(len(group), dtype=np.int64)
    of_group[place] = clauses.feature
    first, last = np.zeros(len(group), dtype=np.int64), np.full(len(group), -1)
    for v in np.unique(var).tolist():
        start, end = trees.first_cell[v : v + 2]
        mine = np.flatnonzero(group % trees.n_vars == v)
        if is_number[v]:
            left = np.flatnonzero(low[start:end] <= high[start:end])
            a = np.searchsorted(low[start:end][left], below[mine], side="right")
            b = np.searchsorted(high[start:end][left], above[mine], side="left") - 1
            is_some = a <= b
            first[mine[is_some]], last[mine[is_some]] = left[a[is_some]], left[b[is_some]]
        else:
            level = np.argmax(trees.feature[start:end] == of_group[mine][:, None], axis=1)
            first[mine] = last[mine] = level
    return _rules(group // trees.n_vars, group % trees.n_vars, first, last, written, clauses.binds[0])


def ends_in_cells(trees: IndexedTrees, box: BoxRequest) -> tuple[FloatArray, FloatArray]:
    """First and last number that a row may get in each cell, arrays of shape (n_cells,); low above high if none."""
    feature = trees.feature
    low, high = np.maximum(trees.low, box.lower[feature]), np.minimum(trees.high, box.upper[feature])
    if box.pieces is not None:
        low, high = box.pieces.hulls(feature, low, high)
    own, is_whole = box.row[feature], box.integer[feature]
    stays = (low <= own) & (own <= high)
    first, last = np.ceil(low), np.floor(high)
    first, last = np.where(stays, np.minimum(own, first), first), np.where(stays, np.maximum(own, last), last)
    return np.where(is_whole, first, low), np.where(is_whole, last, high)


def _written(clauses: Clauses, about_number: BoolArray, place: IntArray) -> BoolArray:
    """Which clauses are written: numbers up to an end or from one on, levels that are not to be had, one a category."""
    low, high = clauses.low[0], clauses.high[0]
    is_fine = np.where(about_number, (low == -np.inf) | (high == np.inf), (low == -np.inf) & (high < 1.0))
    is_fine &= about_number | (np.bincount(place)[place] == 1)
    return np.asarray(np.logical_and.reduceat(is_fine, clauses.first))


def _rules(
    clause: IntArray, var: IntArray, first: IntArray, last: IntArray, written: BoolArray, binds: BoolArray
) -> CellRules | None:
    """Put parts together, arrays of shape (n_parts,), sorted by clause; a clause without cells to fail in is none."""
    fails = np.bincount(clause, first > last, len(written)) == 0
    kept = (fails & written & binds)[clause]
    if not kept.any():
        return None
    starts = np.flatnonzero(np.diff(clause[kept], prepend=-1, append=-1))
    parts = (starts, var[kept], first[kept], last[kept])
    ends, columns, lows, highs = (np.ascontiguousarray(part, dtype=np.int32) for part in parts)
    return ends, columns, lows, highs
