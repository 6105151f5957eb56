"""Data frames at the door, and single columns of frames and arrays: read as numbers or objects, written back.

pandas is imported where a frame is made or written to, never before a user has brought one. What is made of text
(:mod:`.as_trained`), of files, and what the model is asked with needs it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np
from scipy.sparse import issparse

from ..arrays import AnyArray, BoolArray, FloatArray, IntArray, UserData, UserValue, is_missing
from ..errors import InvalidInputError, MissingDependencyError
from .rows import as_given
from .types import UserColumn, UserDtype, UserRows

if TYPE_CHECKING:
    import pandas as pd

# Texts of a column that are sooner made anew than changed in place: Arrow's arrays take a call a value to write to.
FEW_TEXTS = 16


def is_frame(X: object) -> TypeGuard[pd.DataFrame]:
    """Whether X is a pandas data frame."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def as_table(X: UserData, *, name: str = "X") -> UserRows:
    """Return rows as a pandas data frame if they are any kind of frame, else as a 2-d array, in the type they came."""
    if is_frame(X) or (type(X) is np.ndarray and X.ndim == 2):
        return X
    if type(X).__module__.partition(".")[0] == "polars":
        return _from_polars(X, name)
    if hasattr(X, "to_pandas") and not issparse(X):
        return X.to_pandas()
    if hasattr(X, "__dataframe__"):
        return _pandas(f"{name} ({type(X).__name__})").api.interchange.from_dataframe(X)
    if isinstance(X, Sequence) and X and all(isinstance(row, Mapping) for row in X):
        return _pandas(f"{name}, rows as dicts,").DataFrame([dict(row) for row in X])
    return as_given(X, name=name)


def is_foreign(X: object) -> bool:
    """Whether X is a polars frame or a pyarrow table."""
    return type(X).__module__.partition(".")[0] in ("polars", "pyarrow") and hasattr(X, "schema")


def in_form_of(frame: pd.DataFrame, X: Any) -> Any:
    """Return a pandas data frame as a polars frame or pyarrow table with the types of another one's columns.

    What is missing is null. A column of whole numbers that holds others now has floats.
    """
    columns = {}
    for place, name in enumerate(frame.columns):
        cells = objects_of(frame.iloc[:, place])
        columns[name] = [None if is_missing_value(cell) else cell for cell in cells]
    if type(X).__module__.partition(".")[0] == "polars":
        import polars

        whole = (int, np.integer)
        made = []
        for name, cells in columns.items():
            dtype = X.schema[name]
            if dtype.is_integer() and not all(
                isinstance(cell, whole) or cell is None or cell == int(cell) for cell in cells
            ):
                dtype = polars.Float64
            made.append(polars.Series(name, cells, dtype=dtype, strict=False))
        return polars.DataFrame(made)
    import pyarrow

    return pyarrow.table(
        {name: _arrow_array(pyarrow, cells, X.schema.field(name).type) for name, cells in columns.items()}
    )


def _arrow_array(pyarrow: Any, cells: list[Any], wanted: Any) -> Any:
    if pyarrow.types.is_dictionary(wanted):
        return pyarrow.array(cells, type=wanted.value_type).dictionary_encode().cast(wanted)
    try:
        return pyarrow.array(cells, type=wanted)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        return pyarrow.array(cells)


