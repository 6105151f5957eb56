"""What a table's columns are: inferred from their dtypes and values, or declared."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..arrays import UserData, UserValue, is_missing
from ..errors import NAMES_ARE_TEXT, InvalidInputError
from .column import Column, Declaration, Kind, OneHot, Ordinal
from .frames import as_table, column_of, floats_of, is_categorical, is_frame, objects_of
from .levels import in_order, levels_seen, missing_marker
from .reading import group_indicators
from .rows import column_names
from .table import Table, lay_out
from .types import UserColumn, UserDtype

_WORDS = ("number", "integer", "boolean", "category", "ordinal")


def read_table(
    X: UserData,
    declared: Mapping[str, Any] | None = None,
    *,
    names: tuple[str, ...] | None = None,
    unused: Collection[int] = (),
) -> Table:
    """Find out what the columns of training data are.

    Parameters
    ----------
    X : data frame or array of shape (n_samples, n_columns)
        A frame's dtypes decide: whole numbers are integers, also where gaps made floats of them, other numbers are
        numbers, booleans and text are categories, an ordered category is ordinal. In an array everything is a number,
        text aside.
    declared : mapping of column name to declaration, optional
        ``"number"``, ``"integer"``, ``"boolean"``, ``"category"``, ``"ordinal"``, :class:`Ordinal`; or
        :class:`OneHot` under the name of the group.
    names : tuple of str, optional
        Names of the columns where X has none; by default ``x0``, ``x1``, ...
    unused : positions of columns to leave out, unless they are declared
    """
    X = as_table(X)
    own, given_names = column_names(X), names is not None
    names = own or names or tuple(f"x{place}" for place in range(X.shape[1]))
    declared = {} if declared is None else declared
    _check_declared(declared, names)
    groups = {key: what for key, what in declared.items() if isinstance(what, OneHot)}
    group_of = {member: key for key, what in groups.items() for member in what.columns}
    columns, made = [], set()
    for place, name in enumerate(names):
        if name in group_of:
            key = group_of[name]
            if key not in made:
                made.add(key)
                columns.append(_group(key, groups[key], names))
        elif name in declared:
            columns.append(_declared_column(column_of(X, place), place, name, declared[name]))
        elif place not in unused:
            columns.append(infer_column(column_of(X, place), place, name))
    dtypes = tuple(X.dtypes) if is_frame(X) else (X.dtype,) * len(names)
    table = Table(lay_out(columns), names, own is not None or given_names, dtypes)
    for column in table.columns:
        if column.is_group:
            group_indicators([column_of(X, source) for source in column.sources], column, names, "X")
    return table


def infer_column(values: UserColumn, place: int, name: str) -> Column:
    """Make the column that values, a series or an array, stand for by themselves."""
    dtype = values.dtype
    _refuse_dates(values, name)
    if dtype.kind in "fiub" and not is_categorical(values):
        if not hasattr(values, "array"):  # an array's dtype is that of all its columns and says nothing of one
            return _column(name, "number", place)
        if dtype.kind == "b":
            return as_category(values, place, name)
        return _column(name, "number" if dtype.kind == "f" and not _is_whole_with_gaps(values) else "integer", place)
    if is_categorical(values):
        ordered = values.dtype.ordered and not is_missing(values).any()
        return as_category(values, place, name, kind="ordinal" if ordered else "category")
    types = {type(value) for value, lost in zip(objects_of(values), is_missing(values).tolist()) if not lost}
    if not types:
        raise InvalidInputError(f"Column {name!r} has no values at all. Drop it.")
    if all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return as_category(values, place, name)
    if all(issubclass(kind, Real) for kind in types):
        whole = all(issubclass(kind, Integral) for kind in types) and hasattr(values, "array")
        return _column(name, "integer" if whole else "number", place)
    return as_category(values, place, name)


def _is_whole_with_gaps(values: UserColumn) -> bool:
    """Whether values are missing and all others are whole: so pandas writes whole numbers with gaps."""
    numbers = floats_of(values)
    present = numbers[np.isfinite(numbers)]
    return bool(np.isnan(numbers).any() and len(present) and (present == np.floor(present)).all())


def as_category(values: UserColumn, place: int, name: str, *, kind: Kind = "category") -> Column:
    """Make a category, or an ordinal, whose levels are those that occur, and both for booleans."""
    _refuse_dates(values, name)
    levels = levels_seen(values, name)
    if levels and all(isinstance(level, (bool, np.bool_)) or level is None for level in levels):
        levels = (False, True, *((None,) if None in levels else ()))
    if not levels or levels == (None,):
        raise InvalidInputError(f"Column {name!r} has no values at all. Drop it.")
    return _column(name, kind, place, levels, missing_marker(values, name) if None in levels else None)


def _column(name: str, kind: Kind, place: int, levels: tuple[UserValue, ...] = (), missing: UserValue = None) -> Column:
    return Column(name, kind, 0, 0, (place,), levels, missing=missing)


def _declared_column(values: UserColumn, place: int, name: str, what: Declaration) -> Column:
    if isinstance(what, Ordinal):
        return _ordinal(values, place, name, tuple(what.levels))
    if what in ("number", "integer"):
        _refuse_dates(values, name)
        try:
            numbers = floats_of(values)
        except ValueError as error:
            row, value = error.args
            raise InvalidInputError(
                f"Column {name!r} is declared {what!r}, but holds {value!r} in row {row}; expected numbers. Declare "
                'it "category", or leave it to its dtype.'
            ) from error
        fractional = np.isfinite(numbers) & (numbers != np.floor(numbers))
        if what == "integer" and fractional.any():
            row = int(np.argmax(fractional))
            raise InvalidInputError(
                f"Column {name!r} is declared 'integer', but holds {numbers[row]} in row {row}. Round it, or declare "
                'it "number".'
            )
        return _column(name, what, place)
    column = as_category(values, place, name)
    if what == "boolean":
        odd = [level for level in column.levels if level is not None and level not in (0, 1)]
        if odd:
            raise InvalidInputError(
                f"Column {name!r} is declared 'boolean', but holds {odd[0]!r}; expected False and True, or 0 and 1. "
                'Declare it "category".'
            )
        if not any(isinstance(level, (bool, np.bool_)) for level in column.levels):
            kind = type(column.levels[0])
            levels = (kind(0), kind(1), *((None,) if None in column.levels else ()))
            return _column(name, "category", place, levels, column.missing)
    if what == "ordinal":
        ordered = is_categorical(values) and values.dtype.ordered
        if not (ordered or all(isinstance(level, Real) for level in column.levels)):
            raise InvalidInputError(
                f"Column {name!r} is declared 'ordinal', but its values have no order of their own. Give the order: "
                f"ew.Ordinal(levels=[{', '.join(map(repr, column.levels[:3]))}, ...])."
            )
        return _ordinal(values, place, name, column.levels)
    return column


def _ordinal(values: UserColumn, place: int, name: str, levels: tuple[UserValue, ...]) -> Column:
    if len(levels) == 0 or len(set(levels)) < len(levels):
        raise InvalidInputError(
            f"Column {name!r} is declared ordinal with levels {list(levels)}: expected distinct values from lowest to "
            "highest."
        )
    seen = levels_seen(values, name)
    unknown = [level for level in seen if level not in levels]
    if unknown:
        what = "missing values, which have no rank" if unknown == [None] else f"{unknown[0]!r}, which is not in levels"
        advice = 'Impute them first, or declare it "category".' if unknown == [None] else "Add it to levels."
        raise InvalidInputError(f"Column {name!r} is declared ordinal, but holds {what}. {advice}")
    return _column(name, "ordinal", place, levels)


def _group(key: str, what: OneHot, names: tuple[str, ...]) -> Column:
    sources = tuple(names.index(member) for member in what.columns)
    levels = tuple(what.columns) + (() if what.baseline is None else (what.baseline,))
    return Column(key, "category", 0, 0, sources, levels)


def _check_declared(declared: Mapping[str, Any], names: tuple[str, ...]) -> None:
    if not isinstance(declared, Mapping):
        raise InvalidInputError(
            f"columns: expected a mapping of column names to declarations, received {type(declared).__name__}."
        )
    owner: dict[str, str] = {}
    for key, what in declared.items():
        if isinstance(what, OneHot):
            _check_group(key, what, names)
            for member in what.columns:
                if member in owner:
                    raise InvalidInputError(
                        f"columns: {member!r} belongs to two one-hot groups, {owner[member]!r} and {key!r}."
                    )
                owner[member] = key
            continue
        _check_name(key, names, "columns")
        if not isinstance(what, Ordinal) and what not in _WORDS:
            hint = " Write Ordinal(levels=[...])." if what is Ordinal else ""
            raise InvalidInputError(
                f"columns: expected one of {', '.join(map(repr, _WORDS))}, an Ordinal or a OneHot for {key!r}, "
                f"received {what!r}.{hint}"
            )
    for member, key in owner.items():
        if member in declared and member != key:
            raise InvalidInputError(
                f"columns: {member!r} is declared by itself and as a member of the one-hot group {key!r}."
            )


def _check_group(key: str, what: OneHot, names: tuple[str, ...]) -> None:
    members = what.columns
    if isinstance(members, str) or len(members) < 2 or len(set(members)) < len(members):
        raise InvalidInputError(
            f"columns: the one-hot group {key!r} needs at least two distinct columns, received {members!r}. Declare a "
            'single 0/1 column "boolean".'
        )
    for member in members:
        _check_name(member, names, f"columns: the one-hot group {key!r}")
    if what.baseline is not None and what.baseline in members:
        raise InvalidInputError(
            f"columns: baseline {what.baseline!r} of the one-hot group {key!r} is one of its columns; expected the "
            "level that has none."
        )
    if key in names and key not in members:
        raise InvalidInputError(f"columns: the one-hot group {key!r} has the name of a column; choose another.")


def _check_name(name: Any, names: tuple[str, ...], where: str) -> None:
    count = names.count(name)
    if count == 0:
        near = get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if not isinstance(name, str):
            hint += " " + NAMES_ARE_TEXT
        raise InvalidInputError(f"{where}: there is no column {name!r}; there are {', '.join(names[:8])}.{hint}")
    if count > 1:
        raise InvalidInputError(f"{where}: {count} columns have the name {name!r}. Rename them.")


def _refuse_dates(values: UserColumn, name: str) -> None:
    kind = values.dtype.kind
    is_date = kind in "mM"
    if kind == "O" and not is_categorical(values):
        first = next((x for x, lost in zip(objects_of(values), is_missing(values).tolist()) if not lost), None)
        is_date = isinstance(first, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64))
    if is_date:
        raise InvalidInputError(
            f"Column {name!r} holds dates or times ({values.dtype}), which have no place in a distance. Turn it into a "
            "number the model can use (days since a date, say), or drop it."
        )
    if kind == "c":
        raise InvalidInputError(
            f"Column {name!r} holds complex numbers; expected real ones. Split it into two columns."
        )


def merge_levels(column: Column, more: Collection[UserValue], dtype: UserDtype) -> tuple[Any, ...]:
    """Levels of a column with further ones put where they belong."""
    if tuple(column.levels) == in_order(column.levels, dtype):
        return in_order((*column.levels, *more), dtype)
    return tuple(dict.fromkeys((*column.levels, *more)))
