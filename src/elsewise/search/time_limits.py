"""Time limits: seconds a row may take, from the first thing done for it to the last.

What is done for many rows at once is shared among them, so n rows take n limits at most. A row that holds no point when
its time is over is given a little more (:data:`~.constants.GRACE`): most rows have one by then. After that it is left
without, and with the bound that is proven.
"""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray, FloatArray
from .constants import GRACE

# Seconds a row: the same for all, one number each, or no limit.
TimeLimit = float | FloatArray | None


def seconds_of(time_limit: TimeLimit, n_rows: int) -> FloatArray:
    """Return the seconds of each row, infinite without a limit; array of shape (n_rows,)."""
    return np.full(n_rows, np.inf if time_limit is None else time_limit, dtype=np.float64)


def is_late(left: FloatArray, has_point: BoolArray) -> BoolArray:
    """Whether rows with so many seconds left, less than none perhaps, have to end; shape (n,)."""
    return np.asarray(left <= np.where(has_point, 0.0, -GRACE))
