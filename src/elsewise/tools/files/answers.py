"""Answers as records, one a row, and records as a table: the file that ``elsewise explain`` writes.

What a record tells of an answer is what :meth:`~elsewise.Explanations.shown` tells; a new field of an answer that is
shown is in records, tables and JSON without a change in this file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...arrays import BoolArray, FloatArray, JsonObject, ReadObject, UserData, UserValue
from ...reasons import for_everyone, has_answer
from ...table import Table
from ...text.languages import speaking
from ...text.reasons import obstacle_in_words
from .values import python_value

if TYPE_CHECKING:
    import pandas as pd

# A record, as JSON holds it: "row", and "answers", a mapping each.
Record = JsonObject
# Columns of the file that answers do not have by themselves.
_ADDED = ("row", "answer", "target_low", "target_high", "n_changes", "changed", "sentence")
# Told only where it was asked for.
_LEAST_PROBABILITY = "min_probability"
# Rows without an answer are counted by it; it is not in the table, which has each row's own reason.
_OBSTACLE = "obstacle"
# What changes is stated before this column.
_AFTER_CHANGES = "model_free"


def shown_fields() -> dict[str, type | None]:
    """Name what is stated of an answer, and the type it has; None where that depends on the model."""
    stated = {
        item.metadata["one"]: item.metadata["read"] for item in fields(Explanations) if item.metadata.get("shown")
    }
    return {**stated, "reason": str}


def records_of(answers: Explanations, first_row: int) -> Iterator[Record]:
    """Write answers as a record a row, of nothing but what Python's JSON knows.

    Changed columns are stated by their place in the table, with their feature: the value of a number, the rank of an
    ordered level, the position of a category's level. Everything else about a counterfactual is in its row.

    Parameters
    ----------
    answers : Explanations
        Of consecutive rows.
    first_row : int
        Number of the first of these rows among all.
    """
    # whoever reads the file need not write Python
    answers = replace(answers, causes=tuple(for_everyone(cause) for cause in answers.causes))
    shown = answers.shown()
    by_row: dict[int, list[JsonObject]] = {}
    for place, answer in enumerate(answers):
        stated = {name: _in_record(values[place]) for name, values in shown.items()}
        changes = _changes(answers.table, answers.changed[place], answers.features[place])
        if not np.isnan(answer.min_probability):
            stated[_LEAST_PROBABILITY] = answer.min_probability
        if answer.status == "infeasible":
            with speaking(answers.table.wording):
                stated[_OBSTACLE] = obstacle_in_words(answer.cause)
        by_row.setdefault(answer.row, []).append({**stated, "sentence": answer.sentence, "changes": changes})
    for row, answers_of_row in sorted(by_row.items()):
        yield {"row": first_row + row, "answers": answers_of_row}


def _in_record(value: UserValue) -> Any:
    return [python_value(item) for item in value] if isinstance(value, tuple) else python_value(value)


def _changes(table: Table, changed: BoolArray, features: FloatArray) -> dict[str, float | int]:
    """Return the new feature of each column that changes, by the column's place."""
    changes: dict[str, float | int] = {}
    for place in np.flatnonzero(changed).tolist():
        column = table.columns[place]
        of_column = features[column.features]
        changes[str(place)] = int(of_column.argmax()) if column.kind == "category" else float(of_column[0])
    return changes


