"""Frames of few rows, written and copied at once: to pandas a column costs more than its values.

What is made here is what :func:`~elsewise.table.frames.written` makes column by column, to the bit and the dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def row_written_at_once(
    frame: pd.DataFrame, n: int, news: Sequence[tuple[int, IntArray, AnyArray | list[Any]]]
) -> pd.DataFrame | None:
    """Return the row of a frame of one row several times, with new values; None where columns are needed for that.

    Parameters
    ----------
    frame : data frame of shape (1, n_columns)
        Of text and numbers of 64 bits.
    n : int
        How many times.
    news : sequence of (column, rows, values)
        What is written where.
    """
    import pandas

    make = getattr(getattr(pandas.api, "internals", None), "create_dataframe_from_blocks", None)  # of pandas 3
    row, dtypes = frame.iloc[0], frame.dtypes.tolist()
    texts = [k for k, dtype in enumerate(dtypes) if isinstance(dtype, pandas.StringDtype)]
    numbers = {dtype: [k for k, other in enumerate(dtypes) if other is dtype] for dtype in _LONG_NUMBERS}
    if make is None or type(frame) is not pandas.DataFrame or row.dtype != object or not texts:
        return None
    if len(texts) + sum(map(len, numbers.values())) < len(dtypes) or any(dtypes[k] != dtypes[texts[0]] for k in texts):
        return None
    cells = np.empty((len(dtypes), n), dtype=object)
    cells[:] = row.to_numpy()[:, None]
    for column, rows, values in news:
        if isinstance(values, np.ndarray):
            is_held = values.dtype is dtypes[column]
        else:
            is_held = column in texts and all(type(value) is str for value in values)
        if not is_held:
            return None
        cells[column, rows] = values
    together = pandas.array(cells[texts].ravel(), dtype=dtypes[texts[0]])
    blocks = [(together[n * k : n * k + n], np.array([place])) for k, place in enumerate(texts)]
    blocks += [(cells[places].astype(dtype), np.array(places)) for dtype, places in numbers.items() if places]
    return make(blocks, index=frame.index.repeat(n), columns=frame.columns).__finalize__(frame)
