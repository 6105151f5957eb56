"""The columns of a mapper's answers, known before the first row is: for pandas, Arrow and Spark.

Four kinds of values are enough for all of them, and each may be missing: text, numbers, whole numbers, truth values.

Answers as a frame in a given schema, column by column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...answers import Explanations
from ...arrays import AnyArray, JsonObject, ReadObject, UserValue
from ...errors import InvalidInputError, MissingDependencyError
from ...table import Column, Table
from ...table.frames import floats_of, is_missing_value, objects_of
from ...table.types import UserDtype
from ..files.answers import shown_fields

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# Word before the name of an id column that is called as one of the answer's own columns.
TAKEN_ID = "data_"
# Word before the name of a counterfactual's column that is called as one of the others.
TAKEN_COLUMN = "counterfactual_"

Kind = Literal["text", "number", "whole", "truth"]
_PANDAS: dict[Kind, str] = {"text": "string", "number": "float64", "whole": "Int64", "truth": "boolean"}
_SPARK: dict[Kind, str] = {"text": "string", "number": "double", "whole": "bigint", "truth": "boolean"}
_OF_DTYPE: dict[str, Kind] = {"f": "number", "i": "whole", "u": "whole", "b": "truth"}
_OF_TYPE: dict[UserValue, Kind] = {float: "number", int: "whole", bool: "truth"}


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column of the answers.

    Attributes
    ----------
    name : str
    kind : "text", "number", "whole" or "truth"
    source : str or int or None
        For an id column the name it has in the data; for a counterfactual's column its position in the table.
    """

    name: str
    kind: Kind
    source: str | int | None = None

    @property
    def pandas_dtype(self) -> str:
        """Its dtype in a data frame."""
        return _PANDAS[self.kind]


@dataclass(frozen=True, slots=True)
class Schema:
    """All columns of the answers, in order.

    Attributes
    ----------
    ids, stated, counterfactual : tuple of OutputColumn
        Columns copied from the data, what is known of an answer, and the counterfactual itself.
    """

    ids: tuple[OutputColumn, ...]
    stated: tuple[OutputColumn, ...]
    counterfactual: tuple[OutputColumn, ...]

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        """All of them."""
        return self.ids + self.stated + self.counterfactual

    @property
    def meta(self) -> pd.DataFrame:
        """A data frame without rows."""
        import pandas

        return pandas.DataFrame({each.name: pandas.Series([], dtype=each.pandas_dtype) for each in self.columns})

    @property
    def arrow(self) -> pa.Schema:
        """The schema of Arrow tables and Parquet files."""
        try:
            import pyarrow
        except ImportError as error:
            raise MissingDependencyError(
                "mapper.schema needs pyarrow. Install it with: pip install 'elsewise[files]'"
            ) from error
        types = {
            "text": pyarrow.string(), "number": pyarrow.float64(), "whole": pyarrow.int64(), "truth": pyarrow.bool_()
        }  # fmt: skip
        return pyarrow.schema([(each.name, types[each.kind]) for each in self.columns])

    @property
    def spark(self) -> str:
        """The schema as Spark reads it from text, which needs no Spark here."""
        quoted = [each.name.replace("`", "``") for each in self.columns]
        return ", ".join(f"`{name}` {_SPARK[each.kind]}" for name, each in zip(quoted, self.columns))


def schema_of(
    table: Table,
    classes: AnyArray | None,
    id_columns: Sequence[str] | ReadObject,
    *,
    has_least_probability: bool,
    several: bool,
    sentences: bool,
) -> Schema:
    """Find the columns of the answers to a question.

    Parameters
    ----------
    table : Table
        In which answers are written.
    classes : array of labels, or None for a regressor
    id_columns : sequence of names, or mapping of name to dtype
    has_least_probability, several, sentences : bool
        What was asked for: a least probability, several answers a row, sentences.
    """
    stated = _columns_stated(classes, has_least_probability=has_least_probability, several=several, sentences=sentences)
    taken = {each.name for each in stated}
    ids = tuple(
        OutputColumn(f"{TAKEN_ID}{name}" if name in taken else name, _kind_of_id(name, dtype, table), name)
        for name, dtype in _names_and_dtypes(id_columns)
    )
    taken |= {each.name for each in ids}
    by_source = {source: column for column in table.columns for source in column.sources}
    dtypes = table.dtypes if len(table.dtypes) else (None,) * len(table.names)
    counterfactual = tuple(
        OutputColumn(
            f"{TAKEN_COLUMN}{name}" if name in taken else name,
            _kind_of_column(dtypes[place], by_source.get(place)),
            place,
        )
        for place, name in enumerate(map(str, table.names))
    )
    return Schema(ids, stated, counterfactual)


