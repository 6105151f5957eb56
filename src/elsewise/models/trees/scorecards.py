"""Scorecards: linear models of bins and codes, as sums of one-column trees.

A linear model decides by half-spaces ``A z <= b`` of its columns. Where every column is constant between steps of one
feature, or has one number a level, each half-space is a sum of tables, and so of trees::

    A_r·z - b_r = sum over features i of  T_ir(y_i) - b_r  <=  0

The conditions are "the largest of (0, A_1·z - b_1, ..., A_m·z - b_m) is the first": a decision ensembles have already.
Sums are formed table by table here and column by column in the model, so last bits differ: the sums have a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import FloatArray, IntArray
from ...errors import UnsupportedSettingError
from ...search.relaxations.tree_sums.decisions import Largest, Range
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from .rewriting import Growing
from .steps_before import AsIs, Stepped, StepsBefore


def scorecard_region(A: FloatArray, b: FloatArray, steps: StepsBefore) -> EnsembleRegion:
    """Region of model space where ``A z <= b``, ``z`` behind steps.

    Parameters
    ----------
    A, b : arrays of shape (n_halfspaces, n_columns), (n_halfspaces,)
    steps : StepsBefore
    """
    if len(b) == 1:
        return EnsembleRegion(scorecard(A, b, steps), Range(-np.inf, 0.0))
    of_nothing = np.zeros((1, A.shape[1]))
    return EnsembleRegion(scorecard(np.vstack([of_nothing, A]), np.concatenate([[0.0], b]), steps), Largest(0))


def scorecard(A: FloatArray, b: FloatArray, steps: StepsBefore) -> TreeSum:
    """Write ``A z - b`` as a sum of trees, one a feature that is binned or a column that has levels."""
    grown, weighted = Growing(steps.n_features, len(b)), np.flatnonzero(A.any(axis=0)).tolist()
    constant, binned, with_levels = -b, dict[int, list[int]](), dict[int, list[int]]()
    size = np.abs(b)
    for j in weighted:
        column = steps.columns[j]
        if isinstance(column, Stepped):
            binned.setdefault(column.place, []).append(j)
            size = size + np.abs(A[:, j]) * np.abs(column.values).max()
        elif isinstance(column, AsIs) and column.levels is not None:
            size = size + np.abs(A[:, j]) * np.abs(column.levels).max()
            if np.ptp(column.levels) == 0:
                constant = constant + A[:, j] * column.levels[0]
            else:
                with_levels.setdefault(column.column, []).append(j)
        else:
            raise UnsupportedSettingError("A scorecard is made of columns that are binned or have levels.")
    for place, members in binned.items():
        _grow_bins(grown, place, [steps.columns[j] for j in members], A[:, members])
    for members in with_levels.values():
        _grow_levels(grown, [steps.columns[j] for j in members], A[:, members])
    if len(grown) == 0:
        grown.root()
        grown.leaf(np.zeros(len(b)))
    doubt = float(np.finfo(np.float64).eps * (len(weighted) + 2) * size.max(initial=0.0))
    return grown.trees(constant, doubt=doubt)


def is_scorecard(A: FloatArray, steps: StepsBefore) -> bool:
    """Whether every column with a weight, in ``A`` of shape (n_halfspaces, n_columns), is binned or has levels."""
    columns = [steps.columns[j] for j in np.flatnonzero(A.any(axis=0)).tolist()]
    return all(
        isinstance(column, Stepped) or (isinstance(column, AsIs) and column.levels is not None) for column in columns
    )


def _grow_bins(grown: Growing, place: int, columns: Sequence[object], A: FloatArray) -> None:
    """Grow a tree over a feature whose pieces are those of all of its columns together."""
    stepped = [column for column in columns if isinstance(column, Stepped)]
    ends = np.unique(np.concatenate([column.ends for column in stepped]))
    last = np.append(ends, np.inf)  # a number of each piece
    pieces = [column.values[np.searchsorted(column.ends, last)] for column in stepped]
    values = np.array(pieces).T @ A.T
    grown.root()
    waiting = [(0, len(last), -1, False)]
    while waiting:
        first, stop, parent, is_left = waiting.pop()
        if (values[first:stop] == values[first]).all():
            number = grown.leaf(values[first])
        else:
            middle = (first + stop) // 2
            number = grown.split(place, float(ends[middle - 1]))
            waiting += [(middle, stop, number, False), (first, middle, number, True)]
        if parent >= 0:
            grown.attach(parent, is_left, number)


def _grow_levels(grown: Growing, columns: Sequence[object], A: FloatArray) -> None:
    """Grow a tree that tells levels of one category apart by the features that are made of it."""
    seen = [column for column in columns if isinstance(column, AsIs) and column.levels is not None]
    z = np.array([column.levels for column in seen]).T
    values = z @ A.T
    grown.root()
    waiting: list[tuple[IntArray, int, bool]] = [(np.arange(len(z)), -1, False)]
    while waiting:
        levels, parent, is_left = waiting.pop()
        if (values[levels] == values[levels[0]]).all():
            number = grown.leaf(values[levels[0]])
        else:
            k = int(np.argmax(np.ptp(z[levels], axis=0) > 0))
            numbers = np.unique(z[levels, k])
            split = len(numbers) // 2
            limit = float(numbers[split - 1] + (numbers[split] - numbers[split - 1]) / 2)
            number = grown.split(seen[k].place, limit)
            waiting += [(levels[z[levels, k] > limit], number, False), (levels[z[levels, k] <= limit], number, True)]
        if parent >= 0:
            grown.attach(parent, is_left, number)
