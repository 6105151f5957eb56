"""Names of arrays, and the checks of arrays that several packages share."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# Labels, cells of a user's table: what the array holds is the user's business.
AnyArray = NDArray[Any]


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
