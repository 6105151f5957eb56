"""What the pictures take: checked here, so that each says the same about what does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..columns import Column, Table
from ..errors import InvalidInputError
from ..explainer import Explainer
from ..results import Explanation, Explanations
from .words import short


def answered(explanation: Any) -> Explanation:
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
    if explanation.status == "infeasible":
        raise InvalidInputError(f"There is no counterfactual to draw: the row is infeasible. {explanation.reason}")
    return explanation


def fitted(explainer: Any) -> Explainer:
    """Return an explainer that is one, and fitted."""
    if not isinstance(explainer, Explainer):
        raise InvalidInputError(f"explainer: expected a fitted Explainer, received {type(explainer).__name__}.")
    explainer.require_fitted()
    return explainer


def same_columns(explainer: Explainer, table: Table) -> None:
    """Refuse an explanation of another table than the explainer's."""
    mine, others = ([column.name for column in each.columns] for each in (explainer.table_, table))
    if mine != others:
        raise InvalidInputError(
            f"The explanation is about other columns than the explainer: {_some(others)} against {_some(mine)}. Pass "
            "the explainer that made it."
        )


def places(table: Table, columns: Sequence[Any], *, argument: str = "columns") -> list[int]:
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


def positive(value: object, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInputError(f"{name}: expected a whole number of at least 1, received {value!r}.")
    return value


def is_numeric(column: Column) -> bool:
    """Whether a column's values are numbers on a scale."""
    return column.kind in ("number", "integer")


def _some(names: Sequence[str], most: int = 12) -> str:
    listed = ", ".join(repr(short(name)) for name in names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"
