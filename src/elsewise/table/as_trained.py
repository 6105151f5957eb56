"""Values of a file as a fitted table's column knows them: text and foreign dtypes become those of the training data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..arrays import UserValue
from .column import Column
from .frames import is_missing_value, objects_of
from .types import UserDtype

if TYPE_CHECKING:
    import pandas as pd

# What pandas.read_csv takes for a missing value.
MISSING_WORDS = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
_YES_NO = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def as_trained(
    given: pd.Series[Any], dtype: UserDtype, column: Column | None = None, *, is_text: bool = False
) -> pd.Series[Any]:
    """Return a series in the dtype of the training data, wherever that holds its values.

    Values that cannot be, such as words among numbers or categories never seen, stay as they are: what is wrong with
    them is for :meth:`Table.encode` to say, with their row.

    Parameters
    ----------
    given : series
    dtype : dtype of the column in the training data
    column : Column, optional
        The table's column it is; None for one that the model does not use, or that is a part of several.
    is_text : bool
        All values are text, as a CSV file has them: missing ones are empty, or words for it.
    """
    if not is_text and given.dtype == dtype and not _is_object(dtype):
        return given
    levels = column.levels if column is not None and not column.is_group else ()
    marker = column.missing if column is not None else None
    if levels:
        read = level_reader([level for level in levels if level is not None])
    elif getattr(dtype, "kind", "O") == "b":
        read = level_reader([False, True])
    elif getattr(dtype, "kind", "O") in "fiu":
        read = _number
    else:
        read = _text
    cells = objects_of(given)
    known: dict[tuple[type, UserValue], Any] = {}
    values = []
    for cell in cells:
        key = (type(cell), cell)
        if key not in known:
            known[key] = None if not isinstance(cell, str) and is_missing_value(cell) else read(cell)
        values.append(known[key])
    return _series(values, dtype, marker, given)


def level_reader(levels: Sequence[UserValue]) -> Callable[[Any], Any]:
    """Make a function that finds the level a text or a foreign value stands for; None is the missing value.

    A level is found by how it is written, else as a number (``2.0`` for 2), else as a truth value (``true``, ``1``).
    What is none of them comes back as it is, as a number if the levels are numbers.

    Parameters
    ----------
    levels : sequence of levels, or labels of classes
    """
    same = {level: level for level in levels}
    written = {str(level): level for level in levels}
    truths = {bool(level): level for level in levels if isinstance(level, (bool, np.bool_))}
    are_numbers = bool(levels) and all(isinstance(level, Real) and not isinstance(level, bool) for level in levels)

    def read(value: UserValue) -> Any:
        if not isinstance(value, str):
            found = same.get(value)
            return written.get(str(value), value) if found is None else found
        if value in written:
            return written[value]
        if truths and value.strip().lower() in _YES_NO:
            return truths.get(_YES_NO[value.strip().lower()], value)
        if value in MISSING_WORDS:
            return None
        if are_numbers:
            number = _number(value)
            return same.get(number, number)
        return value

    return read


def _number(value: UserValue) -> Any:
    if not isinstance(value, str):
        return value
    if value in MISSING_WORDS:
        return None
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def _text(value: UserValue) -> Any:
    return None if isinstance(value, str) and value in MISSING_WORDS else value


def _series(values: list[UserValue], dtype: UserDtype, marker: Any, given: pd.Series[Any]) -> pd.Series[Any]:
    """Make a series of a dtype if it holds the values, else of one that does; None stands for missing values."""
    import pandas

    some_missing = any(value is None for value in values)
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        known = set(categories.tolist())
        more = [value for value in dict.fromkeys(values) if value is not None and value not in known]
        wider = (
            pandas.CategoricalDtype([*categories, *more], ordered=cast("pd.CategoricalDtype", dtype).ordered)
            if more
            else dtype
        )
        return pandas.Series(pandas.Categorical(values, dtype=wider), index=given.index)
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        return _numeric(values, dtype, some_missing, given)
    if not _is_object(dtype):
        try:
            return pandas.Series(values, index=given.index, dtype=dtype)
        except (TypeError, ValueError):  # words among numbers, say
            pass
    cells = np.empty(len(values), dtype=object)
    cells[:] = [marker if value is None else value for value in values] if some_missing else values
    return pandas.Series(cells, index=given.index, dtype=object)


def _is_object(dtype: UserDtype) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _numeric(
    values: list[UserValue], dtype: np.dtype[Any], some_missing: bool, given: pd.Series[Any]
) -> pd.Series[Any]:
    import pandas

    cells = [np.nan if value is None else value for value in values] if some_missing else values
    if not all(isinstance(cell, (Real, np.bool_)) for cell in cells):
        return pandas.Series(cells, index=given.index, dtype=object)
    exact = np.array(cells, dtype=object)
    is_whole = not some_missing and all(float(cell).is_integer() for cell in cells)
    if dtype.kind in "iub" and not is_whole:
        dtype = np.dtype(np.float64)
    try:
        array = exact.astype(dtype)
    except OverflowError:
        array = exact.astype(np.float64)
    if dtype.kind in "iub" and not all(a == b for a, b in zip(array.tolist(), cells)):  # does not hold them
        array = exact.astype(np.float64)
    return pandas.Series(array, index=given.index)
