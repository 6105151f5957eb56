"""A question as a function of frames: rows in, answers out, in a schema that is known beforehand."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...arrays import UserData, UserTarget, UserValue
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...questions import Options
from ...questions.explain import explain_rows
from ...table.as_trained import as_trained
from ...table.frames import as_table, is_frame
from ...table.rows import column_names
from ..files.values import MOST_NAMES
from .schema import Schema, answer_frame, error_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Mapper:
    """One question about any rows; made by :meth:`elsewise.Explainer.mapper`.

    It can be pickled and sent to other processes. Called with a frame it gives a frame of answers, a line an answer, in
    the order of the rows and with their index; rows that are wrong have the status ``"error"`` and their message in the
    column ``error``.

    Attributes
    ----------
    fitted : FittedModel
    target : label, (low, high) or None
    options : Options
        How it is asked; rows that are wrong have errors of their own.
    layout : Schema
        The columns of the answers.
    n_jobs : int or None
        Threads in each process.
    """

    fitted: FittedModel
    target: UserTarget
    options: Options
    layout: Schema
    n_jobs: int | None = None

    @property
    def meta(self) -> pd.DataFrame:
        """An empty data frame with the columns and dtypes of the answers: ``meta`` of Dask's ``map_partitions``."""
        return self.layout.meta

    @property
    def schema(self) -> pa.Schema:
        """The columns and types of the answers for Arrow and Parquet."""
        return self.layout.arrow

    @property
    def spark_schema(self) -> str:
        """The columns and types of the answers for Spark's ``mapInPandas``."""
        return self.layout.spark

    def __call__(self, rows: UserData) -> pd.DataFrame:
        """Answer for rows.

        Parameters
        ----------
        rows : data frame (pandas, polars, Arrow), mapping of column names to arrays, or array of (n_rows, n_columns)

        Returns
        -------
        data frame
            With the columns of :attr:`meta`, whatever the rows are.

        Raises
        ------
        InvalidInputError
            If a column is missing from the frame as a whole. What is wrong with single rows is stated in the answers.
        """
        frame = self._as_frame(rows)
        self._check_columns(frame)
        return self._answered(frame) if len(frame) else self.meta.set_axis(frame.index, axis=0)

    def batches(self, frames: Iterable[UserData]) -> Iterator[pd.DataFrame]:
        """Answer for one frame after the other, as Spark's ``mapInPandas`` hands them over."""
        for frame in frames:
            yield self(frame)

    def explain(self, rows: pd.DataFrame) -> Explanations:
        """Return the answers as :meth:`elsewise.Explainer.explain` does."""
        return explain_rows(self.fitted, self._typed(rows), self.target, self.options, n_jobs=self.n_jobs)

    def __dask_tokenize__(self) -> str:
        """Name the question: the same for the same explainer, so that Dask knows results again."""
        return hashlib.sha256(pickle.dumps(self)).hexdigest()

    def _answered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Answer for rows, and where something raises that is no row's known fault, find out for which row."""
        import pandas

        try:
            return answer_frame(self.explain(frame), frame, self.layout)
        except MemoryError:
            raise
        except Exception as error:  # whatever a model raises for a row is that row's error, and is stated there
            if len(frame) == 1:
                return error_frame(frame, f"{type(error).__name__}: {error}", self.layout)
        half = len(frame) // 2
        return pandas.concat([self._answered(frame.iloc[:half]), self._answered(frame.iloc[half:])])

    def _as_frame(self, rows: UserData) -> pd.DataFrame:
        import pandas

        if isinstance(rows, Mapping):
            return pandas.DataFrame({name: _one_dimensional(values) for name, values in rows.items()})
        frame = as_table(rows, name="rows")
        return frame if is_frame(frame) else pandas.DataFrame(frame, columns=list(self.fitted.table.names))

    def _check_columns(self, frame: pd.DataFrame) -> None:
        missing = [each.source for each in self.layout.ids if each.source not in frame.columns]
        if missing:
            there = list(frame.columns)[:MOST_NAMES]
            raise InvalidInputError(f"id_columns: the rows have no column {missing[0]!r}; there are {there}.")
        self.fitted.table.own_columns(self._without_ids(frame), name="rows")

    def _without_ids(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Leave out what is copied only, where columns are found by position."""
        table = self.fitted.table
        if table.named and column_names(frame) is not None:
            return frame
        return frame.drop(columns=[each.source for each in self.layout.ids if each.source not in table.names])

    def _typed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows in the dtypes of the training data, which engines do not keep, wherever these hold them."""
        table = self.fitted.table
        own: UserValue = table.own_columns(self._without_ids(frame), name="rows")
        if not table.dtypes:
            return own
        by_source = {source: column for column in table.columns for source in column.sources}
        typed = {}
        for place, dtype in enumerate(table.dtypes):
            values = own.iloc[:, place]
            are_numbers = values.dtype.kind in "fiub" and getattr(dtype, "kind", "O") in "fiub"
            if dtype is not None and not are_numbers:
                typed[place] = as_trained(values, dtype, by_source.get(place))
        own = own.copy(deep=False) if typed else own
        for place, values in typed.items():
            own.isetitem(place, values)
        return own


def _one_dimensional(values: Any) -> Any:
    """Return an array as pandas takes it for a column."""
    array = np.asarray(values)
    return array if array.ndim == 1 else list(array)
