"""What suggested rules need to know of the training rows, column by column; small, and no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from ...arrays import AnyArray, FloatArray, UserValue
from ..words import is_boolean
from .column_words import EDUCATION as EDUCATION_WORDS
from .column_words import education_ranks, finds, number_ranks, words_of

if TYPE_CHECKING:
    from ...table.column import Column
    from ...table.table import Table

# Distinct values that columns have at least which are in the same order by no chance.
FEWEST_VALUES = 8


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFacts:
    """What a column holds in the training rows.

    Attributes
    ----------
    name : str
    kind : "number", "integer", "ordinal", "category" or "boolean"
    levels : tuple
        As the user writes them, without the missing value; empty for numbers.
    ranks : tuple of (level, float)
        Levels of a category in an order that their own text tells, lowest first; empty where it tells none.
    low, high : float
        Smallest and largest number; NaN for levels.
    spread : float
        Interquartile range of numbers; NaN for levels.
    n_distinct, n_rows : int
        Distinct values, and rows in which there is one.
    correlations : tuple of (label, float)
        Spearman's rank correlation of the column with having the label; for a regressor with its number, label None.
        Columns without an order have none.
    means : tuple of (label, tuple of (level, float))
        Share of the rows with each level that have the label; for a regressor the mean of its number.
    spreads : tuple of (label, float)
        Standard deviation of having the label, or of the regressor's number.
    counts : tuple of (level, int)
    twin : str
        Another column of numbers that determines this one, and the reverse, in every training row, in the same or the
        opposite order; empty without one.
    step : float
        What nearly all values are multiples of; zero if that is not known.
    """

    name: str
    kind: str
    levels: tuple[UserValue, ...]
    ranks: tuple[tuple[UserValue, float], ...]
    low: float
    high: float
    spread: float
    n_distinct: int
    n_rows: int
    correlations: tuple[tuple[UserValue, float], ...]
    means: tuple[tuple[UserValue, tuple[tuple[Any, float], ...]], ...] = ()
    spreads: tuple[tuple[UserValue, float], ...] = ()
    counts: tuple[tuple[UserValue, int], ...] = ()
    twin: str = ""
    step: float = 0.0


def facts_of_columns(
    table: Table, rows: FloatArray, y: AnyArray | None, classes: AnyArray | None
) -> tuple[ColumnFacts, ...]:
    """Return the facts of all columns.

    Parameters
    ----------
    table : Table
    rows : array of shape (n_samples, n_features)
        Encoded training rows, NaN where a number is missing.
    y : array of shape (n_samples,), or None
    classes : array of labels, or None for a regressor
    """
    targets: dict[UserValue, FloatArray] = {}
    y = None if y is None or y.shape != (len(rows),) else y
    if y is not None and classes is not None:
        targets = {label: (y == label).astype(np.float64) for label in classes.tolist()}
    elif y is not None and classes is None and y.dtype.kind in "biuf":
        targets = {None: y.astype(np.float64)}
    twins = _twins(table, rows)
    return tuple(
        replace(_facts(column, rows[:, column.features], targets), twin=twins.get(column.name, ""))
        for column in table.columns
    )


def _twins(table: Table, rows: FloatArray) -> dict[str, str]:
    """Return columns of numbers that are in the same order as another one in all rows, or in the opposite one."""
    first_with: dict[bytes, str] = {}
    twins: dict[str, str] = {}
    for column in table.columns:
        if column.kind not in ("number", "integer") or not np.isfinite(rows[:, column.start]).all():
            continue
        seen, ranks = np.unique(rows[:, column.start], return_inverse=True)
        if len(seen) < FEWEST_VALUES:
            continue
        orders = [ranks.tobytes(), (len(seen) - 1 - ranks).tobytes()]
        known = next((first_with[order] for order in orders if order in first_with), "")
        first_with.setdefault(orders[0], column.name)
        # numbers that never repeat are in the same order by nature where there are few rows
        if known and len(seen) < len(rows):
            twins |= {column.name: known, known: column.name}
    return twins


def _facts(column: Column, values: FloatArray, targets: Mapping[UserValue, FloatArray]) -> ColumnFacts:
    levels = tuple(level for level in column.levels if level is not None)
    numbers = values[:, 0] if column.kind != "category" else np.full(len(values), np.nan)
    ranks: dict[UserValue, float] = {}
    if column.kind == "category":
        is_education = finds(EDUCATION_WORDS, words_of(column.name))
        ranks = education_ranks(levels) if is_education else number_ranks(levels)
        for place, level in enumerate(column.levels):
            if level in ranks:
                numbers[values[:, place] == 1.0] = ranks[level]
        if is_boolean(column):
            numbers = values[:, [bool(level) for level in column.levels].index(True)] if True in levels else numbers
    holds = {level: values[:, place] == 1.0 for place, level in enumerate(column.levels) if column.kind == "category"}
    holds = {level: rows for level, rows in holds.items() if level is not None and rows.any()}
    is_there = ~np.isnan(numbers)
    is_number = column.kind in ("number", "integer") and bool(is_there.any())
    return ColumnFacts(
        name=column.name,
        kind="boolean" if is_boolean(column) else column.kind,
        levels=levels,
        ranks=tuple(sorted(ranks.items(), key=lambda item: item[1])),
        low=float(numbers[is_there].min()) if is_number else np.nan,
        high=float(numbers[is_there].max()) if is_number else np.nan,
        spread=float(np.subtract(*np.quantile(numbers[is_there], [0.75, 0.25]))) if is_number else np.nan,
        n_distinct=len(np.unique(numbers[is_there])) if is_number else len(levels),
        n_rows=int(is_there.sum()) if is_number else len(values),
        correlations=tuple((label, _rank_correlation(numbers[is_there], y[is_there])) for label, y in targets.items()),
        means=tuple(
            (label, tuple((level, float(y[rows].mean())) for level, rows in holds.items()))
            for label, y in targets.items()
        ),
        spreads=tuple((label, float(y.std())) for label, y in targets.items()),
        counts=tuple((level, int(rows.sum())) for level, rows in holds.items()),
    )


def _rank_correlation(values: FloatArray, y: FloatArray) -> float:
    """Return Spearman's rank correlation, 0 where one of the two is constant."""
    if len(values) < 2 or np.ptp(values) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(values), rankdata(y))[0, 1])
