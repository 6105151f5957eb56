"""From formulas to the derived columns of a table: checked against its columns and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from ..arrays import FloatArray, UserData
from ..errors import InvalidInputError
from ..table.derived import DerivedColumn, computed, decimals_of, in_order, is_short, match, read_formula, sources_of
from ..table.frames import as_table, column_of, floats_of
from ..table.table import Table


def with_derived(table: Table, formulas: Mapping[str, str], X: UserData) -> Table:
    """Make the table in which columns follow from others.

    Parameters
    ----------
    table : Table
        Of all columns.
    formulas : mapping of column name to formula
    X : data frame or array of shape (n_samples, n_columns)
        Training rows: they say how values are rounded, and must not contradict the formulas.

    Raises
    ------
    InvalidInputError
        A column is unknown or no number, or the rows contradict a formula; formulas go round in a circle.
    """
    if not formulas:
        return table
    names = in_order(formulas)
    X = as_table(X)
    for name in names:
        for used in (name, *sources_of(read_formula(name, formulas[name])[0])):
            _require_number(table, used, name)
    every = {used for name in names for used in (name, *sources_of(read_formula(name, formulas[name])[0]))}
    values = {name: floats_of(column_of(X, table.names.index(name))) for name in sorted(every)}
    for name, numbers in values.items():
        if not np.isfinite(numbers).all():
            raise InvalidInputError(
                f"derive: {name!r} has no number in row {int(np.argmin(np.isfinite(numbers)))}. Formulas need one in "
                "every row; leave it out, or impute it before the pipeline."
            )
    derived = tuple(_derived(table, name, formulas[name], values) for name in names)
    return replace(
        table.with_columns([column for column in table.columns if column.name not in formulas]), derived=derived
    )


def _require_number(table: Table, name: str, derived: str) -> None:
    column = next((column for column in table.columns if column.name == name), None)
    if column is not None and column.kind in ("number", "integer"):
        return
    if column is not None:
        raise InvalidInputError(
            f"derive: {name!r}, in the formula of {derived!r}, is no column of numbers but one with levels. Formulas "
            "take numbers."
        )
    if name in table.names:
        raise InvalidInputError(
            f"derive: the model does not use {name!r}, in the formula of {derived!r}: no counterfactual changes it. "
            f"Leave {derived!r} out of derive."
        )
    near = get_close_matches(name, [column.name for column in table.columns], 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidInputError(f"derive: there is no column {name!r}, in the formula of {derived!r}.{hint}")


def _derived(table: Table, name: str, text: str, values: Mapping[str, FloatArray]) -> DerivedColumn:
    own, expected, is_below = values[name], computed(name, text, values), False
    forms = read_formula(name, text)[0]
    if forms.symbol == "/":
        divisor = np.zeros(len(own))
        for source, factor in (forms.second or {}).items():
            divisor += float(factor) * (values[source] if source else 1.0)
        is_below = bool(np.median(divisor) < 0)
        crosses = np.flatnonzero(~(divisor < 0 if is_below else divisor > 0))
        if len(crosses):
            raise InvalidInputError(
                f"derive: the formula {text!r} of {name!r} divides by {divisor[crosses[0]]:g} in row {crosses[0]}. "
                "Expected a divisor that is above zero, or below zero, in every row."
            )
    decimals = decimals_of(own)
    holds, is_rounded = match(own, expected, decimals)
    wrong = np.flatnonzero(~holds)
    if len(wrong):
        row = int(wrong[0])
        raise InvalidInputError(
            f"derive: the training rows contradict {name} = {text}: row {row} has {own[row]:g}, the formula gives "
            f"{expected[row]:g} ({len(wrong)} of {len(own)} rows differ). Correct the formula or the rows, or leave it "
            "out."
        )
    dtype = table.dtypes[table.names.index(name)] if len(table.dtypes) else None
    return DerivedColumn(
        name,
        table.names.index(name),
        text,
        decimals,
        is_rounded,
        is_whole=getattr(dtype, "kind", "") in ("i", "u"),
        is_below=is_below,
        is_short=is_short(own),
    )
