"""Answers as a frame in a given schema, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...answers import Explanations
from ...table.frames import floats_of, is_missing_value, objects_of
from .schema import Kind, OutputColumn, Schema

if TYPE_CHECKING:
    import pandas as pd


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

    values = {**_told(answers), **_ids(answers, rows, layout)}
    after: Any = answers.counterfactuals
    for column in layout.counterfactual:
        values[column.name] = after.iloc[:, column.source]
    return pandas.DataFrame(
        {column.name: as_kind(values[column.name], column.kind) for column in layout.columns},
        index=rows.index[answers.rows],
    )


def error_frame(row: pd.DataFrame, message: str, layout: Schema) -> pd.DataFrame:
    """Write that there is no answer about a single row, and why."""
    import pandas

    told: dict[str, Any] = {"status": "error", "reason": message, "error": message}
    if "answer" in (each.name for each in layout.told):
        told["answer"] = 1
    values = {each.name: row[each.source].iloc[0] for each in layout.ids} | told
    return pandas.DataFrame(
        {each.name: as_kind([values.get(each.name)], each.kind) for each in layout.columns}, index=row.index
    )


def _told(answers: Explanations) -> dict[str, Any]:
    """Give what is known of answers, by the name of the column; more than a schema may ask for."""
    shown: dict[str, Any] = answers.shown()
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


def _ids(answers: Explanations, rows: pd.DataFrame, layout: Schema) -> dict[str, Any]:
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


def _is_missing(value: Any) -> bool:
    """Whether a value is missing; words and whole numbers, most of all values, never are."""
    return value is None or (not isinstance(value, (str, int)) and is_missing_value(value))


def _as(value: Any, kind: Kind) -> Any:
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
