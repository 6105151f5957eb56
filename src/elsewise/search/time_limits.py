"""Time limits: seconds a row may take, from the first thing done for it to the last.

What is done for many rows at once is shared among them, so n rows take n limits at most. A row that holds no point when
its time is over is given a little more (:data:`~.constants.GRACE`): most rows have one by then. After that it is left
without, and with the bound that is proven.
"""

from __future__ import annotations

import time

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from .constants import GRACE

# Seconds a row: the same for all, one number each, or no limit.
TimeLimit = float | FloatArray | None


def seconds_of(time_limit: TimeLimit, n_rows: int) -> FloatArray:
    """Give the seconds of each row, infinite without a limit; array of shape (n_rows,)."""
    return np.full(n_rows, np.inf if time_limit is None else time_limit, dtype=np.float64)


class RowClock:
    """What single rows take of a step that many share, and when their time is over.

    Parameters
    ----------
    n_rows : int

    Attributes
    ----------
    left : array of shape (n_rows,)
        Seconds that rows had left when the step began.
    taken : array of shape (n_rows,)
        Seconds of the step that were spent on each row alone.
    """

    def __init__(self, n_rows: int) -> None:
        self.left, self.taken = np.full(n_rows, np.inf), np.zeros(n_rows)

    def start(self, left: FloatArray) -> None:
        """Begin a step."""
        self.left, self.taken = left, np.zeros(len(left))

    def ends(self, row: int) -> float:
        """Say when the time of a row is over, if it alone is worked on from now, by ``time.perf_counter()``."""
        return time.perf_counter() + float(self.left[row] - self.taken[row])

    def count(self, row: int, since: float) -> None:
        """Count what was done since as the row's own."""
        self.taken[row] += time.perf_counter() - since

    def shares(self, rows: IntArray, seconds: float) -> FloatArray:
        """Share the seconds of a step among its rows: to each its own, and as much of the rest as to any other."""
        own = self.taken[rows]
        return np.asarray(own + max(seconds - float(own.sum()), 0.0) / max(len(rows), 1))


def is_late(left: FloatArray, has_point: BoolArray) -> BoolArray:
    """Whether rows with so many seconds left, less than none perhaps, have to end; shape (n,)."""
    return np.asarray(left <= np.where(has_point, 0.0, -GRACE))
