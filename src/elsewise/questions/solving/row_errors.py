"""Rows that no question can be asked of: which they are, and what is wrong with each.

Everything that can be wrong with a row is checked by the same functions that refuse a batch as a whole, and in the same
words. A batch that is refused is halved until the rows at fault are alone: k of n wrong rows take some 2 k log n
checks, and none more where all are right.

Rows that are wrong, among answers of the others: status "error", and what is wrong as the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...answers.explanations import Explanations, concatenate
from ...arrays import AnyArray, BoolArray, FloatArray, IntArray, UserData, UserTarget
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...reasons import WrongRow
from ...rules import Rules
from ...table import Table
from ...table.frames import blanked, is_frame, rows_of
from ...table.types import UserRows

# How messages name the only row of a batch of one. Whoever reads the message of a row knows the row.
_ONLY_ROW = re.compile(r"^Row 0(?: \(labelled .*?\))?: | in row 0(?=[.\s])| in row 0,(?= column)")


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """Rows in features, and those that have none.

    Attributes
    ----------
    features : array of shape (n_samples, n_features)
        Zeros where a row is wrong.
    wrong : dict of int to str
        What is wrong, by the position of the row, in ascending order.
    """

    features: FloatArray
    wrong: dict[int, str]

    def part(self, rows: slice) -> CheckedRows:
        """Return those of a span of rows, counted from its start."""
        first, stop, _ = rows.indices(len(self.features))
        return CheckedRows(
            self.features[rows], {row - first: stated for row, stated in self.wrong.items() if first <= row < stop}
        )


def encoded_rows(
    fitted: FittedModel, rules: Rules, given: UserData, *, name: str = "X", missing: BoolArray | None = None
) -> FloatArray:
    """Encode rows, or refuse them for a value that the model, the density or a rule cannot take.

    Parameters
    ----------
    fitted : FittedModel
    rules : Rules
    given : data frame or array of shape (n_samples, n_columns)
    name : str
        What errors call it.
    missing : bool array of shape (n_samples, n_features), optional
        What is missing in them, if it is known.

    Returns
    -------
    array of shape (n_samples, n_features)

    Raises
    ------
    InvalidInputError
    """
    features = fitted.table.encode(given, name=name)
    missing = fitted.table.missing(given, name=name) if missing is None else missing
    rules.check_rows(features, given, missing)
    return features


def checked_rows(fitted: FittedModel, rules: Rules, given: UserData) -> CheckedRows:
    """Encode the rows that :func:`encoded_rows` takes, each by itself, and find what is wrong with the others.

    Parameters
    ----------
    fitted : FittedModel
    rules : Rules
    given : data frame or array of shape (n_samples, n_columns)
        The table's own columns.
    """
    features = np.zeros((len(given), fitted.table.n_features))
    wrong: dict[int, str] = {}
    waiting: list[IntArray] = [np.arange(len(given))]
    while waiting:
        places = waiting.pop()
        try:
            features[places] = encoded_rows(fitted, rules, rows_of(given, places), name="The row")
        except InvalidInputError as error:
            if len(places) == 1:
                wrong[int(places[0])] = _without_row(str(error))
            elif len(places):
                waiting += np.array_split(places, 2)[::-1]
            else:  # not about rows
                raise
    return CheckedRows(features, wrong)


def _without_row(message: str) -> str:
    return _ONLY_ROW.sub(lambda found: " in" if found[0].endswith(",") else "", message)


def with_wrong_rows(
    answers: Explanations,
    given: UserRows,
    wrong: Mapping[int, str],
    targets: Sequence[UserTarget],
    *,
    is_regressor: bool,
) -> Explanations:
    """Put rows that are wrong in their places among the answers of the others.

    Parameters
    ----------
    answers : Explanations
        Of all rows that are right, by their numbers in the batch.
    given : data frame or array of shape (n_samples, n_columns)
        All rows.
    wrong : mapping of row to str
        What is wrong with each of the others.
    targets : sequence of labels or ranges of length n_samples
        What was wanted of each row; None for the nearest other class.
    is_regressor : bool
    """
    if not wrong:
        return answers
    part = _wrong_rows(answers, given, wrong, targets, is_regressor)
    joined = concatenate([answers, part]) if len(answers) else part
    return joined.take(np.argsort(joined.rows, kind="stable"))


def _wrong_rows(
    answers: Explanations, given: UserRows, wrong: Mapping[int, str], targets: Sequence[UserTarget], is_regressor: bool
) -> Explanations:
    numbers = np.array(sorted(wrong), dtype=np.int64)
    n, table = len(numbers), answers.table
    unknown = np.full(n, np.nan)
    no_prediction: AnyArray = unknown if is_regressor else np.full(n, None, dtype=object)
    own = rows_of(given, numbers)
    return Explanations(
        x=own,
        counterfactuals=_blank(answers.counterfactuals, own, table),
        predictions=no_prediction,
        targets=tuple(targets[row] for row in numbers.tolist()),
        statuses=np.full(n, "error"),
        distances=unknown,
        lower_bounds=unknown,
        gaps=unknown,
        log_densities=unknown,
        log_thresholds=np.full(n, -np.inf),
        plausibilities=unknown,
        model_free=np.zeros(n, dtype=np.bool_),
        causes=tuple(WrongRow(wrong[row]) for row in numbers.tolist()),
        log_densities_mixture=unknown,
        components=np.full(n, -1),
        n_projections=np.zeros(n, dtype=np.int64),
        changed=np.zeros((n, len(table.columns)), dtype=np.bool_),
        shares=np.zeros((n, len(table.columns))),
        row_features=np.full((n, table.n_features), np.nan),
        features=np.full((n, table.n_features), np.nan),
        rows=numbers,
        table=table,
    )


def _blank(counterfactuals: UserRows, own: UserRows, table: Table) -> Any:
    """Rows of missing values, in the form of the counterfactuals of others."""
    if is_frame(own):
        return blanked(own, np.ones(len(own), dtype=np.bool_))
    as_objects = counterfactuals.dtype.kind not in "fiub"
    return np.full((len(own), len(table.names)), np.nan, dtype=object if as_objects else np.float64)
