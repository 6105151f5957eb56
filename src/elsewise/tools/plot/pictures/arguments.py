"""What the pictures take: checked in one place, so that each says the same about what does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....answers import Explanation, Explanations
from ....arrays import FloatArray
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....table import Column, Table
from .constants import MOST_NAMES
from .words import short


def answered(explanation: object) -> Explanation:
    """Return one explanation that has a counterfactual, or say why there is nothing to draw."""
    if isinstance(explanation, Explanations):
        raise InvalidInputError(
            f"explanation: expected one Explanation, received {len(explanation)} of them. Pass explanations[0]; "
            "elsewise.plot.summary draws many."
        )
    if not isinstance(explanation, Explanation):
        raise InvalidInputError(
            f"explanation: expected what explain_one returns, received {type(explanation).__name__}."
        )
    if not explanation.found:
        raise InvalidInputError(f"There is no counterfactual to draw: the row has no answer. {explanation.reason}")
    return explanation


def fitted(explainer: object) -> Explainer:
    """Return an explainer that is one, and fitted."""
    if not isinstance(explainer, Explainer):
        raise InvalidInputError(f"explainer: expected a fitted Explainer, received {type(explainer).__name__}.")
    explainer.require_fitted()
    return explainer


def same_columns(explainer: Explainer, table: Table) -> None:
    """Refuse an explanation of another table than the explainer's."""
    names, others = ([column.name for column in each.columns] for each in (explainer.table_, table))
    if names != others:
        raise InvalidInputError(
            f"The explanation is about other columns than the explainer: {_some(others)} against {_some(names)}. Pass "
            "the explainer that made it."
        )


def places(table: Table, columns: object, *, argument: str = "columns") -> list[int]:
    """Return positions in the table of columns that are given by name, each once."""
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise InvalidInputError(f"{argument}: expected a list of column names, received {columns!r}.")
    names = [column.name for column in table.columns]
    found = []
    for name in columns:
        if name not in names:
            unused = " It is in the data, but the model does not use it." if name in table.unused else ""
            raise InvalidInputError(f"{argument}: there is no column {name!r}.{unused} There are {_some(names)}.")
        found.append(names.index(name))
    if len(set(found)) < len(found):
        raise InvalidInputError(f"{argument}: expected each column once, received {list(columns)!r}.")
    return found


def plain_label(target: Any) -> Any:
    """Give a label as a Python object, as which it is a key of densities and profiles."""
    return target.item() if isinstance(target, np.generic) else target


def label_held_against(explainer: Explainer, target: Any) -> Any:
    """Give the label whose training rows answers with a target are held against; None for all rows."""
    label = plain_label(target)
    return None if isinstance(label, tuple) or label not in explainer.profiles_ else label


def positive(value: object, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInputError(f"{name}: expected a whole number of at least 1, received {value!r}.")
    return value


def is_numeric(column: Column) -> bool:
    """Whether a column's values are numbers on a scale."""
    return column.kind in ("number", "integer")


def row_and_points(answers: Mapping[str, Explanation]) -> tuple[FloatArray, FloatArray]:
    """Return the row, of shape (n_columns,), and its counterfactuals, of shape (n_answers, n_columns)."""
    explanations = list(answers.values())
    if not explanations or any(not each.found for each in explanations):
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


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(repr(short(name)) for name in names[:MOST_NAMES])
    return listed if len(names) <= MOST_NAMES else f"{listed} and {len(names) - MOST_NAMES} more"
