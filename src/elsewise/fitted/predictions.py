"""A model as it is asked: points written in the user's columns, and what the model says of them.

Rows with missing values where a density is asked for: none is known of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import AnyArray, BoolArray, Estimator, FloatArray, IntArray, UserData, is_missing
from ..table import Table
from ..table.frames import column_of, is_frame, rows_of, written
from ..table.rows import column_names
from ..table.types import UserRows


def as_model_input(
    model: Estimator,
    table: Table,
    points: FloatArray,
    given: UserData,
    rows: FloatArray | None,
    places: IntArray | None = None,
) -> Any:
    """Write points in the user's columns, and with names if the model saw names.

    Parameters
    ----------
    model : estimator or Pipeline
    table : Table
    points : array of shape (n_samples, n_features)
    given : data frame or array of shape (n_given, n_columns)
        The rows they come from: what the table does not know is echoed from these.
    rows : array of shape (n_given, n_features), or None
        These rows in features; None if the points are the rows themselves.
    places : int array of shape (n_samples,), optional
        The row that each point comes from; by default they are as many, in the same order.
    """
    if not table.is_plain or is_frame(given) or table.keeps_missing:
        rows_written: Any = table.decode(points, given, encoded=points if rows is None else rows, places=places)
    else:
        rows_written = points
    if getattr(model, "takes_rows_as_given", False):
        return rows_written
    if is_frame(rows_written):
        rows_written = table.with_trained_dtypes(rows_written)
    if not hasattr(model, "feature_names_in_"):  # names would be a surprise to a model fitted on arrays
        return np.asarray(rows_written) if column_names(rows_written) else rows_written
    if is_frame(rows_written):
        return rows_written
    import pandas

    return pandas.DataFrame(rows_written, columns=model.feature_names_in_)


@dataclass(frozen=True, slots=True, eq=False)
class AskedModel:
    """A model that can be asked about points in features, whatever rows they come from.

    Attributes
    ----------
    model : estimator or Pipeline
    table : Table
    classes : array of labels, or None for a regressor
    example : data frame or array of shape (1, n_columns)
        A row in the user's columns: what the table does not know is echoed from it.
    features : array of shape (1, n_features)
        The same in features; NaN where it lacks a value that points have.
    """

    model: Estimator
    table: Table
    classes: AnyArray | None
    example: UserRows
    features: FloatArray

    @classmethod
    def of(
        cls,
        model: Estimator,
        table: Table,
        classes: AnyArray | None,
        example: UserRows,
        features: FloatArray,
        missing: BoolArray | None,
    ) -> AskedModel:
        """Make it of a training row, for points in which some features, or None, are missing.

        Parameters
        ----------
        model, table, classes, example : as the attributes
        features : array of shape (1, n_features)
            The example in features, with what stands for missing values.
        missing : bool array of shape (n_features,), or None
        """
        lacks = table.missing(example)[0]
        gone = np.zeros_like(lacks) if missing is None else missing
        if (gone & ~lacks).any():
            sources = [column.sources[0] for column in table.columns if gone[column.start] and not lacks[column.start]]
            example = _without(example, sources)
        stand_ins = np.zeros(table.n_features)
        for column in table.columns:
            stand_ins[column.start] = column.stand_in
        # what is missing of points is what stands for it: it is echoed, as it is of the row itself
        return cls(model, table, classes, example, np.where(gone, stand_ins, np.where(lacks, np.nan, features)))

    def predict(self, points: FloatArray) -> AnyArray:
        """Ask for labels or numbers, shape (n_samples,)."""
        return np.asarray(self.model.predict(self._written(points))).ravel()

    def probabilities(self, points: FloatArray) -> FloatArray | None:
        """Ask for probabilities, shape (n_samples, n_classes); None if there are none."""
        if not hasattr(self.model, "predict_proba"):
            return None
        return np.asarray(self.model.predict_proba(self._written(points)), dtype=np.float64)

    def decision_values(self, points: FloatArray) -> FloatArray | None:
        """Ask for decision values, one a row or one a class; None if there are none."""
        if not hasattr(self.model, "decision_function"):
            return None
        return np.asarray(self.model.decision_function(self._written(points)), dtype=np.float64)

    def is_defined(self, points: FloatArray) -> BoolArray:
        """Whether points can be written: no derived column is divided by zero there, shape (n_samples,)."""
        defined = np.ones(len(points), dtype=np.bool_)
        for values in self.table.derived_values(points).values():
            defined &= ~np.isinf(values)
        return defined

    def _written(self, points: FloatArray) -> Any:
        again = np.zeros(len(points), dtype=np.int64)
        return as_model_input(self.model, self.table, points, rows_of(self.example, again), self.features[again])


def _without(row: UserRows, sources: list[int]) -> UserRows:
    """Blank columns of a row."""
    if is_frame(row):
        row = row.copy()
        for source in sources:
            row.isetitem(source, written(row.iloc[:, source], np.array([0]), [None]))
        return row
    blank: AnyArray = row.astype(np.float64) if row.dtype.kind in "iub" else row.copy()
    blank[:, sources] = np.nan
    return blank


def without_gaps(X: UserRows) -> int:
    """Find the first row that lacks nothing, or the first of all."""
    gaps = np.zeros(len(X), dtype=np.bool_)
    for place in range(X.shape[1]):
        gaps |= is_missing(column_of(X, place))
    return int(gaps.argmin())
