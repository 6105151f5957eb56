"""Names of arrays, and the checks of arrays that several packages share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidInputError

# Deviation, relative to a feature's own size or to the largest deviation, within which it counts as constant: some
# thousand roundings of a double.
CONSTANT_ROUNDING = 1e-12

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# Labels, cells of a user's table: what the array holds is the user's business.
AnyArray = NDArray[Any]

# What other libraries and users hand over, whose types are theirs to state: a fitted model, or a part of one; a value
# of a user's table, or a label; rows or a column in any form users have them; a target as they write it, a label or an
# interval ``(low, high)``; an object of JSON or another written form, to be filled and to be read.
Estimator: TypeAlias = Any
UserValue: TypeAlias = Any
UserData: TypeAlias = Any
UserTarget: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
ReadObject: TypeAlias = Mapping[str, Any]


def check_rows(Z: ArrayLike, *, some_missing: bool = False) -> FloatArray:
    """Return ``Z`` as a finite, contiguous float64 array of shape (n_samples, n_features), or say what is wrong.

    With ``some_missing``, NaN is let through.
    """
    try:
        rows = np.ascontiguousarray(Z, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"Expected an array of numbers of shape (n_samples, n_features): {error}.") from error
    if np.ndim(Z) != 2 or rows.shape[1] == 0:
        raise InvalidInputError(
            "Expected an array of shape (n_samples, n_features) with at least one feature, received shape "
            f"{np.shape(Z)}. Reshape a single row with row.reshape(1, -1), a single feature with column.reshape(-1, 1)."
        )
    wrong = ~(np.isfinite(rows) | (np.isnan(rows) & some_missing))
    if wrong.any():
        row, feature = np.argwhere(wrong)[0]
        raise InvalidInputError(
            f"Expected finite numbers, received {rows[row, feature]} in row {row}, feature {feature}. "
            "Impute or drop missing values first."
        )
    return rows


def distinct_lines(table: FloatArray) -> tuple[IntArray, IntArray]:
    """Find lines of the same bits.

    Parameters
    ----------
    table : array of shape (n, n_columns)

    Returns
    -------
    first : int array of shape (n_distinct,)
        The first line of each kind, ascending.
    kind : int array of shape (n,)
        Place of each line's kind among the first ones.
    """
    known: dict[bytes, int] = {}
    kind = np.array([known.setdefault(line.tobytes(), len(known)) for line in table], dtype=np.int64)
    return np.unique(kind, return_index=True)[1], kind


def feature_scales(Z: FloatArray) -> FloatArray:
    """Positive scale of every feature: its standard deviation, and a stand-in where that is zero.

    A feature counts as constant if its deviation is within rounding of its own size, or of the largest deviation (such
    as the null directions of a PCA; so units may differ by up to twelve decades). Its stand-in is its absolute value,
    the only size it shows; for zeros the smallest scale among the other features; for nothing but zeros 1.

    Parameters
    ----------
    Z : array of shape (n_samples, n_features)

    Returns
    -------
    array of shape (n_features,)
    """
    if Z.shape[1] == 0:
        return np.empty(0)
    deviation = Z.std(axis=0)
    size = np.abs(Z).max(axis=0)
    rounding = CONSTANT_ROUNDING * deviation.max()
    constant = (np.ptp(Z, axis=0) == 0.0) | (deviation <= CONSTANT_ROUNDING * size) | (deviation <= rounding)
    smallest = deviation[~constant].min() if not constant.all() else 1.0
    return np.where(constant, np.where(size > rounding, size, smallest), deviation)


def is_missing(column: Any) -> BoolArray:
    """Where a column, an array of shape (n_samples,) or a series, has no value: None, NaN, NaT or ``pandas.NA``."""
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), dtype=np.bool_)
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=np.bool_)
    if "pandas" in sys.modules:
        return np.asarray(sys.modules["pandas"].isna(column), dtype=np.bool_)
    return np.fromiter((value is None or value != value for value in column.tolist()), np.bool_, len(column))
