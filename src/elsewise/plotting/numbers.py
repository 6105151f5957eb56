"""Explanations as arrays of numbers: what the pictures are made of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import FloatArray
from ..columns import Table
from ..errors import InvalidInputError
from ..results import Explanation


def row_and_points(answers: Mapping[str, Explanation]) -> tuple[FloatArray, FloatArray]:
    """Return the row, of shape (n_columns,), and its counterfactuals, of shape (n_answers, n_columns)."""
    explanations = list(answers.values())
    if not explanations or any(each.status == "infeasible" for each in explanations):
        raise InvalidInputError("Expected at least one explanation, all of them with a counterfactual to draw.")
    _check_numbers(explanations[0].table)
    row = np.asarray(explanations[0].x, dtype=np.float64)
    return row, np.array([each.counterfactual for each in explanations], dtype=np.float64)


def _check_numbers(table: Table) -> None:
    if table.is_identity:
        return
    for column in table.columns:
        if column.kind in ("category", "ordinal"):
            kind = "a category" if column.kind == "category" else "an ordinal"
            raise InvalidInputError(
                f"These pictures are of numbers, but column {column.name!r} is {kind}. Use explanation.changes or "
                "explanation.to_frame() instead."
            )
    raise InvalidInputError(
        "These pictures are of numbers that the model uses, none of them missing. "
        + (f"It does not use {table.unused[0]!r}." if table.unused else "Impute before the pipeline.")
    )
