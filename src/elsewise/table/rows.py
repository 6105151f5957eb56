"""Rows of data at the public boundary: checked once, with errors that name the row and the column.

From features back to the values of the user's columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from ..arrays import AnyArray, BoolArray, FloatArray
from ..errors import InvalidInputError
from .column import Column
from .types import LARGEST_NUMBER, UserRows

if TYPE_CHECKING:
    import pandas as pd


def column_names(X: object, *, name: str = "X") -> tuple[str, ...] | None:
    """Names of the columns of a data frame; None, as in scikit-learn, if it has none or none of them is text.

    Raises
    ------
    InvalidInputError
        If some names are text and others are not.
    """
    names = list(getattr(X, "columns", ()))
    is_text = [isinstance(label, str) for label in names]
    if not any(is_text):
        return None
    if not all(is_text):
        other = names[is_text.index(False)]
        raise InvalidInputError(
            f"{name}: expected names of columns that are all text, received {names[is_text.index(True)]!r} and "
            f"{other!r} ({type(other).__name__}). Rename them with {name}.columns = {name}.columns.map(str), and fit "
            "the model on them."
        )
    return tuple(names)


def as_given(X: ArrayLike, *, name: str = "X") -> AnyArray:
    """Return the rows as an array in the type they came in, to be echoed bit for bit; masked values are missing."""
    if issparse(X):
        raise InvalidInputError(
            f"{name} is sparse ({type(X).__name__}). Expected dense rows: a counterfactual may change any feature. "
            f"Pass {name}.toarray()."
        )
    try:
        values = unmasked(X.to_numpy() if hasattr(X, "to_numpy") else X)
    except ValueError as error:  # rows of different lengths
        raise InvalidInputError(f"{name}: expected an array of shape (n_samples, n_features): {error}.") from error
    if values.ndim != 2:
        hint = " Reshape a single row with row.reshape(1, -1), or use explain_one." if values.ndim == 1 else ""
        raise InvalidInputError(
            f"{name}: expected an array of shape (n_samples, n_features), received shape {values.shape}.{hint}"
        )
    return values


def unmasked(values: ArrayLike) -> AnyArray:
    """Return a plain array; masked entries of a masked one are NaN, in floats or objects, since they have no value."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values.data)
    kind = values.dtype.kind
    dtype = values.dtype if kind in "fO" else np.dtype(np.float64 if kind in "iub" else object)
    return np.ma.filled(values.astype(dtype), np.nan)


def as_floats(
    values: AnyArray, names: tuple[str, ...], *, name: str = "X", largest: float = LARGEST_NUMBER
) -> FloatArray:
    """Return clean float64 rows, or say which row and column is wrong."""
    check_count(values.shape[1], names, name=name)
    if values.dtype.kind not in "fiub":
        try:
            # complex numbers and dates could be cast, but not without losing what they mean
            values = values.astype(np.float64, casting="safe" if values.dtype.kind in "cmM" else "unsafe")
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"{name}: expected numbers, as in the fit, received values of type {values.dtype} ({error})."
            ) from error
    rows = np.ascontiguousarray(values, dtype=np.float64)
    if -largest <= rows.min(initial=0.0) and rows.max(initial=0.0) <= largest:  # False for NaN
        return rows
    wrong = ~np.isfinite(rows)
    if wrong.any():
        advice = "Impute or drop missing values first, or put a SimpleImputer into the pipeline."
        if not np.isnan(rows).any():
            advice = "Replace infinite values first."
        raise InvalidInputError(f"{name} must be finite: {_first(rows, wrong, names)}. {advice}")
    wrong = np.abs(rows) > largest
    raise InvalidInputError(f"{name} {too_large(largest)}: {_first(rows, wrong, names)}. {TOO_LARGE_ADVICE}")


TOO_LARGE_ADVICE = "Correct the value, or give the column another unit."


def too_large(largest: float) -> str:
    """Describe which numbers can be worked with, after the name of the data."""
    why = "the model reads 32-bit floats" if largest < LARGEST_NUMBER else "squares must not overflow"
    return f"must lie between {-largest:.6g} and {largest:.6g} ({why})"


def _first(rows: FloatArray, wrong: BoolArray, names: tuple[str, ...]) -> str:
    row, column = np.argwhere(wrong)[0]
    count = int(wrong.sum())
    more = f" ({count} such values in all)" if count > 1 else ""
    return f"received {rows[row, column]} in row {row}, column {names[column]!r}{more}"


def check_count(n_columns: int, names: tuple[str, ...], *, name: str = "X") -> None:
    """Refuse rows that have not as many columns as there are names."""
    if n_columns != len(names):
        raise InvalidInputError(
            f"{name} has {n_columns} features, but the explainer and its model expect {len(names)} ({_few(names)})."
        )


def select_columns(X: UserRows, names: tuple[str, ...], *, name: str = "X") -> UserRows:
    """Return the columns of the given names, in this order, if X is a frame with names; else X as it is.

    Raises
    ------
    InvalidInputError
        If one of them is not there, or is there twice.
    """
    if hasattr(X, "columns") and tuple(X.columns.tolist()) == names:
        return X
    received = column_names(X, name=name)
    if received is None or received == names:
        return X
    missing = [label for label in names if label not in received]
    if missing:
        others = [label for label in received if label not in names]
        raise InvalidInputError(
            f"The columns differ from those of the fit: missing {missing[:5]} in {name}, which has "
            + (f"{others[:5]} instead" if others else f"{_few(received)} alone")
            + f". Expected {_few(names)}, in any order; others are ignored."
        )
    twice = [label for label in names if received.count(label) > 1]
    if twice:
        raise InvalidInputError(f"{name} has {received.count(twice[0])} columns of the name {twice[0]!r}. Rename them.")
    frame = cast("pd.DataFrame", X)
    return frame.iloc[:, [received.index(label) for label in names]]


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def column_values(features: FloatArray, column: Column) -> list[Any]:
    """Values of the user's columns that a column comes from, a list or array of values each.

    Parameters
    ----------
    features : array of shape (n_samples, width of the column)
        An answer's: whole where the column is, one 1 among indicators, never at the place of values never seen.
    column : Column
    """
    if column.kind == "number":
        return [features[:, 0]]
    if column.kind == "integer":
        return [_whole(features[:, 0], column, np.inf).astype(np.int64)]
    if column.kind == "ordinal":
        ranks = _whole(features[:, 0], column, len(column.levels) - 1).astype(np.int64)
        return [[column.levels[rank] for rank in ranks.tolist()]]
    codes = features.argmax(axis=1)
    indicators = np.zeros_like(features)
    indicators[np.arange(len(codes)), codes] = 1.0
    if (indicators != features).any() or (codes >= len(column.levels)).any():
        raise InvalidInputError(
            f"features: column {column.name!r} (category) must have one 1 and zeros, at one of its "
            f"{len(column.levels)} levels."
        )
    if column.is_group:
        return [indicators[:, place].astype(np.int64) for place in range(len(column.sources))]
    levels = [column.missing if level is None else level for level in column.levels]
    return [[levels[code] for code in codes.tolist()]]


def _whole(values: FloatArray, column: Column, last: float) -> FloatArray:
    is_rank = column.kind == "ordinal"
    wrong = ~(values == np.floor(values)) | (is_rank & ((values < 0) | (values > last)))
    if wrong.any():
        expected = f"whole values from 0 to {last:g}" if is_rank else "whole values"
        raise InvalidInputError(
            f"features: column {column.name!r} ({column.kind}) must have {expected}, received "
            f"{values[int(np.argmax(wrong))]}."
        )
    return values
