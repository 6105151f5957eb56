"""Answers as records, one a row, and records as a table: the file that ``elsewise explain`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import Table
from ..results import Explanation, Explanations

if TYPE_CHECKING:
    import pandas as pd

# Columns that the file has by itself.
_OWN = frozenset(["row", "answer", "prediction", "target", "target_low", "target_high", "status", "distance",
                  "lower_bound", "gap", "log_density", "log_threshold", "plausibility", "n_changes", "changed",
                  "model_free", "reason", "sentence"])  # fmt: skip
_NUMBERS = ("distance", "lower_bound", "gap", "log_density", "log_threshold", "plausibility")


def records_of(answers: Explanations, first_row: int) -> Iterator[dict[str, Any]]:
    """Write answers as a record a row, of nothing but what JSON knows.

    Changed columns are told by their place in the table, with their feature: the value of a number, the rank of an
    ordered level, the position of a category's level. Everything else about a counterfactual is in its row.

    Parameters
    ----------
    answers : Explanations
        Of consecutive rows.
    first_row : int
        Number of the first of these rows among all.
    """
    found = np.flatnonzero(answers.statuses != "infeasible")
    features = np.zeros((len(answers), answers.table.n_features))
    if len(found):
        features[found] = answers.table.encode(answers.take(found).counterfactuals)
    by_row: dict[int, list[dict[str, Any]]] = {}
    for place, answer in enumerate(answers):
        changes = {} if answer.status == "infeasible" else _changes(answer, features[place])
        by_row.setdefault(int(answers.rows[place]), []).append(_record(answer, changes))
    for row, mine in sorted(by_row.items()):
        yield {"row": first_row + row, "answers": mine}


def _changes(answer: Explanation, features: Any) -> dict[str, float | int]:
    changes: dict[str, float | int] = {}
    for place in np.flatnonzero(answer.changed).tolist():
        column = answer.table.columns[place]
        mine = features[column.features]
        changes[str(place)] = int(mine.argmax()) if column.kind == "category" else float(mine[0])
    return changes


def _record(answer: Explanation, changes: dict[str, float | int]) -> dict[str, Any]:
    return {
        "prediction": _plain(answer.prediction),
        "target": [_plain(end) for end in answer.target] if isinstance(answer.target, tuple) else _plain(answer.target),
        "status": answer.status,
        **{name: getattr(answer, name) for name in _NUMBERS},
        "model_free": answer.model_free,
        "reason": answer.reason,
        "sentence": answer.sentence,
        "changes": changes,
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def frame_of(
    records: Sequence[Mapping[str, Any]],
    rows: pd.DataFrame,
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
    place = np.array([record["row"] for record in records for _ in record["answers"]], dtype=np.int64)
    given = rows.iloc[place].reset_index(drop=True)
    before = table.encode(given) if len(given) else np.zeros((0, table.n_features))
    after = before.copy()
    for line, answer in enumerate(answers):
        for column_place, value in answer["changes"].items():
            column = table.columns[int(column_place)]
            if column.kind == "category":
                after[line, column.features] = 0.0
                after[line, column.start + int(value)] = 1.0
            else:
                after[line, column.start] = value
    counterfactuals = table.decode(after, given, encoded=before) if len(given) else given
    status = np.array([answer["status"] for answer in answers], dtype=object)
    parts: dict[str, Any] = {"row": place}
    if several:
        parts["answer"] = np.array([n + 1 for record in records for n in range(len(record["answers"]))], dtype=np.int64)
    for name in kept.columns:
        parts[f"data_{name}" if name in _OWN else name] = kept[name].iloc[place].reset_index(drop=True)
    parts["prediction"] = [answer["prediction"] for answer in answers]
    if is_regressor:
        for end, name in enumerate(("target_low", "target_high")):
            parts[name] = np.array([answer["target"][end] for answer in answers], dtype=np.float64)
    else:
        parts["target"] = [answer["target"] for answer in answers]
    parts["status"] = status
    parts |= {name: np.array([answer[name] for answer in answers], dtype=np.float64) for name in _NUMBERS}
    parts["n_changes"] = np.array([len(answer["changes"]) for answer in answers], dtype=np.int64)
    parts["changed"] = ["; ".join(names_changed(answer, table)) for answer in answers]
    parts["model_free"] = np.array([answer["model_free"] for answer in answers], dtype=np.bool_)
    parts["reason"] = [answer["reason"] for answer in answers]
    parts["sentence"] = [answer["sentence"] for answer in answers]
    summary = pandas.DataFrame(parts)
    blank = status == "infeasible"
    columns = [_blanked(counterfactuals.iloc[:, i], blank) for i in range(counterfactuals.shape[1])]
    names = [name if name not in summary.columns else f"counterfactual_{name}" for name in rows.columns]
    return pandas.concat([summary, *(column.rename(name) for column, name in zip(columns, names))], axis=1)


def names_changed(answer: Mapping[str, Any], table: Table) -> list[str]:
    """Names of the columns that an answer changes."""
    return [table.columns[int(place)].name for place in answer["changes"]]


def _blanked(column: Any, blank: Any) -> Any:
    """Make some values of a series missing, in a dtype that keeps whole numbers and booleans what they are."""
    if not blank.any():
        return column
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    nullable = {"i": "Int64", "u": "UInt64", "b": "boolean"}.get(kind)
    return (column if nullable is None else column.astype(nullable)).mask(blank)
