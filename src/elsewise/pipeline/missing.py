"""Missing values that reach the final estimator: columns in which they stay missing, and what stands for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Estimator, FloatArray, UserValue, is_missing
from ..models import takes_missing
from ..table.column import Column
from ..table.frames import column_of, floats_of, is_frame
from ..table.table import Table
from ..table.types import UserColumn, UserRows
from .steps import Step
from .transformers.native_categories import NativeCategories


def with_missing(table: Table, estimator: Estimator, steps: Sequence[Step], X: UserRows) -> Table:
    """Let missing values stay so where the model takes them.

    Behind transformers of a pipeline only columns in which values were missing in the training data: others may be
    refused there.

    Parameters
    ----------
    table : Table
    estimator : the final estimator
    steps : sequence of Step
        In front of it.
    X : data frame or array of shape (n_samples, n_columns)
        Training rows.
    """
    if not takes_missing(estimator):
        return table
    are_own = all(isinstance(step.transformer, NativeCategories) for step in steps)
    native = {place for step in steps if are_own for place in step.transformer.codes}
    return table.with_columns([_column(column, X, are_own, native) for column in table.columns])


def with_missing_as_seen(table: Table, X: UserRows) -> Table:
    """Let missing values stay so in columns in which training rows lack them: the model takes them there."""
    return table.with_columns([_column(column, X, False, set()) for column in table.columns])


def effect_of_missing(table: Table, row: UserRows, transform: Callable[[UserRows], FloatArray]) -> FloatArray | None:
    """Return what indicators of missing numbers add in model space, shape (n_out, n_features); None without such.

    Parameters
    ----------
    table : Table
    row : data frame or array of shape (1, n_columns)
        It is transformed with a number missing, and with what stands for it.
    transform : function of such a row
        Gives an array of shape (n_out,).
    """
    if not table.indicated.any():
        return None
    effects = {}
    for column in table.columns:
        if column.is_indicated:
            missing, filled = (transform(_with_value(row, column.sources[0], v)) for v in (np.nan, column.fill))
            effects[column.start] = missing - filled
    nothing = np.zeros_like(next(iter(effects.values())))
    return np.column_stack([effects.get(place, nothing) for place in range(table.n_features)])


def _with_value(row: UserRows, source: int, value: UserValue) -> UserRows:
    row = row.copy()
    if is_frame(row):
        row.isetitem(source, np.array([value], dtype=np.float64))
    else:
        row[:, source] = value
    return row


def _column(column: Column, X: UserRows, are_own: bool, native: set[int]) -> Column:
    if column.kind == "category":
        return replace(column, missing_stays=column.sources[0] in native)
    values = column_of(X, column.sources[0])
    if column.kind == "ordinal" or column.fill is not None or not (are_own or is_missing(values).any()):
        return column
    return replace(column, missing_stays=True, stand_in=_typical(values, column.kind == "integer"))


def _typical(values: UserColumn, whole: bool) -> float:
    """Return a number amid those that are there, so that the table's numbers keep their size."""
    try:
        numbers = floats_of(values)
    except ValueError:  # text among numbers, which the table refuses with a better word
        return 0.0
    numbers = numbers[np.isfinite(numbers)]
    middle = float(np.median(numbers)) if len(numbers) else 0.0
    return float(np.round(middle)) if whole else middle
