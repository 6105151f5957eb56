"""Weights: a positive price a column, spread over its features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray, IntArray
from ..errors import NAMES_ARE_TEXT, InvalidInputError

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
    """Give a price per change as a number, 0 or more."""
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
