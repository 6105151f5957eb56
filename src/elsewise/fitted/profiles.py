"""Profiles: how the training rows of a class are distributed, column by column, small enough to keep and to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..table import Table

# Bins of a histogram: more cannot be told apart in a small picture.
MOST_BINS = 40
FEWEST_BINS = 10
# Values whose spread is a smaller share of their size than this get wider bins: edges must not round to each other.
NARROWEST_SPREAD = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """Distribution of one column among the training rows of a class.

    Attributes
    ----------
    name : str
    kind : "number", "integer", "ordinal" or "category"
    counts : int array of shape (n_bins,) or (n_levels,)
    edges : array of shape (n_bins + 1,)
        Of numbers; empty for levels.
    levels : tuple
        As the user writes them; empty for numbers.
    percentiles : array of shape (101,)
        Of numbers, from the smallest to the largest; empty for levels.
    """

    name: str
    kind: str
    counts: IntArray
    edges: FloatArray
    levels: tuple[Any, ...]
    percentiles: FloatArray

    def share_at_most(self, value: float) -> float:
        """Share of the rows whose number is at most ``value``."""
        return float(
            np.interp(value, self.percentiles, np.linspace(0.0, 1.0, len(self.percentiles)), left=0.0, right=1.0)
        )


def profiles_of(table: Table, rows: FloatArray) -> tuple[ColumnProfile, ...]:
    """Profile the columns of a table over rows in features, of shape (n_samples, n_features); NaN is left out."""
    profiles = []
    for column in table.columns:
        values, nothing = rows[:, column.start : column.stop], np.empty(0)
        if column.kind == "category":
            counts = values[:, : len(column.levels)].sum(axis=0).astype(np.int64)
            profiles.append(ColumnProfile(column.name, column.kind, counts, nothing, column.levels, nothing))
        elif column.kind == "ordinal":
            counts = np.bincount(values[:, 0].astype(np.int64), minlength=len(column.levels))
            profiles.append(ColumnProfile(column.name, column.kind, counts, nothing, column.levels, nothing))
        else:
            numbers = values[~np.isnan(values[:, 0]), 0]
            if len(numbers) == 0:
                numbers = np.array([column.stand_in])
            counts, edges = np.histogram(numbers, bins=_bins(numbers, column.kind == "integer"))
            percentiles = np.percentile(numbers, np.arange(101))
            profiles.append(ColumnProfile(column.name, column.kind, counts, edges, (), percentiles))
    return tuple(profiles)


def _bins(values: FloatArray, whole: bool) -> Any:
    """Bins of numbers; of a few whole numbers, one a number."""
    low, high = float(values.min()), float(values.max())
    if whole and high - low < MOST_BINS:
        return np.arange(np.floor(low) - 0.5, high + 1.0)
    n_bins = min(MOST_BINS, max(FEWEST_BINS, int(np.sqrt(len(values)))))
    size = max(abs(low), abs(high))
    if 0 < high - low <= NARROWEST_SPREAD * size:  # floats next to each other leave no room for bins between them
        return np.linspace(low - NARROWEST_SPREAD * size, high + NARROWEST_SPREAD * size, n_bins + 1)
    return n_bins
