"""Frames of one dtype, written and copied at once: to pandas a column costs more than its values.

What is made here is what :func:`~elsewise.table.frames.written` makes column by column, to the bit and the dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import AnyArray, FloatArray, IntArray
from .frames import fits, is_frame
from .types import UserRows

if TYPE_CHECKING:
    import pandas as pd


def written_at_once(
    frame: pd.DataFrame, before: FloatArray, after: FloatArray, places: IntArray | None = None
) -> pd.DataFrame | None:
    """Return a copy of a frame with new values, as `written` would column by column; None where that is needed.

    Parameters
    ----------
    frame : data frame of shape (n_samples, n_columns)
    before, after : arrays of shape (n_samples, n_columns)
        Its values, and what becomes of them: those that differ are written.
    places : int array of shape (n_samples,), optional
        The row of the frame that each is about, where it is not one each.
    """
    dtype, changed = _only_dtype(frame), before != after
    if dtype is None or (dtype.kind == "i" and not fits(after[changed], dtype)):
        return None
    own, index = frame.to_numpy(), frame.index
    if places is not None:
        own, index = own[places], index[places]
    return _like(frame, np.where(changed, after.astype(dtype), own), index)


def copied(X: UserRows) -> UserRows:
    """Return a copy; of a frame in one piece where that is possible, for every piece costs."""
    if not is_frame(X) or _only_dtype(X) is None:
        return X.copy()
    return _like(X, X.to_numpy(copy=True), X.index)


# NumPy has one object for each of these.
_LONG_NUMBERS = (np.dtype(np.float64), np.dtype(np.int64))


def _only_dtype(frame: pd.DataFrame) -> np.dtype[Any] | None:
    """Return the dtype of all columns of a frame, if it is one of numbers of 64 bits."""
    import pandas

    if type(frame) is not pandas.DataFrame or frame.shape[1] == 0:
        return None
    dtypes = frame.dtypes.tolist()
    is_only = dtypes[0] in _LONG_NUMBERS and all(dtype is dtypes[0] for dtype in dtypes)
    return dtypes[0] if is_only else None


def _like(frame: pd.DataFrame, values: AnyArray, index: pd.Index[Any]) -> pd.DataFrame:
    """Make a frame of values in the columns of another one."""
    import pandas

    return pandas.DataFrame(values, index=index, columns=frame.columns).__finalize__(frame)
