"""From the values of the user's columns to features, with errors that name the row and the column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, UserValue
from ..errors import InvalidInputError
from .column import Column
from .frames import floats_of, objects_of
from .levels import UNKNOWN, codes_of
from .rows import TOO_LARGE_ADVICE, too_large
from .types import LARGEST_NUMBER, UserColumn

# Types of cells that are numbers, whatever the dtype of their column; exactly these, for spans of time are numbers too.
_NUMBERS = frozenset([int, float, bool, np.bool_, *(np.dtype(code).type for code in "bhilqBHILQefd")])


def row_at_once(
    cells: Sequence[UserValue], columns: Sequence[Column], n_features: int, largest: float
) -> FloatArray | None:
    """Features of a row of plain numbers and known text, shape (1, n_features); None where its columns say more.

    The same as :func:`numbers` and :func:`codes` give column by column, which cost more than one row's values.

    Parameters
    ----------
    cells : sequence of the row's values, one a user's column
    columns : sequence of Column
    n_features : int
    largest : float
    """
    features = [0.0] * n_features
    for column in columns:
        cell = cells[column.sources[0]]
        if column.kind in ("category", "ordinal"):
            if column.is_group or type(cell) is not str or cell not in column.levels:
                return None
            code = column.levels.index(cell)
            if column.kind == "category":
                features[column.start + code] = 1.0
            else:
                features[column.start] = float(code)
        else:
            if type(cell) not in _NUMBERS:
                return None
            value = float(cell)
            if not (abs(value) <= largest and column.low <= value <= column.high):  # nor is NaN
                return None
            if column.kind == "integer" and not value.is_integer():
                return None
            features[column.start] = value
    return np.array([features])


def numbers(values: UserColumn, column: Column, name: str, *, largest: float = LARGEST_NUMBER) -> FloatArray:
    """Feature of a number or integer column, missing values filled; ``name`` is what errors call the data."""
    try:
        read = floats_of(values)
    except ValueError as error:
        row, value = error.args
        raise InvalidInputError(
            f"{name}: expected numbers in column {column.name!r}, received {value!r} in row {row}."
        ) from error
    _refuse_text(values, column, name)
    missing = np.isnan(read)
    if missing.any():
        if column.fill is None and not column.missing_stays:
            _refuse(name, np.nan, missing, column, "must be finite", "Impute or drop missing values first.")
        read = np.where(missing, column.stand_in if column.fill is None else column.fill, read)
    infinite = np.isinf(read)
    if infinite.any():
        value = read[int(np.argmax(infinite))]
        _refuse(name, value, infinite, column, "must be finite", "Replace infinite values first.")
    beyond = np.abs(read) > largest
    if beyond.any():
        _refuse(name, read[int(np.argmax(beyond))], beyond, column, too_large(largest), TOO_LARGE_ADVICE)
    if column.kind == "integer":
        check_whole(read, column, name, but=missing)
    check_within(read, column, name)
    return read


def _refuse_text(values: UserColumn, column: Column, name: str) -> None:
    """Refuse numbers written as text: answers could not be written among them."""
    if values.dtype.kind in "fiub":
        return
    for row, value in enumerate(objects_of(values)):
        if isinstance(value, str):
            raise InvalidInputError(
                f"{name}: expected numbers in column {column.name!r}, received the text {value!r} in row {row}. "
                "Convert the column with pandas.to_numeric."
            )


def check_whole(values: FloatArray, column: Column, name: str, *, but: BoolArray | None = None) -> None:
    """Refuse fractions in a column of integers, ``but`` not where an imputer has put them."""
    fractional = values != np.floor(values)
    if but is not None:
        fractional &= ~but
    if fractional.any():
        value = values[int(np.argmax(fractional))]
        advice = f'Round it, or declare columns={{{column.name!r}: "number"}}.'
        _refuse(name, value, fractional, column, "must be whole in columns of integers", advice)


def check_within(values: FloatArray, column: Column, name: str) -> None:
    """Refuse numbers that a step of the pipeline does not take, such as the logarithm of a negative one."""
    if column.low == -math.inf and column.high == math.inf:
        return
    outside = (values < column.low) | (values > column.high)
    if outside.any():
        rule = f"must lie between {column.low:g} and {column.high:g} where the pipeline's steps take no other numbers"
        _refuse(name, float(values[int(np.argmax(outside))]), outside, column, rule, "Correct the value.")


def codes(values: UserColumn, column: Column, name: str) -> IntArray:
    """Position of each value among the levels of a category or ordinal; one past them for a value never seen."""
    found, missing = codes_of(values, column.levels, column.missing)
    unknown = found == UNKNOWN
    if not unknown.any():
        return found
    if column.open:
        unknown &= missing
        found[(found == UNKNOWN) & ~missing] = len(column.levels)
    if unknown.any():
        row = int(np.argmax(unknown))
        value = values.iloc[row] if hasattr(values, "iloc") else values[row]
        what = "A missing value written so was not" if missing[row] else "This value was not"
        advice = f"{what} in the training data; known are {_few(column.levels)}."
        _refuse(name, value, unknown, column, "must hold known categories", advice)
    return found


def group_indicators(columns: Sequence[UserColumn], column: Column, names: Sequence[str], name: str) -> FloatArray:
    """Return the indicators of a one-hot group from the user's 0/1 columns, array of shape (n_samples, n_levels)."""
    n_made, n_levels = len(columns), len(column.levels)
    values = np.empty((len(columns[0]), n_levels))
    for place, (source, given) in enumerate(zip(column.sources, columns)):
        where = f"in column {names[source]!r} of the one-hot group {column.name!r}"
        try:
            values[:, place] = floats_of(given)
        except ValueError as error:
            row, value = error.args
            raise InvalidInputError(f"{name}: expected 0 or 1 {where}, received {value!r} in row {row}.") from error
        wrong = (values[:, place] != 0) & (values[:, place] != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInputError(f"{name}: expected 0 or 1 {where}, received {values[row, place]:g} in row {row}.")
    total = values[:, :n_made].sum(axis=1)
    if n_made < n_levels:
        values[:, n_made] = 1.0 - total
    odd = total > 1 if n_made < n_levels else total != 1
    if odd.any():
        row = int(np.argmax(odd))
        expected = "at most one" if n_made < n_levels else "exactly one"
        hint = "" if total[row] else " If all zeros stand for a further level, name it as baseline."
        raise InvalidInputError(
            f"{name}: expected {expected} 1 among the columns of the one-hot group {column.name!r} "
            f"({_few([names[source] for source in column.sources])}), received {total[row]:g} of them in row "
            f"{row}.{hint}"
        )
    return values


def _refuse(name: str, value: UserValue, where: BoolArray, column: Column, rule: str, advice: str) -> NoReturn:
    count = int(where.sum())
    more = f" ({count} such values in all)" if count > 1 else ""
    shown = value if isinstance(value, float) else repr(value)
    raise InvalidInputError(
        f"{name} {rule}: received {shown} in row {int(np.argmax(where))}, column {column.name!r}{more}. {advice}"
    )


def _few(values: Sequence[UserValue]) -> str:
    return ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