def _columns_stated(
    classes: AnyArray | None, *, has_least_probability: bool, several: bool, sentences: bool
) -> tuple[OutputColumn, ...]:
    of_label: Kind = "number" if classes is None else kind_of_values(classes.tolist())
    columns = [OutputColumn("answer", "whole")] if several else []
    for name, kind in shown_fields().items():
        if name == "target" and classes is None:
            columns += [OutputColumn("target_low", "number"), OutputColumn("target_high", "number")]
        else:
            columns.append(OutputColumn(name, of_label if kind is None else _OF_TYPE.get(kind, "text")))
        if name == "target" and has_least_probability:
            columns.append(OutputColumn("min_probability", "number"))
    columns += [OutputColumn("error", "text"), OutputColumn("n_changes", "whole"), OutputColumn("changed", "text")]
    return (*columns, *([OutputColumn("sentence", "text")] if sentences else []))


def kind_of_values(values: Sequence[UserValue]) -> Kind:
    """Find the kind that holds all of some levels or labels as they are; text holds any, as it is written."""
    known = [value.item() if isinstance(value, np.generic) else value for value in values if value is not None]
    types = {type(value) for value in known}
    for kind in (bool, int):
        if types == {kind}:
            return _OF_TYPE[kind]
    return "number" if types and types <= {int, float} else "text"


def _kind_of_column(dtype: UserDtype | None, column: Column | None) -> Kind:
    """Find the kind of a counterfactual's column."""
    if column is not None and column.is_group:
        return "whole"
    if column is not None and column.levels:
        return kind_of_values(column.levels) if not column.open else _text_unless_number(dtype)
    if column is not None:
        return "whole" if column.kind == "integer" else "number"
    kind = _OF_DTYPE.get(getattr(dtype, "kind", "f"), "text")
    return "number" if kind == "whole" else kind  # not read by the model, so not checked


def _text_unless_number(dtype: UserDtype | None) -> Kind:
    """Kind of a category in which values may be that training rows had not."""
    return "number" if getattr(dtype, "kind", "O") in "fiu" else "text"


def _names_and_dtypes(id_columns: Sequence[str] | ReadObject) -> list[tuple[str, Any]]:
    if isinstance(id_columns, str):
        raise InvalidInputError(f"id_columns: expected names of columns in a list, received the text {id_columns!r}.")
    items = list(id_columns.items()) if isinstance(id_columns, Mapping) else [(name, None) for name in id_columns]
    names = [name for name, _ in items]
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"id_columns: expected names of columns, each once, received {names!r}.")
    return items


def _kind_of_id(name: str, dtype: Any, table: Table) -> Kind:
    """Find the kind of a column that is copied: as declared, as in the training data, else text."""
    if dtype is None:
        place = table.names.index(name) if table.named and name in table.names else None
        if place is None:
            return "text"
        by_source = {source: column for column in table.columns for source in column.sources}
        kind = _kind_of_column(table.dtypes[place], by_source.get(place))
        return "number" if kind == "whole" else kind  # a row that is wrong may hold any number
    import pandas

    try:
        found = pandas.api.types.pandas_dtype(dtype)
    except TypeError as error:
        raise InvalidInputError(f"id_columns: {dtype!r}, of {name!r}, is no dtype.") from error
    return _OF_DTYPE.get(getattr(found, "kind", "O"), "text")


