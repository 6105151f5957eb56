"""The Manhattan distance, with a weight a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ..arrays import check_rows
from ..projection.distance import ResolvedManhattan
from .weights import Weights, checked_price, column_names, column_weights, feature_columns, feature_weights

if TYPE_CHECKING:
    from ..table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Manhattan:
    """Weighted Manhattan distance, ``sum_j weights_j |x_j - y_j|`` (Eq. weighted_l1). Prefers few changed columns.

    Parameters
    ----------
    weights : array-like of shape (n_columns,), mapping of column to weight, or None, default=None
        Positive price of a unit of change of each column, of any change for a category; None, and columns a mapping
        leaves out, have 1.
    per_change : float, default=0.0
        Price of every column that changes, beside the size of its change: the larger, the fewer columns change.

    Examples
    --------
    >>> import numpy as np
    >>> from elsewise.distances import Manhattan
    >>> distance = Manhattan(weights=[1.0, 10.0]).resolve(np.zeros((5, 2)))
    >>> distance(np.array([[0.0, 0.0]]), np.array([[3.0, -1.0]]))
    array([13.])
    """

    weights: Weights = None
    per_change: float = 0.0

    def resolve(self, X: ArrayLike, table: Table | None = None) -> ResolvedManhattan:
        """Check the weights against the training rows ``X`` in features, of shape (n_samples, n_features).

        Numbers may be missing (NaN).
        """
        names = column_names(table, check_rows(X, some_missing=True).shape[1])
        weights = feature_weights(column_weights("Manhattan", self.weights, names), table)
        return ResolvedManhattan(weights, checked_price("Manhattan", self.per_change), feature_columns(table))
