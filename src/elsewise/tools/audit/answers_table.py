"""What an audit reads of answers, from explanations, frames and records alike: a line a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...answers import Explanations
from ...arrays import AnyArray, BoolArray, FloatArray, IntArray, UserValue
from ...errors import InvalidInputError
from ...reasons import has_answer
from ...table.frames import is_frame

# Where a table of answers ends to tell of rows, and begins to tell of answers.
_FIRST_OF_ANSWER = "prediction"


@dataclass(frozen=True, slots=True, eq=False)
class AnswersTable:
    """The nearest answer of every row.

    Attributes
    ----------
    statuses : array of str of shape (n_rows,)
    distances, plausibilities : arrays of shape (n_rows,)
        NaN without an answer.
    n_changes : int array of shape (n_rows,)
    rows : int array of shape (n_rows,)
        Places of these answers among all.
    """

    statuses: NDArray[np.str_]
    distances: FloatArray
    plausibilities: FloatArray
    n_changes: IntArray
    rows: IntArray

    @property
    def found(self) -> BoolArray:
        """Rows that have an answer."""
        return np.array([has_answer(status) for status in self.statuses.tolist()], dtype=np.bool_)

    @property
    def in_need(self) -> BoolArray:
        """Rows that need an answer: neither wrong nor as wanted already."""
        return np.asarray((self.statuses != "error") & ~(self.found & (self.n_changes == 0)))


def table_of(answers: Any) -> AnswersTable:
    """Read answers: those of ``explain``, or a data frame of a mapper or a file."""
    if isinstance(answers, Explanations):
        first = np.unique(answers.rows, return_index=True)[1].astype(np.int64)
        return AnswersTable(
            answers.statuses[first],
            answers.distances[first],
            answers.plausibilities[first],
            answers.changed[first].sum(axis=1),
            first,
        )
    if not is_frame(answers):
        raise InvalidInputError(
            "answers: expected what explainer.explain returns, or a data frame of answers, received "
            f"{type(answers).__name__}."
        )
    missing = [name for name in ("status", "distance", "plausibility", "n_changes") if name not in answers.columns]
    if missing:
        raise InvalidInputError(f"answers: expected a table of answers, but it has no column {missing[0]!r}.")
    first = np.arange(len(answers))
    if "answer" in answers.columns:
        first = first[answers["answer"].to_numpy() == 1]
    chosen = answers.iloc[first]
    return AnswersTable(
        np.array([str(status) for status in chosen["status"]], dtype=np.str_),
        chosen["distance"].to_numpy(dtype=np.float64, na_value=np.nan),
        chosen["plausibility"].to_numpy(dtype=np.float64, na_value=np.nan),
        chosen["n_changes"].to_numpy(dtype=np.int64, na_value=0),
        first,
    )


def groups_of(answers: Any, by: Any, table: AnswersTable) -> tuple[str, AnyArray]:
    """Find the group of each row: by a column's name, or one value an answer or a row.

    Returns
    -------
    name : str
    groups : array of objects of shape (n_rows,)
        As text; missing values are a group of their own.
    """
    if isinstance(by, str):
        return by, _as_groups([_column(answers, by)[place] for place in table.rows.tolist()])
    values = list(by)
    name = str(getattr(by, "name", None) or "group")
    if len(values) == len(answers):
        values = [values[place] for place in table.rows.tolist()]
    if len(values) != len(table.rows):
        raise InvalidInputError(
            f"by: expected the name of a column, or one value for each of {len(table.rows)} rows, received "
            f"{len(values)}."
        )
    return name, _as_groups(values)


def _column(answers: Any, name: str) -> list[Any]:
    if isinstance(answers, Explanations):
        names = answers.table.names
        if name not in names:
            raise InvalidInputError(
                f"by: the rows have no column {name!r}. Give one value a row instead: by=frame[{name!r}]."
            )
        place = names.index(name)
        return list((answers.x.iloc[:, place] if is_frame(answers.x) else answers.x[:, place]).tolist())
    columns = list(answers.columns)
    end = columns.index(_FIRST_OF_ANSWER) if _FIRST_OF_ANSWER in columns else 0
    if name not in columns[:end]:
        raise InvalidInputError(
            f"by: the answers have no column {name!r} of the rows themselves (id_columns, --keep). A column of that "
            f"name among the counterfactuals tells what becomes of rows. Give one value a row: by=frame[{name!r}]."
        )
    return list(answers[name].tolist())


def _as_groups(values: Sequence[UserValue]) -> AnyArray:
    groups = np.empty(len(values), dtype=object)
    values = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values]
    groups[:] = [
        "(missing)" if value is None or value != value or str(value) == "<NA>" else str(value) for value in values
    ]
    return groups
