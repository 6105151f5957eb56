"""The Manhattan distance in units that mean the same in every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import check_rows
from ..projection.distance import ResolvedManhattan
from .weights import Weights, checked_price, column_names, column_weights, feature_columns, feature_weights

if TYPE_CHECKING:
    from ..table import Table

# A spread so small, relative to the typical value, is rounding: the column is taken not to vary.
SPREAD_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Manhattan distance in which one unit means the same in every column; the default for tables of mixed columns.

    A numeric column costs ``|difference| / scale``, where the scale is the median absolute deviation of the training
    rows from their median: a typical difference between two rows costs about 1, whatever the unit, and a few extreme
    values do not matter. Where that is zero (half of the rows agree, as in a rare count) it is the median absolute
    deviation of the rows that do not: to go from the usual value to a typical other one costs 1. It is 1 for a column
    that never varies. Ordered levels count by rank in the same way. A change of category costs 1, between any two
    levels. So "one typical step" has one price everywhere, and answers balance them without being asked to.

    Parameters
    ----------
    weights : mapping of column to factor, array-like of shape (n_columns,), or None, default=None
        Factor on each column's price, positive; 1 where left out. A factor of 10 makes a column ten times dearer.
    per_change : float, default=0.0
        Price of every column that changes, beside the size of its change: the larger, the fewer columns change.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Scaled
    >>> distance = Scaled().resolve(np.array([[0.0], [10.0], [20.0], [30.0], [1000.0]]))
    >>> distance(np.array([[0.0]]), np.array([[25.0]]))
    array([2.5])
    """

    weights: Weights = None
    per_change: float = 0.0

    def resolve(self, X: ArrayLike, table: Table | None = None) -> ResolvedManhattan:
        """Find the scales in the training rows ``X`` in features, of shape (n_samples, n_features).

        Missing numbers (NaN) are left out; a column without any number has the scale 1.
        """
        rows = check_rows(X, some_missing=True)
        names = column_names(table, rows.shape[1])
        factors = feature_weights(column_weights("Scaled", self.weights, names), table)
        if np.isnan(rows).any():
            rows = np.where(np.isnan(rows).all(axis=0), 0.0, rows)
            middle = np.nanmedian(rows, axis=0)
            apart = np.abs(rows - middle)
            median = np.nanmedian(apart, axis=0)
        else:
            middle = np.median(rows, axis=0)
            apart = np.abs(rows - middle)
            median = np.median(apart, axis=0)
        rounding = SPREAD_ROUNDING * np.abs(middle)
        scales = np.where(median > rounding, median, 1.0)
        for i in np.flatnonzero(~(median > rounding)).tolist():
            others = apart[apart[:, i] > rounding[i], i]
            scales[i] = np.median(others) if len(others) else 1.0
        if table is not None:
            scales[table.group >= 0] = 1.0
        return ResolvedManhattan(factors / scales, checked_price("Scaled", self.per_change), feature_columns(table))
