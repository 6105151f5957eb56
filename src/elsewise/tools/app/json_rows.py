"""Rows of a table as JSON writes them, and back: numbers, and levels looked up among those the table knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray, JsonObject, ReadObject, UserData, UserValue
from ...errors import InvalidInputError
from ...rules.words import did_you_mean
from ...table import Column, Table
from ...table.frames import column_of, is_missing_value
from ..files.values import json_key, to_json

# Whole numbers below this are exact as floats.
LARGEST_EXACT = 2**53


class JsonRows:
    """Reads rows that came as ``{column: value}``, and writes rows so.

    Parameters
    ----------
    table : Table
    template : row of a frame or array, optional
        Where the values of columns come from that the model never sees.
    """

    def __init__(self, table: Table, template: Any = None) -> None:
        self.table, self.template = table, template
        self.by_name = {column.name: column for column in table.columns}
        self.names = list(self.by_name)
        self._levels = {
            column.name: {json_key(to_json(level)): level for level in column.levels} for column in table.columns
        }

    def column(self, name: str, what: str) -> Column:
        """Look a column up."""
        if name not in self.by_name:
            raise InvalidInputError(f"{what}: there is no column {name!r}. {did_you_mean(name, self.names)}")
        return self.by_name[name]

    def level(self, column: Column, value: UserValue, what: str) -> Any:
        """Look a level up as the table has it."""
        levels = self._levels[column.name]
        if json_key(value) in levels:
            return levels[json_key(value)]
        if column.open and what == "row" and value is not None:
            takes_text = any(isinstance(level, str) for level in column.levels)
            if isinstance(value, str) != takes_text:  # models that take any level take any of the same type
                expected = "text" if takes_text else "numbers"
                raise InvalidInputError(f"{what}: column {column.name!r} takes {expected}, received {value!r}.")
            return value
        known = [to_json(level) for level in column.levels]
        raise InvalidInputError(
            f"{what}: {value!r} is not a level of column {column.name!r}. {did_you_mean(value, known)}"
        )

    def number(self, column: Column, value: UserValue, what: str) -> float | int:
        """Check that a value is a number."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidInputError(f"{what}: column {column.name!r} takes numbers, received {value!r}.")
        return value

    def read(self, row: ReadObject) -> Any:
        """Turn a row that came by name into what the explainer takes: a frame or an array of one row."""
        for name in row:
            self.column(name, "row")
        missing = [name for name in self.names if name not in row]
        if missing:
            raise InvalidInputError(
                f"row: no value for {len(missing)} columns, {missing[0]!r} first; give all of them."
            )
        table = self.table
        if table.is_plain:
            return np.array([[self._number_or_nan(column, row[column.name]) for column in table.columns]], dtype=float)
        cells: list[UserValue] = [self._from_template(place) for place in range(len(table.names))]
        for column in table.columns:
            value = row[column.name]
            if column.is_group:
                level = self.level(column, value, "row")
                for source in column.sources:
                    cells[source] = int(table.names[source] == level)
            elif column.kind in ("category", "ordinal"):
                level = self.level(column, value, "row")
                cells[column.sources[0]] = column.missing if level is None else level
            else:
                cells[column.sources[0]] = self._number_or_nan(column, value)
        return _as_rows(table, cells)

    def _number_or_nan(self, column: Column, value: UserValue) -> float | int:
        return np.nan if value is None and column.may_be_missing else self.number(column, value, "row")

    def _from_template(self, place: int) -> Any:
        if self.template is None:
            return None
        return self.template.iloc[place] if hasattr(self.template, "iloc") else self.template[place]

    def write(self, given: UserData, features: FloatArray) -> list[JsonObject]:
        """Write rows by name.

        Parameters
        ----------
        given : data frame or array of shape (n_rows, n_columns)
        features : array of shape (n_rows, n_features)
            The same in the features of the table.
        """
        written: list[JsonObject] = [{} for _ in range(len(features))]
        for column in self.table.columns:
            of_column = features[:, column.features]
            values = None if column.is_group else column_of(given, column.sources[0])
            for place, row in enumerate(written):
                row[column.name] = self._written(column, of_column[place], values, place)
        return written

    def _written(self, column: Column, features: FloatArray, values: Any, place: int) -> Any:
        if column.kind in ("number", "integer"):
            if column.may_be_missing:
                value = _entry(values, place)
                if is_missing_value(value):
                    return None
            number = float(features[0])
            return int(number) if number.is_integer() and abs(number) < LARGEST_EXACT else number
        position = int(features.argmax()) if column.kind == "category" else int(features[0])
        if position < len(column.levels):
            return to_json(column.levels[position])
        return to_json(_entry(values, place))


def _entry(values: Any, place: int) -> Any:
    """One value of a series or an array."""
    return values.iloc[place] if hasattr(values, "iloc") else values[place]


def _as_rows(table: Table, cells: list[UserValue]) -> Any:
    """One row, in the dtypes of the training data wherever they hold it."""
    if not table.named:
        row = np.empty((1, len(cells)), dtype=object)
        row[0, :] = cells
        return row
    import pandas

    columns = [_series(pandas, value, dtype) for value, dtype in zip(cells, table.dtypes)]
    return pandas.concat(columns, axis=1).set_axis(list(table.names), axis=1)


def _series(pandas: Any, value: UserValue, dtype: Any) -> Any:
    """Put a value in a series of its column's dtype if that does not change it, else of whatever holds it."""
    try:
        typed = pandas.Series([value], dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        return pandas.Series([value], dtype=object if isinstance(value, (str, type(None))) else None)
    cell = typed.iloc[0]
    same = is_missing_value(cell) if is_missing_value(value) else bool(not is_missing_value(cell) and cell == value)
    return typed if same else pandas.Series([value])
