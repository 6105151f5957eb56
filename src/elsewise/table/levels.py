"""Levels of categories and ordinals: found in data, put in order, looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from numbers import Real
from typing import Any

import numpy as np

from ..arrays import BoolArray, IntArray, UserValue, is_missing
from ..errors import InvalidInputError
from .frames import is_categorical, is_missing_value, objects_of
from .types import UserColumn, UserDtype

# Code of a value that is no level.
UNKNOWN = -1


def levels_seen(column: UserColumn, name: str) -> tuple[Any, ...]:
    """Levels that occur in a column, in order; None, for missing values, comes last."""
    missing = is_missing(column)
    if is_categorical(column):
        seen = set(np.unique(column.array.codes).tolist())
        found = [value for code, value in enumerate(column.dtype.categories.tolist()) if code in seen]
    else:
        objects = objects_of(column)
        if missing.any():
            objects = [value for value, lost in zip(objects, missing.tolist()) if not lost]
        try:
            found = list(dict.fromkeys(objects))
        except TypeError:
            inner = next(value for value in objects if not _is_hashable(value))
            raise InvalidInputError(
                f"Column {name!r} holds values of type {type(inner).__name__}; expected numbers, text, booleans or "
                "categories. Take the column apart into plain columns, or drop it."
            ) from None
    return in_order(found, getattr(column, "dtype", None)) + ((None,) if missing.any() else ())


def in_order(levels: Iterable[UserValue], dtype: UserDtype | None = None) -> tuple[Any, ...]:
    """Put levels in the order of a category dtype, else in their own, else leave them; None goes last."""
    distinct = dict.fromkeys(levels)
    found = [level for level in distinct if level is not None]
    end = (None,) if None in distinct else ()
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        rank = {value: place for place, value in enumerate(categories.tolist())}
        found.sort(key=lambda level: rank.get(level, len(rank)))
        return (*found, *end)
    try:
        return (*sorted(found), *end)
    except TypeError:
        return (*found, *end)


def missing_marker(column: UserColumn, name: str) -> Any:
    """How missing values are written in a column of objects; NaN in all others."""
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind != "O":
        return np.nan if str(column.dtype) != "string" else getattr(column.dtype, "na_value", np.nan)
    missing = is_missing(column)
    markers = {type(value): value for value, lost in zip(objects_of(column), missing.tolist()) if lost}
    if len(markers) > 1:
        raise InvalidInputError(
            f"Column {name!r} writes missing values in several ways ({', '.join(map(repr, markers.values()))}), which "
            "encoders tell apart. Use one of them."
        )
    return next(iter(markers.values()), None)


def codes_of(column: UserColumn, levels: Sequence[UserValue], marker: Any) -> tuple[IntArray, BoolArray]:
    """Position of each value in ``levels``, :data:`UNKNOWN` where it is none, and where these are missing values."""
    lookup = {level: code for code, level in enumerate(levels) if level is not None}
    none = next((code for code, level in enumerate(levels) if level is None), UNKNOWN)
    if is_categorical(column):
        # one look-up a category; the last entry is for the code -1, a missing value
        table = [lookup.get(value, UNKNOWN) for value in column.dtype.categories.tolist()] + [none]
        codes = column.array.codes
        return np.array(table, dtype=np.int64)[codes], np.asarray(codes < 0)
    objects = objects_of(column)
    try:
        codes = np.fromiter(map(lookup.get, objects, repeat(UNKNOWN)), np.int64, len(objects))
    except TypeError:  # unhashable values are no levels
        codes = np.array([lookup.get(value, UNKNOWN) if _is_hashable(value) else UNKNOWN for value in objects])
    missing = codes == UNKNOWN
    if missing.any():
        missing &= is_missing(column)
        codes[missing] = none
        if none != UNKNOWN and column.dtype == object:
            # an encoder that has learned NaN does not know None
            for row in np.flatnonzero(missing):
                codes[row] = none if type(objects[row]) is type(marker) else UNKNOWN
    return codes, missing


def never_seen(known: Iterable[UserValue]) -> UserValue:
    """Make a value of the same type that is none of the known ones."""
    values = [value for value in known if not is_missing_value(value)]
    if values and all(isinstance(value, Real) for value in values):
        return 2 * abs(max(values, key=abs)) + 1
    taken = {str(value) for value in values}
    value = "never seen"
    while value in taken:
        value += "'"
    return value


def _is_hashable(value: UserValue) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