def frame_of(
    records: Sequence[Record],
    rows: pd.DataFrame,
    features: FloatArray,
    table: Table,
    kept: pd.DataFrame,
    *,
    is_regressor: bool = False,
    several: bool = False,
) -> pd.DataFrame:
    """Make the table of answers: a line an answer.

    Parameters
    ----------
    records : sequence of records
        See :func:`records_of`.
    rows : data frame of shape (n_rows, n_columns)
        All rows that were asked about.
    features : array of shape (n_rows, n_features)
        The same in the features of the table.
    table : Table
    kept : data frame of shape (n_rows, n_kept)
        Further columns to be copied, to know the rows by; one that is called as one of ours gets ``data_`` before it.
    is_regressor : bool
        Targets are ranges.
    several : bool
        A row may have several answers, which are counted in a column ``answer``.

    Returns
    -------
    data frame
        ``row`` (counted from 0), the columns kept, what is known of the answer, then the counterfactual's columns in
        their dtypes, with missing values where there is none.
    """
    import pandas

    answers = [answer for record in records for answer in record["answers"]]
    row_of_answer = np.array([record["row"] for record in records for _ in record["answers"]], dtype=np.int64)
    taken = {*shown_fields(), *_ADDED, _LEAST_PROBABILITY}
    parts: JsonObject = {"row": row_of_answer}
    if several:
        parts["answer"] = np.array([n + 1 for record in records for n in range(len(record["answers"]))], dtype=np.int64)
    for name in kept.columns:
        parts[f"data_{name}" if name in taken else name] = kept[name].iloc[row_of_answer].reset_index(drop=True)
    parts |= _told_columns(answers, table, is_regressor)
    summary = pandas.DataFrame(parts)
    counterfactuals = _counterfactuals(answers, rows.iloc[row_of_answer], features[row_of_answer], table)
    has_none = np.array([not has_answer(answer["status"]) for answer in answers], dtype=np.bool_)
    columns = [_blanked(counterfactuals.iloc[:, place], has_none) for place in range(counterfactuals.shape[1])]
    names = [name if name not in summary.columns else f"counterfactual_{name}" for name in rows.columns]
    return pandas.concat([summary, *(column.rename(name) for column, name in zip(columns, names))], axis=1)


def names_changed(answer: ReadObject, table: Table) -> list[str]:
    """Names of the columns that an answer of a record changes."""
    return [table.columns[int(place)].name for place in answer["changes"]]


def _told_columns(answers: Sequence[ReadObject], table: Table, is_regressor: bool) -> JsonObject:
    """Columns of what is stated of answers; a regressor's targets are two."""
    changes = {
        "n_changes": np.array([len(answer["changes"]) for answer in answers], dtype=np.int64),
        "changed": ["; ".join(names_changed(answer, table)) for answer in answers],
    }
    columns: JsonObject = {}
    for name, kind in shown_fields().items():
        if name == _AFTER_CHANGES:
            columns |= changes
        if name == "target" and is_regressor:
            for end, name_of_end in enumerate(("target_low", "target_high")):
                columns[name_of_end] = np.array([answer["target"][end] for answer in answers], dtype=np.float64)
            continue
        values = [answer[name] for answer in answers]
        columns[name] = np.array(values, dtype=kind) if kind in (float, int, bool) else values
        if name == "target" and any(_LEAST_PROBABILITY in answer for answer in answers):
            columns[_LEAST_PROBABILITY] = [answer.get(_LEAST_PROBABILITY, np.nan) for answer in answers]
    return {**columns, **changes, "sentence": [answer["sentence"] for answer in answers]}


def _counterfactuals(answers: Sequence[ReadObject], given: UserData, before: FloatArray, table: Table) -> Any:
    """Rows with the changes of their answers, in the rows' dtypes."""
    given = given.reset_index(drop=True)
    if not answers:
        return given
    after = before.copy()
    for line, answer in enumerate(answers):
        for place, value in answer["changes"].items():
            column = table.columns[int(place)]
            if column.kind == "category":
                after[line, column.features] = 0.0
                after[line, column.start + int(value)] = 1.0
            else:
                after[line, column.start] = value
    return table.decode(after, given, encoded=before)


def _blanked(column: UserData, blank: BoolArray) -> Any:
    """Make some values of a series missing, in a dtype that keeps whole numbers and booleans what they are."""
    if not blank.any():
        return column
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    nullable = {"i": "Int64", "u": "UInt64", "b": "boolean"}.get(kind)
    return (column if nullable is None else column.astype(nullable)).mask(blank)