def answer_frame(answers: Explanations, rows: pd.DataFrame, layout: Schema) -> pd.DataFrame:
    """Write answers about rows.

    Parameters
    ----------
    answers : Explanations
    rows : data frame of shape (n_rows, ...)
        The rows as they came, with the columns that are copied.
    layout : Schema

    Returns
    -------
    data frame
        A line an answer, with the index of its row.
    """
    import pandas

    values = {**_stated(answers), **_ids(answers, rows, layout)}
    after: UserValue = answers.counterfactuals
    for column in layout.counterfactual:
        values[column.name] = after.iloc[:, column.source]
    return pandas.DataFrame(
        {column.name: as_kind(values[column.name], column.kind) for column in layout.columns},
        index=rows.index[answers.rows],
    )


def error_frame(row: pd.DataFrame, message: str, layout: Schema) -> pd.DataFrame:
    """Write that there is no answer about a single row, and why."""
    import pandas

    stated: JsonObject = {"status": "error", "reason": message, "error": message}
    if "answer" in (each.name for each in layout.stated):
        stated["answer"] = 1
    values = {each.name: row[each.source].iloc[0] for each in layout.ids} | stated
    return pandas.DataFrame(
        {each.name: as_kind([values.get(each.name)], each.kind) for each in layout.columns}, index=row.index
    )


def _stated(answers: Explanations) -> JsonObject:
    """Return what is known of answers, by the name of the column; more than a schema may ask for."""
    shown: JsonObject = answers.shown()
    ranges = [target if isinstance(target, tuple) else (np.nan, np.nan) for target in answers.targets]
    names = np.array([column.name for column in answers.table.columns], dtype=object)
    starts = np.searchsorted(answers.rows, answers.rows)
    is_wrong = (answers.statuses == "error").tolist()
    return {
        **shown,
        "answer": np.arange(len(answers)) - starts + 1,
        "target_low": [low for low, _ in ranges],
        "target_high": [high for _, high in ranges],
        "min_probability": answers.min_probabilities,
        "error": [reason if wrong else None for reason, wrong in zip(shown["reason"], is_wrong)],
        "n_changes": answers.changed.sum(axis=1),
        "changed": ["; ".join(names[each]) for each in answers.changed],
        "sentence": _Sentences(answers),
    }


class _Sentences:
    """Sentences of answers, made when they are read: they take longer than all the rest."""

    def __init__(self, answers: Explanations) -> None:
        self._answers = answers

    def __iter__(self) -> Any:
        return (answer.sentence for answer in self._answers)


def _ids(answers: Explanations, rows: pd.DataFrame, layout: Schema) -> JsonObject:
    return {each.name: rows[each.source].iloc[answers.rows] for each in layout.ids}


def as_kind(values: Any, kind: Kind) -> Any:
    """Make an array of one of the four kinds of any values; what does not fit is missing.

    Parameters
    ----------
    values : series, array or iterable of length n
    kind : "text", "number", "whole" or "truth"

    Returns
    -------
    array or extension array of length n
    """
    import pandas

    dtype = OutputColumn("", kind).pandas_dtype
    source = getattr(getattr(values, "dtype", None), "kind", "O")
    # a number other than 0 and 1 is no truth value: only columns of truth values are taken as a whole
    if source in ("b" if kind == "truth" else "fiub") and kind != "text":
        return floats_of(values) if kind == "number" else pandas.Series(values).astype(dtype).array
    cells = objects_of(values) if hasattr(values, "dtype") else list(values)
    known = [None if _is_missing(value) else _as(value, kind) for value in cells]
    if kind == "number":
        return np.array([np.nan if value is None else value for value in known], dtype=np.float64)
    return pandas.array(known, dtype=dtype)


def _is_missing(value: UserValue) -> bool:
    """Whether a value is missing; words and whole numbers, most of all values, never are."""
    return value is None or (not isinstance(value, (str, int)) and is_missing_value(value))


def _as(value: UserValue, kind: Kind) -> Any:
    """Read a value; None if it is not of the kind: whoever copies a column of numbers may meet a word."""
    if kind == "text":
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if kind == "number":
        return number
    if kind == "truth":
        return bool(number) if number in (0.0, 1.0) else None
    return int(number) if number.is_integer() else None