def without_na(X: UserRows) -> UserRows:
    """Return rows with NaN for ``pandas.NA`` in columns of objects, which models and encoders cannot compare."""
    if not is_frame(X):
        return X
    import pandas

    for place, dtype in enumerate(X.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind == "O":
            cells = X.iloc[:, place].to_numpy()
            lost = np.fromiter((cell is pandas.NA for cell in cells), np.bool_, len(cells))
            if lost.any():
                X = X.copy()
                X.isetitem(place, pandas.Series(np.where(lost, np.nan, cells), index=X.index, dtype=object))
    return X


def _from_polars(X: UserData, name: str) -> pd.DataFrame:
    # Column by column: polars' own to_pandas needs pyarrow.
    if not hasattr(X, "get_columns"):
        raise InvalidInputError(
            f"{name}: expected a data frame, received {type(X).__name__}. Collect a lazy frame with .collect()."
        )
    pandas = _pandas(f"{name}, a polars frame,")
    arrays = {column: X[column].to_numpy() for column in X.columns}
    # the dtype said: None, which a model fitted on polars has seen, would become NaN
    return pandas.DataFrame({column: pandas.Series(array, dtype=array.dtype) for column, array in arrays.items()})


def _pandas(what: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingDependencyError(f"{what} needs pandas. Install it with: pip install 'elsewise[frames]'") from error
    return pandas


def column_of(X: UserRows, position: int) -> UserColumn:
    """Return one column: a series of a frame, a 1-d array of an array."""
    return X.iloc[:, position] if is_frame(X) else X[:, position]


def columns_of(X: UserRows) -> list[UserColumn]:
    """Return all columns, see :func:`column_of`."""
    return [column for _, column in X.items()] if is_frame(X) else list(X.T)


def is_categorical(column: UserColumn) -> TypeGuard[pd.Series[Any]]:
    """Whether a column is a series of category dtype."""
    return hasattr(column.dtype, "categories")


def category_as_values(dtype: Any) -> Any:
    """Return a category dtype as a dict of plain values, which every file takes; other dtypes as they are."""
    categories = getattr(dtype, "categories", None)
    if categories is None or getattr(categories.dtype, "kind", "") not in "OiufbUS":
        return dtype
    values = np.asarray(categories, dtype=object if categories.dtype.kind == "O" else categories.dtype)
    return {"categories": values, "ordered": bool(dtype.ordered), "of": str(categories.dtype)}


def category_of_values(values: Any) -> Any:
    """Return the dtype that :func:`category_as_values` wrote."""
    if not isinstance(values, dict):
        return values
    import pandas

    return pandas.CategoricalDtype(
        pandas.Index(values["categories"], dtype=values.get("of")), ordered=values["ordered"]
    )


def rows_of(X: UserRows, rows: IntArray | BoolArray | slice) -> UserRows:
    """Return some rows, in the same form."""
    return X.iloc[rows] if is_frame(X) else X[rows]


def is_missing_value(value: UserValue) -> bool:
    """Whether a single value is None, NaN, NaT or ``pandas.NA``."""
    return bool(is_missing(_one(value))[0])


def _one(value: UserValue) -> AnyArray:
    cell = np.empty(1, dtype=object)
    cell[0] = value
    return cell


def objects_of(column: UserColumn) -> list[Any]:
    """Values of a column as Python objects."""
    if isinstance(column, np.ndarray):
        return list(column.tolist())
    if column.dtype.kind in "fiub" and isinstance(column.dtype, np.dtype):
        return list(column.to_numpy().tolist())
    return list(np.asarray(column.array, dtype=object).tolist())


def floats_of(column: UserColumn) -> FloatArray:
    """Values of a column as float64, NaN where they are missing.

    Raises
    ------
    ValueError
        With the position and value of the first entry that is no number, as ``error.args``.
    """
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        return np.asarray(column, dtype=np.float64)
    if type(dtype).__name__ == "SparseDtype":
        return np.asarray(np.asarray(column), dtype=np.float64)
    if dtype.kind in "fiub":  # nullable and Arrow columns
        return np.asarray(cast("pd.Series[Any]", column).to_numpy(dtype=np.float64, na_value=np.nan))
    missing = is_missing(column)
    values = np.full(len(column), np.nan)
    objects = np.empty(len(column), dtype=object)
    objects[:] = objects_of(column)
    try:
        if dtype.kind in "cmM":  # could be cast, but not without losing what they mean
            raise ValueError
        values[~missing] = objects[~missing].astype(np.float64)
    except (TypeError, ValueError):
        for row in np.flatnonzero(~missing):
            if not _is_number(objects[row]):
                raise ValueError(int(row), objects[row]) from None
    return values


def _is_number(value: UserValue) -> bool:
    if isinstance(value, (complex, np.complexfloating)):
        return False
    try:
        _one(value).astype(np.float64)
    except (TypeError, ValueError):
        return False
    return not hasattr(value, "isoformat")


def row_as(row: pd.DataFrame, dtypes: Sequence[UserDtype]) -> pd.DataFrame:
    """Return a frame of one row in other dtypes, one a column, wherever these hold its values.

    Values of the same dtype are cast together: a cast costs more than its values.
    """
    import pandas

    cells = row.to_numpy(dtype=object)[0]
    columns: dict[int, UserData] = {}
    for dtype in dict.fromkeys(dtypes):
        places = [place for place, other in enumerate(dtypes) if other == dtype]
        together = _cast(cells[places], dtype)
        for number, place in enumerate(places):
            # one value may be in the way of the others
            held = _cast(cells[[place]], dtype) if together is None else together[number : number + 1]
            columns[place] = row.iloc[:, place].array if held is None else held
            if columns[place].dtype == object:  # pandas would find out whether it is text
                columns[place] = pandas.Series(np.asarray(columns[place]), index=row.index, dtype=object)
    frame = pandas.DataFrame({place: columns[place] for place in range(len(dtypes))}, index=row.index)
    frame.columns = row.columns
    return frame


def _cast(values: AnyArray, dtype: UserDtype) -> Any:
    """Return objects as an array of a dtype; None if it does not hold all of them."""
    import pandas

    missing = is_missing(values)
    categories = getattr(dtype, "categories", None)
    if categories is not None and not all(value in categories for value in values[~missing].tolist()):
        return None
    try:
        held: Any = values.astype(dtype) if isinstance(dtype, np.dtype) else pandas.array(values, dtype=dtype)
    except (TypeError, ValueError):
        return None
    same = all(is_lost or one == value for one, value, is_lost in zip(held, values.tolist(), missing.tolist()))
    return held if same and (is_missing(held) == missing).all() else None


def written(column: pd.Series[Any], rows: IntArray, values: AnyArray | list[Any]) -> pd.Series[Any]:
    """Return a copy of a series with new values in some rows, in its own dtype wherever that holds them.

    Floats of fewer bits round; what is verified is therefore read back from here. Where a dtype cannot hold a value (a
    fraction among whole numbers, a number too large) the column gets wider.
    """
    import pandas

    dtype = column.dtype
    if type(dtype).__name__ == "SparseDtype":
        dense = written(pandas.Series(np.asarray(column), index=column.index), rows, values)
        if dense.dtype != dtype.subtype:
            dtype = pandas.SparseDtype(dense.dtype, dtype.fill_value)
        return pandas.Series(pandas.arrays.SparseArray(dense.to_numpy(), dtype=dtype), index=column.index)
    if isinstance(dtype, np.dtype):
        array = _written_array(column.to_numpy(), rows, values)
        return pandas.Series(array, index=column.index, dtype=array.dtype)
    if isinstance(dtype, pandas.StringDtype) and len(column) <= FEW_TEXTS:
        cells = np.asarray(column.array, dtype=object).copy()
        cells[rows] = _cells(values)
        return pandas.Series(pandas.array(cells, dtype=dtype), index=column.index)
    array = column.array.copy()
    if isinstance(dtype, pandas.CategoricalDtype):
        known = set(dtype.categories.tolist())
        new = [
            value for value in dict.fromkeys(_cells(values).tolist()) if not (is_missing_value(value) or value in known)
        ]
        array = array.add_categories(new) if new else array
    elif dtype.kind in "fiu" and isinstance(values, np.ndarray) and not fits(values, dtype.numpy_dtype):
        array = array.astype("Float64")
    elif dtype.kind == "b" and isinstance(values, np.ndarray):
        values = values.astype(np.bool_)  # members of a one-hot group are written as 0 and 1
    array[rows] = values if isinstance(values, np.ndarray) else _cells(values)
    return pandas.Series(array, index=column.index)


def _written_array(array: AnyArray, rows: IntArray, values: AnyArray | list[Any]) -> AnyArray:
    if array.dtype.kind == "O":
        array = array.copy()
        array[rows] = _cells(values)
        return array
    if array.dtype.kind not in "fiub":  # fixed-width strings would be cut
        return _written_array(array.astype(object), rows, values)
    new = values if isinstance(values, np.ndarray) else np.array([np.nan if x is None else x for x in values])
    if new.dtype.kind not in "fiub":
        dtype = np.dtype(object)
    else:
        dtype = array.dtype if fits(new, array.dtype) else np.result_type(array.dtype, new.dtype)
    array = array.astype(dtype)  # a copy
    array[rows] = new
    return array


def fits(values: AnyArray, dtype: np.dtype[Any]) -> bool:
    """Whether a dtype holds numbers: floats round them but must not overflow, whole numbers are exact or nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        held = values.astype(dtype)
    return bool((np.isfinite(held) | ~np.isfinite(values)).all() if dtype.kind == "f" else (held == values).all())


def _cells(values: AnyArray | list[Any]) -> AnyArray:
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def blanked(X: UserRows, rows: BoolArray) -> UserRows:
    """Rows of a frame or array with some of them missing altogether; dtypes are kept where none is.

    Whole numbers and booleans of a frame stay what they are, in pandas' dtypes that can miss values: int64 becomes
    Int64, bool becomes boolean.
    """
    if not rows.any():
        return X
    if is_frame(X):
        nullable = {place: _NULLABLE[dtype.kind] for place, dtype in enumerate(X.dtypes) if _is_discrete(dtype)}
        if nullable:
            X = X.copy()
        for place, name in nullable.items():
            dtype = X.dtypes.iloc[place]
            X.isetitem(place, X.iloc[:, place].astype(name if dtype.kind == "b" else f"{name}{8 * dtype.itemsize}"))
        return X.mask(np.broadcast_to(rows[:, None], X.shape))
    blank = X.astype(np.float64) if X.dtype.kind in "iub" else X.copy()
    blank[rows] = np.nan
    return blank


def row_of(X: UserRows, index: int, like: UserRows) -> UserColumn:
    """One row of what :func:`blanked` gave, in NumPy's dtypes where ``like``, the same columns before, has them.

    A row of several dtypes gets one that holds them all, and pandas' nullable dtypes would turn its NaN into NA.
    """
    if not (is_frame(X) and is_frame(like)) or X is like:
        return X.iloc[index] if is_frame(X) else X[index]
    dtypes = list(zip(X.dtypes, like.dtypes))
    nullable = [
        place for place, (own, before) in enumerate(dtypes) if _is_discrete(before) and hasattr(own, "numpy_dtype")
    ]
    if not nullable:
        return X.iloc[index]
    row = X.iloc[[index]]
    for place in nullable:
        blank = bool(row.iloc[:, place].isna().iloc[0])
        row.isetitem(place, row.iloc[:, place].astype(np.float64 if blank else dtypes[place][0].numpy_dtype))
    return row.iloc[0]


# pandas' dtypes that hold whole numbers or booleans and missing values, by the kind of NumPy's, without the bits
_NULLABLE = {"i": "Int", "u": "UInt", "b": "boolean"}


def _is_discrete(dtype: UserDtype) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in _NULLABLE


def has_short_floats(X: UserRows) -> bool:
    """Whether some column of a frame holds floats of fewer than 64 bits, which round what is written to them."""
    if not is_frame(X):
        return False
    for dtype in X.dtypes.tolist():
        kind = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
        if getattr(kind, "kind", "") == "f" and kind.itemsize < 8:
            return True
    return False
