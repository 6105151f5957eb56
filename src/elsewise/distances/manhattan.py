"""The Manhattan distance, with a weight a column.

Weights: a positive price a column, spread over its features.

The Manhattan distance in units that mean the same in every column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray, IntArray, check_rows
from ..errors import NAMES_ARE_TEXT, InvalidInputError
from ..projection.distance import ResolvedManhattan

if TYPE_CHECKING:
    from ..table import Table


Weights = ArrayLike | Mapping[str, float] | None


def column_weights(name: str, weights: Weights, columns: tuple[str, ...]) -> FloatArray:
    """One positive weight a column, array of shape (n_columns,)."""
    d = len(columns)
    if weights is None:
        return np.ones(d)
    if isinstance(weights, Mapping):
        unknown = [key for key in weights if key not in columns]
        if unknown:
            hint = "" if isinstance(unknown[0], str) else f" {NAMES_ARE_TEXT}"
            raise InvalidInputError(
                f"{name} weights: there is no column {unknown[0]!r}. The columns are {few_names(columns)}.{hint}"
            )
        weights = [weights.get(column, 1.0) for column in columns]
    values = as_numbers("weights", weights)
    if values.shape != (d,):
        raise InvalidInputError(
            f"{name} weights: expected one for each of the {d} features, shape ({d},), received shape {values.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0.0)))
    if len(wrong):
        raise InvalidInputError(
            f"{name} weights must be finite and positive, received {values[wrong[0]]} at index {wrong[0]}"
            f"{f' ({len(wrong)} wrong in all)' if len(wrong) > 1 else ''}. "
            "Make a feature cheap with a small weight; forbid changes by a constraint, not by an infinite weight."
        )
    return values


def feature_weights(weights: FloatArray, table: Table | None) -> FloatArray:
    """Weights of features from those of columns; a category's indicators have half of its price each."""
    if table is None:
        return weights
    widths = [column.stop - column.start for column in table.columns]
    return np.asarray(np.repeat(weights, widths) * np.where(table.group >= 0, 0.5, 1.0))


def checked_price(name: str, price: object) -> float:
    """Return a price per change as a number, 0 or more."""
    if isinstance(price, bool) or not isinstance(price, Real) or not 0.0 <= float(price) < inf:
        raise InvalidInputError(f"{name} per_change: expected a finite number, 0 or more, received {price!r}.")
    return float(price)


def feature_columns(table: Table | None) -> IntArray | None:
    """Column of each feature, array of shape (n_features,); None where every feature is a column."""
    if table is None:
        return None
    return np.repeat(np.arange(len(table.columns)), [column.stop - column.start for column in table.columns])


def column_names(table: Table | None, n_features: int) -> tuple[str, ...]:
    """Names of a table's columns; without a table every feature is a column."""
    if table is None:
        return tuple(f"x{place}" for place in range(n_features))
    return tuple(column.name for column in table.columns)


def as_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Copy of ``values`` as float64; the result shares no memory with the user's array."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be an array of numbers, received {values!r}: {error}.") from error


def few_names(names: Sequence[str]) -> str:
    """Write the first names of many."""
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")


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
