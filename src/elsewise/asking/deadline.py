"""A time by which everything that is found out about a row must be known."""

from __future__ import annotations

import time

from .constants import SMALLEST_TIME_LIMIT


class TimeIsOverError(Exception):
    """No more can be found out."""


class Deadline:
    """Ends work on a row.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no end.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.ends = None if seconds is None else time.perf_counter() + seconds

    def left(self) -> float | None:
        """Seconds that are left, None without an end; raises `TimeIsOverError` if there are none."""
        if self.ends is None:
            return None
        left = self.ends - time.perf_counter()
        if left <= 0:
            raise TimeIsOverError
        return max(left, SMALLEST_TIME_LIMIT)
