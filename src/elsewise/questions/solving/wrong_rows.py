"""Rows that are wrong, among answers of the others: status "error", and what is wrong as the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...answers.explanations import Explanations, concatenate
from ...arrays import AnyArray
from ...reasons import WrongRow
from ...table import Table
from ...table.frames import blanked, is_frame, rows_of
from ...table.types import UserRows


def with_wrong_rows(
    answers: Explanations,
    given: UserRows,
    wrong: Mapping[int, str],
    targets: Sequence[Any],
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
    answers: Explanations, given: UserRows, wrong: Mapping[int, str], targets: Sequence[Any], is_regressor: bool
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
